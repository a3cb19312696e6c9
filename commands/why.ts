import { Args, Flags } from '@oclif/core';
import type { MessageTrace } from '../src/contract/index.js';
import { DaemonCommand } from '../src/terminal/cli/command.js';

export default class Why extends DaemonCommand {
  static override summary = 'Show the history of one message';
  static override description =
    `Prints each known step of a received or own message: received, sent, acknowledged, recorded, announced, every attempt to deliver its \
event, and events that wait or failed. Without --session, searches all sessions. Exits with 5 if the message is unknown.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> 3EB0A9253D5F6C2B1E7A90',
    '<%= config.bin %> <%= command.id %> 3EB0A9253D5F6C2B1E7A90 --session acme --json',
  ];
  static override args = { messageId: Args.string({ required: true, description: 'id of the message' }) };
  static override flags = {
    session: Flags.string({ description: 'session of the message', helpValue: 'CLIENTID' }),
  };

  async run(): Promise<MessageTrace> {
    const { args, flags } = await this.parse(Why);
    const { findTrace } = await import('../src/terminal/cli/why.js');
    const trace = await findTrace(await this.daemon(flags), args.messageId, flags.session);
    if (!this.jsonEnabled()) {
      const { traceLines } = await import('../src/terminal/cli/why.js');
      for (const line of traceLines(trace)) this.output.line(line);
    }
    return trace;
  }
}
