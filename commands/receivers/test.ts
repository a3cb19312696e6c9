import { Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { receiverArg } from '../../src/terminal/cli/receivers.js';
import { EVENT_TYPES } from '../../src/terminal/cli/trigger.js';

export default class ReceiversTest extends DaemonCommand {
  static override summary = 'Send a sample event to one receiver';
  static override description =
    `Ignores the receiver's pause and filter. The delivery is a real one, with attempts, token and own headers. Exits with 1 if the \
event was not delivered.`;
  static override examples = ['<%= config.bin %> <%= command.id %> acme 2 --type call'];
  static override args = { clientId: clientIdArg(), receiver: receiverArg() };
  static override flags = {
    type: Flags.option({
      description: 'type of the sample event',
      options: EVENT_TYPES,
      default: 'text' as const,
    })(),
  };

  async run(): Promise<Answer<'sendTestEvent'>> {
    const { args, flags } = await this.parse(ReceiversTest);
    const answer = await (await this.daemon(flags)).sendTestEvent({ ...args, type: flags.type });
    const { delivered, reason, deliveryId } = answer;
    if (!this.jsonEnabled()) {
      this.output.line(delivered ? `delivered ${deliveryId}` : `not delivered: ${reason}`);
    }
    if (!delivered) process.exitCode = EXIT_CODES.failure;
    return answer;
  }
}
