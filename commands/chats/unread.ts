import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsUnread extends DaemonCommand {
  static override summary = 'Mark a chat as unread on the linked phone';
  static override description = 'Needs a stored message of the chat: the session must have a workspace.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsUnread);
    const client = await this.daemon(flags);
    const answer = await client.markUnread(args);
    if (!this.jsonEnabled()) this.output.line(`${args.to} is unread on the phone`);
    return answer;
  }
}
