import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Address, formatJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import type { Logger } from '../../log.js';
import type { PictureRecord, PictureStore, SessionRecord, Store } from '../../store/store.js';
import { liveLink, type SessionSource } from '../access.js';
import { roomIdOf } from './parties.js';

/** Name and type of the stored copies; the network serves JPEG only. */
export const STORED_PICTURE = { fileName: 'picture.jpg', mimeType: 'image/jpeg' } as const;

/** Cached pictures of all sessions. */
const CACHED_PICTURES = 20_000;
/** Cache entry for a picture that the store does not have. */
const UNASKED = 'unasked';

/** A cache in front of the store: every event reads a picture. */
class PictureCache {
  readonly #store: PictureStore;
  readonly #cache = boundedCache<PictureRecord | typeof UNASKED>(CACHED_PICTURES);

  constructor(store: PictureStore) {
    this.#store = store;
  }

  async get(clientId: string, jid: string, preview: boolean): Promise<PictureRecord | undefined> {
    const key = keyOf(clientId, jid, preview);
    const cached = this.#cache.get(key);
    if (cached) return cached === UNASKED ? undefined : cached;
    const found = await this.#store.get(clientId, jid, preview);
    // a picture that was put during the read is newer
    if (!this.#cache.has(key)) this.#cache.set(key, found ?? UNASKED);
    return found;
  }

  async put(clientId: string, picture: PictureRecord): Promise<void> {
    await this.#store.put(clientId, picture);
    this.#cache.set(keyOf(clientId, picture.jid, picture.preview), picture);
  }

  /** Drops the cached pictures of a session; the store deletes the stored ones with the session. */
  forget(clientId: string): void {
    for (const key of this.#cache.keys()) if (key.startsWith(`${clientId} `)) this.#cache.delete(key);
  }
}

function keyOf(clientId: string, jid: string, preview: boolean): string {
  return `${clientId} ${jid} ${preview ? 'preview' : 'full'}`;
}

/** The two values of `preview`: small and full size. */
const SIZES = [true, false];

/** Names a person's or group's picture in one of its two sizes. */
export interface PictureOf {
  clientId: string;
  address: Address;
  /** The small size. */
  preview: boolean;
}

/** A question to the network that is in flight. */
interface Question {
  clientId: string;
  answer: Promise<PictureRecord>;
  /** Aborted when the session ends or the gateway stops. */
  ended: AbortController;
  /** The network reported a change after the question was sent: the answer may be old. */
  isOutdated: boolean;
}

type Asked = Pick<Question, 'ended' | 'isOutdated'>;

/** The permanent links to stored pictures. */
export interface PictureLinks {
  linkTo(fileId: string, named: typeof STORED_PICTURE): string;
}

/**
 * Profile pictures as the network shows them to the linked number. A copy of each version is stored, because the network's
 * links expire. Rooms and events show the small size.
 */
export class Pictures {
  readonly #options;
  readonly #cache: PictureCache;
  /** Questions in flight, by session, jid and size. */
  readonly #questions = new Map<string, Question>();

  constructor(options: {
    store: Pick<Store, 'files' | 'history' | 'pictures'>;
    sessions: SessionSource;
    fileLinks: PictureLinks;
    /** Undefined when this node does not have the session. */
    recordOf(clientId: string): SessionRecord | undefined;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#cache = new PictureCache(options.store.pictures);
  }

  /** The network's answer, if it is younger than 24 hours and the network has not reported a change since. */
  async fresh({ clientId, address, preview }: PictureOf): Promise<PictureRecord | undefined> {
    const known = await this.#cache.get(clientId, formatJid(address), preview);
    return known && this.#options.clock.now() - known.fetchedAt < LIMITS.pictureTtlMs ? known : undefined;
  }

  /** Whether the network reported a change since it last answered. */
  async isOutdated({ clientId, address, preview }: PictureOf): Promise<boolean> {
    return (await this.#cache.get(clientId, formatJid(address), preview))?.fetchedAt === 0;
  }

  /**
   * Asks the network, and stores a copy of a new version. Concurrent callers share one question.
   * @throws GatewayError lookup_failed, session_unknown, session_unpaired, session_not_connected, store_unavailable
   */
  ask(of: PictureOf): Promise<PictureRecord> {
    return this.#once(of, (question) => this.#ask(of, question));
  }

  /** Stores the copy if it is missing. */
  completed(of: PictureOf, known: PictureRecord): Promise<PictureRecord> {
    if (known.version === '' || known.fileId !== '') return Promise.resolve(known);
    return this.#once(of, async (question) => {
      const fileId = await this.#copy(of, known.url, question.ended.signal);
      return this.#keep(of, { ...known, fileId }, question);
    });
  }

  /** The permanent link to the stored copy; empty without a copy. */
  linkTo({ fileId }: Pick<PictureRecord, 'fileId'>): string {
    return fileId && this.#options.fileLinks.linkTo(fileId, STORED_PICTURE);
  }

  /** The permanent link to the small picture, for rooms and events; empty without a copy. */
  async avatarUrl(clientId: string, jid: string): Promise<string> {
    const known = await this.#cache.get(clientId, jid, true);
    return known ? this.linkTo(known) : '';
  }

  /** The network reports that a picture has changed: the next caller asks the network again. */
  async changed(clientId: string, jid: string): Promise<void> {
    for (const preview of SIZES) {
      const question = this.#questions.get(questionKeyOf(clientId, jid, preview));
      if (question) question.isOutdated = true;
    }
    for (const preview of SIZES) {
      const known = await this.#cache.get(clientId, jid, preview);
      if (known) await this.#cache.put(clientId, { ...known, fetchedAt: 0 });
    }
  }

  /** A person is now known by the jid `to` instead of `from`: moves their pictures. */
  async moved(clientId: string, from: string, to: string): Promise<void> {
    for (const preview of SIZES) {
      const known = await this.#cache.get(clientId, from, preview);
      if (known && !(await this.#cache.get(clientId, to, preview)))
        await this.#cache.put(clientId, { ...known, jid: to });
    }
  }

  /** The session is deleted or leaves this node: aborts its questions. Nothing is written once this has resolved. */
  async end(clientId: string): Promise<void> {
    const gone = new GatewayError('session_unknown', `${clientId} was deleted`);
    await this.#abort((question) => question.clientId === clientId, gone);
  }

  forget(clientId: string): void {
    this.#cache.forget(clientId);
  }

  async stop(): Promise<void> {
    await this.#abort(() => true, new GatewayError('stopping', 'the gateway is stopping; retry'));
  }

  async #abort(which: (question: Question) => boolean, why: GatewayError): Promise<void> {
    const questions = [...this.#questions.values()].filter(which);
    for (const { ended } of questions) ended.abort(why);
    await Promise.allSettled(questions.map(({ answer }) => answer));
  }

  #once(of: PictureOf, work: (question: Asked) => Promise<PictureRecord>): Promise<PictureRecord> {
    const { clientId, address, preview } = of;
    const key = questionKeyOf(clientId, formatJid(address), preview);
    const inFlight = this.#questions.get(key);
    if (inFlight) return inFlight.answer;
    const asked: Asked = { ended: new AbortController(), isOutdated: false };
    const answer = work(asked).finally(() => this.#questions.delete(key));
    this.#questions.set(key, Object.assign(asked, { clientId, answer }));
    return answer;
  }

  async #ask(of: PictureOf, question: Asked): Promise<PictureRecord> {
    const { clientId, address, preview } = of;
    const { store, sessions, clock } = this.#options;
    const jid = formatJid(address);
    const { people } = await liveLink(sessions, clientId);
    const answer = await people.picture(address, preview);
    const seen = { jid, preview, fetchedAt: clock.now() };
    if ('reason' in answer) {
      return this.#keep(of, { ...seen, version: '', url: '', fileId: '', reason: answer.reason }, question);
    }
    const known = await this.#cache.get(clientId, jid, preview);
    // a copy may have been pruned
    const isSame = known?.version === answer.id && (await store.files.get(known.fileId)) !== undefined;
    const fileId = isSame ? known.fileId : await this.#copy(of, answer.url, question.ended.signal);
    return this.#keep(of, { ...seen, version: answer.id, url: answer.url, fileId, reason: '' }, question);
  }

  async #keep(of: PictureOf, picture: PictureRecord, question: Asked): Promise<PictureRecord> {
    const { clientId, preview } = of;
    question.ended.signal.throwIfAborted();
    await this.#cache.put(clientId, { ...picture, ...(question.isOutdated && { fetchedAt: 0 }) });
    if (preview && (picture.fileId || picture.reason)) await this.#showInRoom(of, picture.fileId);
    return picture;
  }

  /** @returns id of the stored copy; empty when it could not be stored: the picture is shown without one */
  async #copy({ clientId }: PictureOf, url: string, signal: AbortSignal): Promise<string> {
    const { store, sessions, clock, log } = this.#options;
    try {
      const { people } = await liveLink(sessions, clientId);
      const { bytes } = await people.fetchPicture(url, signal);
      signal.throwIfAborted();
      const file = { id: randomUUID(), clientId, chatRoomId: '', messageId: '', ...STORED_PICTURE };
      const rest = { mediaType: 'image', caption: '', createdAt: clock.now() };
      return (await store.files.write({ ...file, ...rest }, Readable.from([bytes]))).id;
    } catch (err) {
      signal.throwIfAborted();
      log.info({ err, clientId }, 'no copy of a picture stored');
      return '';
    }
  }

  async #showInRoom({ clientId, address }: PictureOf, avatarId: string): Promise<void> {
    const session = this.#options.recordOf(clientId);
    if (!session?.orgId) return;
    await this.#options.store.history.updateRoom(clientId, roomIdOf(session, address), { avatarId });
  }
}

function questionKeyOf(clientId: string, jid: string, preview: boolean): string {
  return `${clientId} ${jid} ${preview}`;
}
