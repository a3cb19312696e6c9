import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';

export default class MediaUrl extends DaemonCommand {
  static override summary = 'Print the permanent link to a stored file';
  static override description =
    'Anyone with the link can download the file without a token. Links cannot be guessed.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> 7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51',
    'curl -OJ "$(<%= config.bin %> <%= command.id %> 7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51)"',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'id of the file, from `switchboard media list`' }),
  };

  async run(): Promise<{ url: string }> {
    const { args, flags } = await this.parse(MediaUrl);
    const client = await this.daemon(flags);
    const { url } = await client.getMediaFileUrl({ messageId: args.id });
    if (!this.jsonEnabled()) this.output.line(url);
    return { url };
  }
}
