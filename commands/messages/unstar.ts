import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { earlierMessageArgs } from '../../src/terminal/cli/send-command.js';

export default class MessagesUnstar extends DaemonCommand {
  static override summary = 'Remove the star of a message';
  static override description = 'Has no effect on a message without a star.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1'];
  static override args = earlierMessageArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(MessagesUnstar);
    const client = await this.daemon(flags);
    const answer = await client.starMessage({ ...args, starred: false });
    if (!this.jsonEnabled()) this.output.line(`removed the star of ${args.messageId}`);
    return answer;
  }
}
