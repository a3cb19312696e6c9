import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { receiverArg, receiverText } from '../../src/terminal/cli/receivers.js';

export default class ReceiversPause extends DaemonCommand {
  static override summary = 'Stop calls to a receiver';
  static override description = 'With durable retries, events wait; otherwise they become failed deliveries.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 2'];
  static override args = { clientId: clientIdArg(), id: receiverArg() };

  async run(): Promise<Answer<'updateReceiver'>> {
    const { args, flags } = await this.parse(ReceiversPause);
    const answer = await (await this.daemon(flags)).updateReceiver({ ...args, paused: true });
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
