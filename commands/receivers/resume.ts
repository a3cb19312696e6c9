import { DaemonCommand } from '../../src/cli/command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { receiverArg, receiverText } from '../../src/cli/receivers.js';
import type { Answer } from '../../src/contract/index.js';

export default class ReceiversResume extends DaemonCommand {
  static override summary = 'Make calls to a paused receiver again';
  static override description = 'What waits for it is delivered first, in order.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme 2'];
  static override args = { clientId: clientIdArg(), id: receiverArg() };

  async run(): Promise<Answer<'updateReceiver'>> {
    const { args, flags } = await this.parse(ReceiversResume);
    const answer = await (await this.daemon(flags)).updateReceiver({ ...args, paused: false });
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
