import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { earlierMessageArgs } from '../../src/terminal/cli/send-command.js';

export default class MessagesStar extends DaemonCommand {
  static override summary = "Star a message on the account's own devices";
  static override description =
    'Nobody else sees the star. The phone lists the message under its starred messages.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us 3EB0C767D097B7C6A3F1 --json',
  ];
  static override args = earlierMessageArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(MessagesStar);
    const client = await this.daemon(flags);
    const answer = await client.starMessage({ ...args, starred: true });
    if (!this.jsonEnabled()) this.output.line(`starred ${args.messageId}`);
    return answer;
  }
}
