import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';
import { TIMER_NAMES, timerSeconds } from '../../src/terminal/cli/timer.js';

export default class ChatsDisappearing extends DaemonCommand {
  static override summary = 'Set the time after which messages of a chat disappear';
  static override description =
    `Applies to everyone in the chat, and to new messages only. \`switchboard profile set\` sets the timer of new chats.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 7d',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us off',
  ];
  static override args = {
    ...recipientArgs(),
    timer: Args.string({
      required: true,
      options: [...TIMER_NAMES],
      description: 'time until messages disappear',
    }),
  };

  async run(): Promise<{ ok: boolean }> {
    const { args, flags } = await this.parse(ChatsDisappearing);
    const { timer, ...chat } = args;
    const client = await this.daemon(flags);
    const answer = await client.setDisappearingMessages({ ...chat, seconds: timerSeconds(timer) });
    const text = timer === 'off' ? 'messages stay' : `messages disappear after ${timer}`;
    if (!this.jsonEnabled()) this.output.line(`in the chat with ${args.to}, ${text}`);
    return answer;
  }
}
