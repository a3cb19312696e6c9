import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';

export default class MediaUrl extends DaemonCommand {
  static override summary = 'Show the permanent link to a stored file';
  static override description = 'Who has the link can fetch the file without a token; nobody can guess it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> 7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51',
    'curl -OJ "$(<%= config.bin %> <%= command.id %> 7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51)"',
  ];
  static override args = {
    id: Args.string({ required: true, description: 'id of the file, as `switchboard media list` shows it' }),
  };

  async run(): Promise<{ url: string }> {
    const { args, flags } = await this.parse(MediaUrl);
    const { fileUrl } = await import('../../src/cli/media-library.js');
    const url = await fileUrl(await this.daemon(flags), args.id);
    if (!this.jsonEnabled()) this.output.line(url);
    return { url };
  }
}
