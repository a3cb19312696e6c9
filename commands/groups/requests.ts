import type { JoinRequest } from '../../src/contract/index.js';
import { plainLine } from '../../src/domain/text.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { groupArgs } from '../../src/terminal/cli/flags.js';
import { ageText } from '../../src/terminal/cli/text.js';

export default class GroupsRequests extends DaemonCommand {
  static override summary = 'List the people who ask to join a group';
  static override description = 'Needs admin rights. `switchboard groups answer` approves or rejects them.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us --json | jq -r ".[].jid"',
  ];
  static override args = groupArgs();

  async run(): Promise<JoinRequest[]> {
    const { args, flags } = await this.parse(GroupsRequests);
    const client = await this.daemon(flags);
    const { requests } = await client.listGroupRequests(args);
    if (!this.jsonEnabled()) await this.show(requests);
    return requests;
  }

  private async show(requests: readonly JoinRequest[]): Promise<void> {
    if (requests.length === 0) return this.output.note('nobody asks to join');
    const now = Date.now();
    const rows = requests.map(({ displayName, phone, jid, requestedAt }) => [
      plainLine(displayName),
      phone,
      jid,
      ageText(requestedAt, now),
    ]);
    await this.output.table(['NAME', 'PHONE', 'JID', 'ASKED'], rows);
  }
}
