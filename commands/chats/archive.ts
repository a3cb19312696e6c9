import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsArchive extends DaemonCommand {
  static override summary = 'Archive a chat on all devices of the account';
  static override description =
    'Archiving also unpins the chat. `switchboard chats unarchive` brings it back.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsArchive);
    const client = await this.daemon(flags);
    const answer = await client.archiveChat({ ...args, archived: true });
    if (!this.jsonEnabled()) this.output.line(`archived the chat with ${args.to}`);
    return answer;
  }
}
