import { DaemonCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import { nodeText, totalsText } from '../src/terminal/cli/fleet/cells.js';

/** Milliseconds after which a daemon counts as not answering. */
const ANSWER_MS = 10_000;

interface StatusReport {
  daemon: string;
  ready: boolean;
  nodes: readonly string[];
  sessions: { total: number; connected: number };
}

export default class Status extends DaemonCommand {
  static override summary = 'Show whether the daemon runs and its numbers are connected';
  static override description =
    'Exits with 0 if the daemon is ready, with 1 if it is not, with 3 if none answers. `switchboard doctor` finds causes.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --json | jq .sessions.connected',
  ];

  async run(): Promise<StatusReport> {
    const { flags } = await this.parse(Status);
    const client = await this.daemon(flags);
    const { status } = await client.probe('/health/ready', ANSWER_MS);
    if (status === 404)
      throw new CliError('unreachable', `the server at ${client.url} is not a Switchboard daemon`);
    const fleet = await client.getFleet();
    const ready = status === 200;
    if (!ready) process.exitCode = EXIT_CODES.failure;
    const now = Date.parse(fleet.at);
    const nodes = fleet.nodes.map((node) => nodeText(node, now, fleet.nodes.length));
    if (!this.jsonEnabled()) {
      const { paint } = this.output;
      this.output.fields({
        daemon: this.placeOf(flags),
        state: ready ? paint('green', 'ready') : paint('red', 'not ready: switchboard doctor'),
        ...Object.fromEntries(nodes.map((text, at) => [at === 0 ? 'node' : `node ${at + 1}`, text])),
        sessions: totalsText(fleet.sessions),
      });
    }
    const connected = fleet.sessions.filter((session) => session.connected).length;
    return { daemon: client.url, ready, nodes, sessions: { total: fleet.sessions.length, connected } };
  }
}
