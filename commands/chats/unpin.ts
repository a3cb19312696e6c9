import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsUnpin extends DaemonCommand {
  static override summary = 'Unpin a chat on all devices of the account';
  static override description = 'The chat returns to its normal position.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsUnpin);
    const client = await this.daemon(flags);
    const answer = await client.pinChat({ ...args, pinned: false });
    if (!this.jsonEnabled()) this.output.line(`unpinned the chat with ${args.to}`);
    return answer;
  }
}
