import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { receiverArg, receiverText } from '../../src/terminal/cli/receivers.js';

export default class ReceiversResume extends DaemonCommand {
  static override summary = 'Resume calls to a paused receiver';
  static override description = 'Delivers waiting events first, in order.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 2'];
  static override args = { clientId: clientIdArg(), id: receiverArg() };

  async run(): Promise<Answer<'updateReceiver'>> {
    const { args, flags } = await this.parse(ReceiversResume);
    const answer = await (await this.daemon(flags)).updateReceiver({ ...args, paused: false });
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
