import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { age } from '../../src/terminal/cli/flags.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsMute extends DaemonCommand {
  static override summary = 'Mute a chat on all devices of the account';
  static override description =
    'Your phone and other devices stop notifying you about this chat; events and webhooks do not change.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 --for 8h',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us',
  ];
  static override args = recipientArgs();
  static override flags = {
    for: age({ description: 'time until the mute ends, such as 8h or 1w; default: no end' }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsMute);
    const client = await this.daemon(flags);
    const until = flags.for && new Date(Date.now() + flags.for.ms).toISOString();
    const answer = await client.muteChat({ ...args, muted: true, until });
    const span = flags.for ? ` for ${flags.for.text}` : '';
    if (!this.jsonEnabled()) this.output.line(`muted the chat with ${args.to}${span}`);
    return answer;
  }
}
