import { Args } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class OutboxCancel extends DaemonCommand {
  static override summary = 'Cancel a message that waits until its policy allows it';
  static override description =
    'Exits with 5 if no such message waits, for example because it was sent, and with 6 while it is being sent.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 3EB0C767D097B7C6A3F1'];
  static override args = {
    clientId: clientIdArg(),
    messageId: Args.string({ required: true, description: 'id of the message, from outbox list' }),
  };

  async run(): Promise<Answer<'cancelHeldMessage'>> {
    const { args, flags } = await this.parse(OutboxCancel);
    const client = await this.daemon(flags);
    const answer = await client.cancelHeldMessage(args);
    if (!this.jsonEnabled()) this.output.line(`cancelled ${answer.messageId}`);
    return answer;
  }
}
