import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class SendTyping extends DaemonCommand {
  static override summary = 'Show or stop the typing indicator in a chat';
  static override description = 'The indicator disappears after some seconds, or when a message is sent.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 --stop',
  ];
  static override args = recipientArgs();
  static override flags = {
    stop: Flags.boolean({ description: 'stop the indicator' }),
  };

  async run(): Promise<{ status: string }> {
    const { args, flags } = await this.parse(SendTyping);
    const client = await this.daemon(flags);
    const composing = !flags.stop;
    const answer = await client.sendTyping({ ...args, composing });
    if (!this.jsonEnabled())
      this.output.line(composing ? `typing to ${args.to}` : `stopped typing to ${args.to}`);
    return answer;
  }
}
