import PQueue from 'p-queue';
import type { AvatarCounts, ProfilePicture } from '../../../contract/index.js';
import { type Address, parseJid, parseRecipient } from '../../../domain/address.js';
import { type Clock, type EpochMs, wait } from '../../../domain/clock.js';
import { type ErrorCode, GatewayError, isGatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { PictureRecord, RoomRecord, SessionRecord, Store } from '../../store/store.js';
import { liveLink, requirePaired, type SessionSource } from '../access.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { ADDRESS_FORMS, type Contacts } from './contacts.js';
import { lidJid } from './parties.js';
import { type PictureLinks, type PictureOf, Pictures } from './pictures.js';

/** Rooms whose pictures are asked for at the same time. */
const AT_ONCE = 4;
/** Milliseconds between two questions to the network. */
const PACE_MS = Math.ceil(1_000 / LIMITS.picturesPerSecond);
/** Failures that end the pass, because every further room would fail too. */
const ENDING: ReadonlySet<ErrorCode> = new Set([
  'session_unknown',
  'session_elsewhere',
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'stopping',
]);
const REASONS: Record<string, string> = {
  none: 'no picture',
  hidden: 'hidden by privacy settings',
};

/** Profile pictures as callers see them. All methods that callers use throw session_unknown, session_unpaired. */
export class Avatars implements SessionPart {
  readonly pictures: Pictures;
  readonly #sessions: SessionSource;
  readonly #contacts: Contacts;
  readonly #log: Logger;
  readonly #refresh: AvatarRefresh;

  constructor(options: {
    store: Pick<Store, 'files' | 'history' | 'pictures'>;
    sessions: SessionSource;
    contacts: Contacts;
    fileLinks: PictureLinks;
    /** Undefined when this node does not have the session. */
    recordOf(clientId: string): SessionRecord | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#sessions = options.sessions;
    this.#contacts = options.contacts;
    this.#log = options.log;
    this.pictures = new Pictures(options);
    this.#refresh = new AvatarRefresh({ ...options, pictures: this.pictures });
  }

  /**
   * The picture of a person or a group. Without `refresh` an answer of the last 24 hours is used.
   * @throws invalid_request, not_found, lookup_failed, session_not_connected
   */
  async picture(
    clientId: string,
    jid: string,
    { preview, refresh }: { preview: boolean; refresh: boolean },
  ): Promise<ProfilePicture> {
    const { pictures } = this;
    requirePaired(this.#sessions, clientId);
    const of: PictureOf = { clientId, address: await this.#addressOf(clientId, jid), preview };
    const known = refresh ? undefined : await pictures.fresh(of);
    const picture = known ? await pictures.completed(of, known) : await pictures.ask(of);
    return viewOf(picture, pictures.linkTo(picture));
  }

  /**
   * Gives the hosted rooms their pictures, about seven a second; checks rooms that have a picture only with `force`.
   * Without a hosted inbox there are no rooms.
   * @throws avatars_busy
   */
  refreshAll(clientId: string, force: boolean): Promise<AvatarCounts> {
    return this.#refresh.run(clientId, force);
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'picture-changed') return;
    const { clientId } = heard.session;
    this.changed(clientId, heard.event.jid).catch((err: unknown) => {
      this.#log.warn({ err, clientId }, 'change of a picture not noted');
    });
  }

  /** A picture has changed. @param jid LID or phone number */
  async changed(clientId: string, jid: string): Promise<void> {
    const address = parseJid(jid);
    const contact =
      address?.kind === 'pn' ? await this.#contacts.find(clientId, { pn: address.user }) : undefined;
    await this.pictures.changed(clientId, contact?.lid ? lidJid(contact.lid) : jid);
  }

  async end(clientId: string): Promise<void> {
    await Promise.all([this.#refresh.end(clientId), this.pictures.end(clientId)]);
  }

  forget(clientId: string): void {
    this.pictures.forget(clientId);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#refresh.end(), this.pictures.stop()]);
  }

  /** Asks the network only for a person who is in no contact. @throws GatewayError not_found, invalid_request */
  async #addressOf(clientId: string, jid: string): Promise<Address> {
    if (!parseRecipient(jid)) throw new GatewayError('invalid_request', `jid must be ${ADDRESS_FORMS}`);
    try {
      const lookUp = async (address: Address) => (await liveLink(this.#sessions, clientId)).lookUp(address);
      return await this.#contacts.resolve(clientId, jid, { lookUp }, 'jid');
    } catch (error) {
      if (!isGatewayError(error, 'recipient_unknown')) throw error;
      throw new GatewayError('not_found', error.message, { cause: error });
    }
  }
}

function viewOf(picture: PictureRecord, storedUrl: string): ProfilePicture {
  const { jid, version, preview, url, reason } = picture;
  if (reason) return { jid, url: '', reason: REASONS[reason] ?? reason };
  return { jid, id: version, type: preview ? 'preview' : 'full', url, storedUrl, mirrored: storedUrl !== '' };
}

/** The outcome for one room. */
type Outcome = Exclude<keyof AvatarCounts, 'rooms'>;

/** A pass over a session's rooms. */
interface Run {
  clientId: string;
  force: boolean;
  counts: Promise<AvatarCounts>;
  ended: AbortController;
  /** Earliest time of the next question to the network. */
  nextAt: EpochMs;
}

/** Gives every hosted room its picture, at a rate that the network accepts. */
class AvatarRefresh {
  readonly #options;
  readonly #runs = new Map<string, Run>();

  constructor(options: {
    store: Pick<Store, 'history'>;
    sessions: SessionSource;
    pictures: Pick<Pictures, 'fresh' | 'isOutdated' | 'ask' | 'completed'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Resolves when every room was visited. A second caller with the same `force` joins the pass in flight.
   * @param force also asks for rooms that have a picture
   * @throws GatewayError avatars_busy when a pass with the other `force` is in flight; session_unknown, session_unpaired
   */
  run(clientId: string, force: boolean): Promise<AvatarCounts> {
    const inFlight = this.#runs.get(clientId);
    if (inFlight?.force === force) return inFlight.counts;
    if (inFlight) throw busy(inFlight);
    const { record } = requirePaired(this.#options.sessions, clientId);
    if (!record.orgId) return Promise.resolve(nothing());
    const ended = new AbortController();
    const run: Run = { clientId, force, ended, nextAt: 0, counts: Promise.resolve(nothing()) };
    run.counts = this.#go(run).finally(() => this.#runs.delete(clientId));
    this.#runs.set(clientId, run);
    return run.counts;
  }

  /** Ends the pass of one session, or all; the remaining rooms count as failed. */
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
    this.#options.log.info({ clientId: run.clientId, ...counts }, 'pictures of all rooms refreshed');
    return counts;
  }

  /** Never rejects: one failing room does not end the pass. */
  async #settle(run: Run, room: RoomRecord): Promise<Outcome> {
    try {
      return run.ended.signal.aborted ? 'failed' : await this.#refresh(run, room);
    } catch (err) {
      const { clientId } = run;
      this.#options.log.info({ err, clientId, room: room.chatRoomId }, 'no picture for a room');
      if (err instanceof GatewayError && ENDING.has(err.code)) run.ended.abort();
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
    // `force` asked for a check of this picture
    return isSame && !run.force ? 'skipped' : 'updated';
  }

  /** The picture of a room; undefined if the pass was ended. */
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
  const text = `the pictures of ${clientId} are being refreshed with force: ${force}; retry when that has ended`;
  return new GatewayError('avatars_busy', text);
}
