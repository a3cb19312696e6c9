import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { receiverArg } from '../../src/terminal/cli/receivers.js';

export default class ReceiversRemove extends DaemonCommand {
  static override summary = 'Remove a receiver, and drop the events that wait for it';
  static override description =
    'Also removes its failed deliveries. To keep them and the waiting events, pause the receiver instead.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 2'];
  static override args = { clientId: clientIdArg(), id: receiverArg() };

  async run(): Promise<Answer<'removeReceiver'>> {
    const { args, flags } = await this.parse(ReceiversRemove);
    const answer = await (await this.daemon(flags)).removeReceiver(args);
    if (!this.jsonEnabled()) {
      const { id, clientId, discarded } = answer;
      this.output.line(`removed receiver ${id} of ${clientId}`);
      const what =
        discarded === 1 ? '1 event that waited for it was' : `${discarded} events that waited for it were`;
      if (discarded > 0) this.output.note(`${what} dropped`);
    }
    return answer;
  }
}
