import PQueue from 'p-queue';
import { wait } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import {
  type AnyCheck,
  type CheckResult,
  type Finding,
  type GeneralCheck,
  problem,
  type SessionCheck,
  skipped,
} from './check.js';
import { brokers } from './checks/brokers.js';
import { clock, daemon, token, version } from './checks/daemon.js';
import { deliveries } from './checks/deliveries.js';
import { network } from './checks/network.js';
import { leases, nodes, nodeUrls } from './checks/nodes.js';
import { secrets } from './checks/secrets.js';
import { history, session, sessions } from './checks/session.js';
import { node, port, publicUrl, settings } from './checks/settings.js';
import { dataDir, disk, encryptionKey, store, storeDamage, storeFile, tokenFile } from './checks/store.js';
import { webhook } from './checks/webhook.js';
import { DoctorContext, type DoctorOptions } from './context.js';

/** In the order of the output. A check comes after those that it needs. */
export const GENERAL_CHECKS: readonly GeneralCheck[] = [
  node,
  settings,
  dataDir,
  disk,
  tokenFile,
  encryptionKey,
  daemon,
  port,
  storeFile,
  storeDamage,
  clock,
  store,
  token,
  version,
  nodes,
  nodeUrls,
  leases,
  network,
  publicUrl,
  sessions,
  secrets,
];

export const SESSION_CHECKS: readonly SessionCheck[] = [session, webhook, deliveries, brokers, history];

/** Session checks that run at the same time. */
const AT_ONCE = 8;
const SESSIONS = 'sessions';

/**
 * Runs all checks and yields the results in the order of the lists: first the general ones, then those of each session.
 * Checks run in parallel unless one needs another. Ends within `limits.totalMs`.
 * @param onWait called with the name of the check whose result comes next
 */
export async function* doctor(
  options: DoctorOptions,
  onWait: (what: string) => void = () => undefined,
): AsyncGenerator<CheckResult> {
  const examination = new DoctorRun(options);
  for (const [what, result] of examination.general()) {
    onWait(what);
    yield await result;
  }
  for (const [what, results] of await examination.ofSessions()) {
    onWait(what);
    yield* await results;
  }
}

type Pending<Results> = [what: string, results: Promise<Results>];

class DoctorRun {
  readonly #context: DoctorContext;
  readonly #results = new Map<string, Promise<CheckResult>>();
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #endsAt: number;

  constructor(options: DoctorOptions) {
    this.#context = new DoctorContext(options);
    this.#endsAt = options.clock.now() + options.limits.totalMs;
  }

  general(): Pending<CheckResult>[] {
    for (const check of GENERAL_CHECKS) {
      const finding = this.#run(check, () => check.run(this.#context));
      this.#results.set(
        check.id,
        finding.then((found) => ({ id: check.id, ...found })),
      );
    }
    return [...this.#results];
  }

  async ofSessions(): Promise<Pending<readonly CheckResult[]>[]> {
    const known = await this.#results.get(SESSIONS);
    if (known?.level !== 'ok') {
      return SESSION_CHECKS.map(({ id }) => [id, Promise.resolve([{ id, ...skipped(blockedBy(SESSIONS)) }])]);
    }
    const sessions = await this.#context.sessions();
    return sessions.flatMap((session) =>
      SESSION_CHECKS.map((check): Pending<readonly CheckResult[]> => {
        const { clientId } = session;
        const findings = this.#queue.add(() => this.#run(check, () => check.runFor(session, this.#context)));
        return [
          `${check.id} of ${clientId}`,
          findings.then((found) =>
            [found].flat().map((one) => ({ id: check.id, session: clientId, ...one })),
          ),
        ];
      }),
    );
  }

  async #run<Found>(check: AnyCheck, look: () => Promise<Found>): Promise<Found | Finding> {
    for (const id of check.needs) {
      const level = (await this.#results.get(id))?.level;
      if (level === 'failed' || level === 'skipped') return skipped(blockedBy(id));
    }
    const { clock, limits } = this.#context.options;
    const ms = Math.min(check.timeoutMs ?? limits.checkMs, this.#endsAt - clock.now());
    if (ms <= 0) return skipped('no time left; check one session with --session');
    const done = new AbortController();
    try {
      return await Promise.race([look(), this.#timeout(ms, done.signal)]);
    } catch (error) {
      const detail = errorMessage(error);
      return problem('check-unfinished', detail, "see the daemon's log, then try again");
    } finally {
      done.abort();
    }
  }

  async #timeout(ms: number, done: AbortSignal): Promise<Finding> {
    await wait(this.#context.options.clock, ms, done);
    const detail = `no result within ${Math.round(ms / 1000)} s`;
    return problem('check-unfinished', detail, 'try again, or check one session with --session', { ms });
  }
}

function blockedBy(id: string): string {
  return `needs ${id}, see above`;
}
