import PQueue from 'p-queue';
import { parseJid } from '../../domain/address.js';
import { type Clock, wait } from '../../domain/clock.js';
import { type ErrorCode, GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { PictureRecord, RoomRecord, Store } from '../../store/store.js';
import { requirePaired, type SessionSource } from '../send/paired.js';
import type { AvatarCounts } from '../services.js';
import type { PictureOf, Pictures } from './pictures.js';

/** Pictures that are asked for and fetched at the same time. */
const AT_ONCE = 4;
const PACE_MS = Math.ceil(1_000 / LIMITS.picturesPerSecond);

export interface AvatarRefreshOptions {
  store: Pick<Store, 'history'>;
  sessions: SessionSource;
  pictures: Pick<Pictures, 'fresh' | 'isOutdated' | 'ask' | 'completed'>;
  clock: Clock;
  log: Logger;
}

/** What became of one room. */
type Outcome = Exclude<keyof AvatarCounts, 'rooms'>;

/** A pass over a session's rooms. */
interface Run {
  clientId: string;
  force: boolean;
  counts: Promise<AvatarCounts>;
  ended: AbortController;
  /** When the network may be asked next: milliseconds since the epoch. */
  nextAt: number;
}

/** After these the next room would fare no better. */
const HOPELESS: ReadonlySet<ErrorCode> = new Set([
  'session_unknown',
  'session_elsewhere',
  'session_unpaired',
  'session_not_connected',
  'stopping',
]);

/** Gives every hosted room its picture, at a pace that the network puts up with. */
export class AvatarRefresh {
  readonly #options: AvatarRefreshOptions;
  readonly #runs = new Map<string, Run>();

  constructor(options: AvatarRefreshOptions) {
    this.#options = options;
  }

  /**
   * Resolves when all rooms have been gone through. Whoever wants the same meanwhile waits for the same pass.
   * @param force asks for rooms too that have a picture
   * @throws GatewayError avatars_busy when a pass of the other kind is under way; session_unknown, session_unpaired
   */
  run(clientId: string, force: boolean): Promise<AvatarCounts> {
    const underWay = this.#runs.get(clientId);
    if (underWay?.force === force) return underWay.counts;
    if (underWay) throw busy(underWay);
    const { record } = requirePaired(this.#options.sessions, clientId);
    if (!record.orgId) return Promise.resolve(nothing());
    const ended = new AbortController();
    const run: Run = { clientId, force, ended, nextAt: 0, counts: Promise.resolve(nothing()) };
    run.counts = this.#go(run).finally(() => this.#runs.delete(clientId));
    this.#runs.set(clientId, run);
    return run.counts;
  }

  /** Ends the pass of a session, or all; rooms that were not reached count as failed. */
  async end(clientId?: string): Promise<void> {
    const runs = [...this.#runs.values()].filter(
      (run) => clientId === undefined || run.clientId === clientId,
    );
    for (const { ended } of runs) ended.abort();
    await Promise.allSettled(runs.map(({ counts }) => counts));
  }

  async #go(run: Run): Promise<AvatarCounts> {
    const rooms = await this.#options.store.history.rooms(run.clientId);
    const counts = { ...nothing(), rooms: rooms.length };
    const queue = new PQueue({ concurrency: AT_ONCE });
    for (const room of rooms) {
      await queue.onSizeLessThan(1);
      void queue.add(async () => {
        counts[await this.#settle(run, room)] += 1;
      });
    }
    await queue.onIdle();
    this.#options.log.info({ clientId: run.clientId, ...counts }, 'pictures of rooms gone through');
    return counts;
  }

  /** Never rejects: one room that fails is one room. */
  async #settle(run: Run, room: RoomRecord): Promise<Outcome> {
    try {
      return run.ended.signal.aborted ? 'failed' : await this.#refresh(run, room);
    } catch (err) {
      const { clientId } = run;
      this.#options.log.info({ err, clientId, room: room.chatRoomId }, 'no picture for a room');
      if (err instanceof GatewayError && HOPELESS.has(err.code)) run.ended.abort();
      return 'failed';
    }
  }

  async #refresh(run: Run, room: RoomRecord): Promise<Outcome> {
    const { pictures, store } = this.#options;
    const address = parseJid(room.remoteJid);
    if (!address) return 'failed';
    const of: PictureOf = { clientId: run.clientId, address, preview: true };
    if (!run.force && room.avatarId && !(await pictures.isOutdated(of))) return 'skipped';
    const picture = await this.#picture(run, of);
    if (!picture) return 'failed';
    const { fileId: avatarId, reason } = picture;
    if (!avatarId && !reason) return 'failed';
    const isSame = avatarId === room.avatarId;
    if (!isSame) await store.history.updateRoom(run.clientId, room.chatRoomId, { avatarId });
    if (!avatarId) return 'noPhoto';
    return isSame ? 'skipped' : 'updated';
  }

  /** Undefined when the pass ends first. */
  async #picture(run: Run, of: PictureOf): Promise<PictureRecord | undefined> {
    const { pictures } = this.#options;
    const known = run.force ? undefined : await pictures.fresh(of);
    if (known && (known.fileId || known.reason)) return known;
    await this.#pace(run);
    if (run.ended.signal.aborted) return undefined;
    return known ? pictures.completed(of, known) : pictures.ask(of);
  }

  #pace(run: Run): Promise<void> {
    const { clock } = this.#options;
    const now = clock.now();
    const at = Math.max(now, run.nextAt);
    run.nextAt = at + PACE_MS;
    return wait(clock, at - now, run.ended.signal);
  }
}

function nothing(): AvatarCounts {
  return { rooms: 0, updated: 0, skipped: 0, noPhoto: 0, failed: 0 };
}

function busy({ clientId, force }: Run): GatewayError {
  const text = `the pictures of ${clientId} are being gone through with force: ${force}; retry when that has ended`;
  return new GatewayError('avatars_busy', text);
}
