import { Flags } from '@oclif/core';
import type { FleetAnswer } from '../src/contract/index.js';
import { findToken } from '../src/terminal/cli/client.js';
import { DaemonCommand } from '../src/terminal/cli/command.js';
import { contextsPath, readContexts } from '../src/terminal/cli/contexts.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import {
  ALL_FLEETS_HEAD,
  allFleetRows,
  type ContextFleet,
  fleetsOf,
} from '../src/terminal/cli/fleet/all-contexts.js';
import { FLEET_HEAD, fleetRows, nodeText, totalsText } from '../src/terminal/cli/fleet/cells.js';

/** Columns that a narrow terminal leaves out first. */
const MINOR = ['OPEN', 'RECONNECTS', 'QUEUE', 'LAST STANZA', 'NUMBER', 'NODE'];

export default class Fleet extends DaemonCommand {
  static override summary = 'Show all sessions and nodes, live';
  static override description =
    `On a terminal, draws a live screen with problems first: ? shows the keys, Enter opens a session with \
its events and failed deliveries. Pair, reconnect and disconnect sessions from there. \
In a pipe, prints a table once. With --json, prints the answer of GET /fleet.

--all shows the sessions of all contexts on one live screen, below the name of their context; Enter opens the fleet \
of a context. In a pipe, prints one table, once, with a row for each daemon that does not answer. Exits with 3 if no daemon answers.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> | head -20',
    '<%= config.bin %> <%= command.id %> --all',
    "<%= config.bin %> <%= command.id %> --json | jq -r '.sessions[] | select(.webhook.failed > 0).clientId'",
  ];

  static override flags = {
    all: Flags.boolean({ description: 'show the sessions of all contexts', exclusive: ['context'] }),
  };

  async run(): Promise<FleetAnswer | { contexts: ContextFleet[] } | undefined> {
    const { flags } = await this.parse(Fleet);
    if (flags.all) return this.all();
    const end = new AbortController();
    const client = await this.daemon(flags, end.signal);
    // call once before the screen opens, so that an unreachable daemon or a wrong token gives the right exit code
    const answer = await client.getFleet();
    if (this.jsonEnabled()) return answer;
    if (process.stdout.isTTY && process.stdin.isTTY) {
      const { renderFleet } = await import('../src/terminal/tui/fleet/fleet-screen.js');
      const { readScreenSettings } = await import('../src/terminal/tui/settings.js');
      const settings = await readScreenSettings(this.config.configDir);
      await renderFleet(client, { where: this.placeOf(flags), settings });
      // after quitting, do not wait for calls in flight
      end.abort();
    } else {
      await this.show(answer);
    }
    return undefined;
  }

  private async all(): Promise<{ contexts: ContextFleet[] } | undefined> {
    const known = await readContexts(contextsPath(this.config.configDir));
    const daemons = await Promise.all(
      Object.entries(known.contexts).map(async ([context, { url, token }]) => {
        return { context, url, token: token ?? (await findToken(url, this.config.dataDir)) };
      }),
    );
    if (daemons.length === 0) {
      throw new CliError('not_found', 'there are no contexts yet', {
        suggestions: ['add one: switchboard context add NAME --url URL'],
      });
    }
    daemons.sort((a, b) => a.context.localeCompare(b.context));
    if (!this.jsonEnabled() && process.stdout.isTTY && process.stdin.isTTY) {
      const { renderAllFleets } = await import('../src/terminal/tui/fleet/all-fleets-screen.js');
      const { readScreenSettings } = await import('../src/terminal/tui/settings.js');
      await renderAllFleets(daemons, await readScreenSettings(this.config.configDir));
      return undefined;
    }
    const contexts = await fleetsOf(daemons);
    if (contexts.every(({ fleet }) => !fleet)) process.exitCode = EXIT_CODES.unreachable;
    if (!this.jsonEnabled()) {
      await this.output.table(ALL_FLEETS_HEAD, allFleetRows(contexts, this.output.paint), MINOR);
    }
    return { contexts };
  }

  private async show(answer: FleetAnswer): Promise<void> {
    const { at, nodes } = answer;
    for (const node of nodes) this.output.note(nodeText(node, Date.parse(at), nodes.length));
    this.output.note(totalsText(answer.sessions));
    if (answer.sessions.length > 0) {
      await this.output.table(FLEET_HEAD, fleetRows(answer, this.output.paint), MINOR);
    }
  }
}
