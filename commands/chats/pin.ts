import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsPin extends DaemonCommand {
  static override summary = 'Pin a chat to the top of the list on all devices of the account';
  static override description =
    'WhatsApp shows only a few pinned chats. `switchboard messages pin` pins a message.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsPin);
    const client = await this.daemon(flags);
    const answer = await client.pinChat({ ...args, pinned: true });
    if (!this.jsonEnabled()) this.output.line(`pinned the chat with ${args.to}`);
    return answer;
  }
}
