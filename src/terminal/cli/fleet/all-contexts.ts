import type { FleetAnswer } from '../../../contract/index.js';
import { errorMessage } from '../../../domain/errors.js';
import { DaemonClient } from '../client.js';
import type { Paint } from '../output.js';
import { FLEET_HEAD, fleetRows } from './cells.js';

/** The fleet of one daemon, or the error. */
export interface ContextFleet {
  context: string;
  url: string;
  fleet?: FleetAnswer;
  /** Why the daemon gave no answer. */
  error?: string;
}

/** Milliseconds after which a daemon counts as not answering. */
const ANSWER_MS = 10_000;

/** Queries all daemons in parallel; one that does not answer does not hide the others. */
export function fleetsOf(
  daemons: readonly { context: string; url: string; token: string | undefined }[],
): Promise<ContextFleet[]> {
  return Promise.all(
    daemons.map(async ({ context, url, token }) => {
      const signal = AbortSignal.timeout(ANSWER_MS);
      try {
        return { context, url, fleet: await new DaemonClient({ url, token, signal }).getFleet() };
      } catch (error) {
        const late = `no answer within ${ANSWER_MS / 1000} s`;
        return { context, url, error: signal.aborted ? late : errorMessage(error) };
      }
    }),
  );
}

export const ALL_FLEETS_HEAD = ['CONTEXT', ...FLEET_HEAD];

/** Table rows: the sessions of each daemon, problems first; one row for a daemon that did not answer. */
export function allFleetRows(fleets: readonly ContextFleet[], paint: Paint): string[][] {
  return fleets.flatMap(({ context, fleet, error = '' }) => {
    if (fleet) return fleetRows(fleet, paint).map((row) => [context, ...row]);
    const blank = FLEET_HEAD.slice(2, -1).map(() => '');
    return [[context, '–', paint('red', '✗ no answer'), ...blank, error]];
  });
}
