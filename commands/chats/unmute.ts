import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsUnmute extends DaemonCommand {
  static override summary = 'Unmute a chat on all devices of the account';
  static override description = 'Your phone and other devices notify you about this chat again.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002'];
  static override args = recipientArgs();

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsUnmute);
    const client = await this.daemon(flags);
    const answer = await client.muteChat({ ...args, muted: false });
    if (!this.jsonEnabled()) this.output.line(`unmuted the chat with ${args.to}`);
    return answer;
  }
}
