import PQueue from 'p-queue';
import { wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/error-message.js';
import { type AnyCheck, type CheckResult, type Finding, skipped, wrong } from './check.js';
import { GENERAL_CHECKS, SESSION_CHECKS } from './checks/index.js';
import { type DoctorOptions, Room } from './room.js';

/** Checks of sessions that are under way at the same time. */
const AT_ONCE = 8;
/** The check that everything about single sessions builds on. */
const SESSIONS = 'sessions';

/**
 * Looks at everything that usually goes wrong, side by side where one thing does not need another, and tells in the order
 * of the lists; what is about sessions comes last, session by session. Nothing takes longer than `limits.totalMs`.
 * @param onWait told what is being waited for
 */
export async function* doctor(
  options: DoctorOptions,
  onWait: (what: string) => void = () => undefined,
): AsyncGenerator<CheckResult> {
  const examination = new Examination(options);
  for (const [what, result] of examination.general()) {
    onWait(what);
    yield await result;
  }
  for (const [what, result] of await examination.ofSessions()) {
    onWait(what);
    yield await result;
  }
}

type Pending = [what: string, result: Promise<CheckResult>];

class Examination {
  readonly #room: Room;
  readonly #results = new Map<string, Promise<CheckResult>>();
  readonly #queue = new PQueue({ concurrency: AT_ONCE });
  readonly #endsAt: number;

  constructor(options: DoctorOptions) {
    this.#room = new Room(options);
    this.#endsAt = options.clock.now() + options.limits.totalMs;
  }

  general(): Pending[] {
    for (const check of GENERAL_CHECKS) {
      const finding = this.#examine(check, () => check.look(this.#room));
      this.#results.set(
        check.id,
        finding.then((found) => ({ id: check.id, ...found })),
      );
    }
    return [...this.#results];
  }

  async ofSessions(): Promise<Pending[]> {
    const known = await this.#results.get(SESSIONS);
    if (known?.level !== 'ok') {
      return SESSION_CHECKS.map(({ id }) => [id, Promise.resolve({ id, ...skipped(blockedBy(SESSIONS)) })]);
    }
    const sessions = await this.#room.sessions();
    return sessions.flatMap((session) =>
      SESSION_CHECKS.map((check): Pending => {
        const { clientId } = session;
        const finding = this.#queue.add(() => this.#examine(check, () => check.lookAt(session, this.#room)));
        return [
          `${check.id} of ${clientId}`,
          finding.then((found) => ({ id: check.id, session: clientId, ...found })),
        ];
      }),
    );
  }

  async #examine(check: AnyCheck, look: () => Promise<Finding>): Promise<Finding> {
    for (const id of check.needs) {
      const level = (await this.#results.get(id))?.level;
      if (level === 'failed' || level === 'skipped') return skipped(blockedBy(id));
    }
    const { clock, limits } = this.#room.options;
    const ms = Math.min(check.timeoutMs ?? limits.checkMs, this.#endsAt - clock.now());
    if (ms <= 0) return skipped('there was no time left; look at one session with --session');
    const done = new AbortController();
    try {
      return await Promise.race([look(), this.#lateness(ms, done.signal)]);
    } catch (error) {
      const detail = errorMessage(error);
      return wrong('check-unfinished', detail, "look at the daemon's log, and try again");
    } finally {
      done.abort();
    }
  }

  /** Comes when a check takes too long. */
  async #lateness(ms: number, done: AbortSignal): Promise<Finding> {
    await wait(this.#room.options.clock, ms, done);
    const detail = `nothing was found out within ${Math.round(ms / 1000)} s`;
    return wrong('check-unfinished', detail, 'try again; look at one session with --session', { ms });
  }
}

function blockedBy(id: string): string {
  return `needs ${id}, see there`;
}
