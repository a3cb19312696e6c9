import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsUnarchive extends DaemonCommand {
  static override summary = 'Unarchive a chat on all devices of the account';
  static override description = 'The chat appears in the list of chats again, unpinned.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsUnarchive);
    const client = await this.daemon(flags);
    const answer = await client.archiveChat({ ...args, archived: false });
    if (!this.jsonEnabled()) this.output.line(`unarchived the chat with ${args.to}`);
    return answer;
  }
}
