import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { recipientArgs } from '../../src/cli/send-command.js';

export default class SendTyping extends DaemonCommand {
  static override summary = 'Show the other side that the number is typing, or not any more';
  static override description = 'It ends by itself after a while, or when a message is sent.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 --stop',
  ];
  static override args = recipientArgs();
  static override flags = {
    stop: Flags.boolean({ description: 'not any more' }),
  };

  async run(): Promise<{ status: string }> {
    const { args, flags } = await this.parse(SendTyping);
    const client = await this.daemon(flags);
    const composing = !flags.stop;
    const answer = await client.call<{ status: string }>('POST', '/send-typing', {
      body: { ...args, composing },
    });
    if (!this.jsonEnabled()) this.output.line(composing ? `typing to ${args.to}` : 'typing no more');
    return answer;
  }
}
