import { DaemonCommand } from '../src/cli/daemon-command.js';
import { nodeText, totalsText } from '../src/cli/fleet/cells.js';
import { readFleet } from '../src/cli/fleet/fleet-api.js';
import { FLEET_HEAD, fleetRows } from '../src/cli/fleet/fleet-table.js';
import type { FleetAnswer } from '../src/cli/fleet/wire.js';

export default class Fleet extends DaemonCommand {
  static override summary = 'All sessions and nodes at a glance, live';
  static override description =
    `On a terminal a screen that keeps itself up to date, those in trouble first: ? shows its keys,
Enter all facts of a session with its events and failed deliveries; pair, reconnect and disconnect from there.
In a pipe a table, and with --json what GET /fleet answers, once.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> | head -20',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.sessions[] | select(.webhook.failed > 0).clientId'",
  ];

  async run(): Promise<FleetAnswer | undefined> {
    const { flags } = await this.parse(Fleet);
    const end = new AbortController();
    const client = await this.daemon(flags, end.signal);
    // also before the screen: a daemon that is away, or a wrong token, ends the command with a word and its exit code
    const answer = await readFleet(client);
    if (this.jsonEnabled()) return answer;
    if (process.stdout.isTTY && process.stdin.isTTY) {
      const { renderFleet } = await import('../src/tui/render-fleet.js');
      await renderFleet(client);
      // whoever leaves does not wait for calls that are under way
      end.abort();
    } else {
      await this.show(answer);
    }
    return undefined;
  }

  private async show(answer: FleetAnswer): Promise<void> {
    const { at, nodes } = answer;
    for (const node of nodes) this.output.note(nodeText(node, Date.parse(at), nodes.length));
    this.output.note(totalsText(answer.sessions));
    if (answer.sessions.length > 0) await this.output.table(FLEET_HEAD, fleetRows(answer, this.output.paint));
  }
}
