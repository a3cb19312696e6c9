import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class ReceiversList extends DaemonCommand {
  static override summary = 'List the receivers of a session';
  static override description =
    'Receiver 1 is the webhook of the session: change it with `switchboard sessions webhook`. WAITING counts events that wait for a \
receiver with durable retries, FAILED those that `switchboard failed list --session NAME --receiver ID` shows.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    "<%= config.bin %> <%= command.id %> acme --json | jq -r '.receivers[].url'",
  ];
  static override args = { clientId: clientIdArg() };

  async run(): Promise<Answer<'listReceivers'>> {
    const { args, flags } = await this.parse(ReceiversList);
    const { RECEIVERS_HEAD, receiverRow } = await import('../../src/terminal/cli/receivers.js');
    const answer = await (await this.daemon(flags)).listReceivers(args);
    if (this.jsonEnabled()) return answer;
    if (answer.receivers.length === 0) this.output.note(`${args.clientId} has no receiver`);
    else await this.output.table(RECEIVERS_HEAD, answer.receivers.map(receiverRow));
    return answer;
  }
}
