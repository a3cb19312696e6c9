import { Flags } from '@oclif/core';
import { LIMITS } from '../../src/domain/limits.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsPresence extends DaemonCommand {
  static override summary = 'Subscribe to typing and presence in a chat';
  static override description =
    'The number appears online meanwhile. The session must have presence among its extra events; `switchboard tail` shows the events.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 --seconds 60',
  ];
  static override args = recipientArgs();
  static override flags = {
    seconds: Flags.integer({
      description: 'seconds until the subscription ends',
      min: LIMITS.presenceMinSeconds,
      max: LIMITS.presenceMaxSeconds,
      default: LIMITS.presenceMs / 1_000,
    }),
  };

  async run(): Promise<{ ok: boolean; expiresAt: string }> {
    const { args, flags } = await this.parse(ChatsPresence);
    const client = await this.daemon(flags);
    const answer = await client.subscribePresence({ ...args, seconds: flags.seconds });
    if (!this.jsonEnabled()) this.output.line(`subscribed to ${args.to} until ${answer.expiresAt}`);
    return answer;
  }
}
