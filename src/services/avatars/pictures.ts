import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { type Address, formatJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { PictureRecord, SessionRecord, Store } from '../../store/store.js';
import { roomIdOf } from '../receive/parties.js';
import type { PictureBook } from './picture-book.js';
import { STORED_PICTURE } from './stored-picture.js';

/** Previews, and the full pictures. */
const SIZES = [true, false];

export interface PicturesOptions {
  store: Pick<Store, 'files' | 'history'>;
  book: PictureBook;
  /** The permanent link to a stored file. */
  linkTo(fileId: string, named: typeof STORED_PICTURE): string;
  /** @throws GatewayError session_unknown, session_unpaired, session_not_connected */
  linkOf(clientId: string): Promise<Link>;
  /** Undefined when there is no such session (any more). */
  recordOf(clientId: string): SessionRecord | undefined;
  clock: Clock;
  log: Logger;
}

/** Somebody's picture, in one of its two sizes. */
export interface PictureOf {
  clientId: string;
  address: Address;
  /** The small one. */
  preview: boolean;
}

/** A question to the network that is under way. */
interface Question {
  clientId: string;
  answer: Promise<PictureRecord>;
  /** Nobody wants the answer any more. */
  ended: AbortController;
  /** The network has told of a change since it was asked: the answer may be an old one. */
  isOutdated: boolean;
}

/** What asking needs to know of it. */
type Asked = Pick<Question, 'ended' | 'isOutdated'>;

/**
 * Profile pictures as the network shows them to the number, each version with a copy of our own, whose link never
 * expires. The small one is also what rooms and events show.
 */
export class Pictures {
  readonly #options: PicturesOptions;
  /** By what is asked for. */
  readonly #questions = new Map<string, Question>();

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  /** What the network told within the last 24 hours, unless it has told of a change since. */
  async fresh({ clientId, address, preview }: PictureOf): Promise<PictureRecord | undefined> {
    const { book, clock } = this.#options;
    const known = await book.get(clientId, formatJid(address), preview);
    return known && clock.now() - known.fetchedAt < LIMITS.pictureTtlMs ? known : undefined;
  }

  /** True when the network has told of a change since it was asked. */
  async isOutdated({ clientId, address, preview }: PictureOf): Promise<boolean> {
    return (await this.#options.book.get(clientId, formatJid(address), preview))?.fetchedAt === 0;
  }

  /**
   * Asks the network, and stores a copy of what is new. Several callers at once ask once.
   * @throws GatewayError lookup_failed, session_unknown, session_unpaired, session_not_connected, store_unavailable
   */
  ask(of: PictureOf): Promise<PictureRecord> {
    return this.#once(of, (question) => this.#ask(of, question));
  }

  /** Tries again to store a copy where there is none. */
  completed(of: PictureOf, known: PictureRecord): Promise<PictureRecord> {
    if (known.version === '' || known.fileId !== '') return Promise.resolve(known);
    return this.#once(of, async (question) => {
      const fileId = await this.#copy(of, known.url, question.ended.signal);
      return this.#keep(of, { ...known, fileId }, question);
    });
  }

  /** Link to the stored copy; empty when there is none. */
  linkTo({ fileId }: Pick<PictureRecord, 'fileId'>): string {
    return fileId && this.#options.linkTo(fileId, STORED_PICTURE);
  }

  /** Link to the stored copy of the small picture, as rooms and events show it; empty when there is none. */
  async avatarUrl(clientId: string, jid: string): Promise<string> {
    const known = await this.#options.book.get(clientId, jid, true);
    return known ? this.linkTo(known) : '';
  }

  /** The network tells that a picture has changed: the next who wants to see it asks again. */
  async changed(clientId: string, jid: string): Promise<void> {
    const { book } = this.#options;
    for (const preview of SIZES) {
      const question = this.#questions.get(keyOf(clientId, jid, preview));
      if (question) question.isOutdated = true;
    }
    for (const preview of SIZES) {
      const known = await book.get(clientId, jid, preview);
      if (known) await book.put(clientId, { ...known, fetchedAt: 0 });
    }
  }

  /** Somebody goes by their LID from now on: their pictures do too. Jids. */
  async moved(clientId: string, from: string, to: string): Promise<void> {
    const { book } = this.#options;
    for (const preview of SIZES) {
      const known = await book.get(clientId, from, preview);
      if (known && !(await book.get(clientId, to, preview))) await book.put(clientId, { ...known, jid: to });
    }
  }

  /** The session is being deleted: nothing of it is stored any more once this has resolved. */
  async end(clientId: string): Promise<void> {
    const gone = new GatewayError('session_unknown', `${clientId} was deleted`);
    await this.#breakOff((question) => question.clientId === clientId, gone);
  }

  /** Breaks off what is under way. */
  async stop(): Promise<void> {
    await this.#breakOff(() => true, new GatewayError('stopping', 'the gateway is stopping; retry'));
  }

  async #breakOff(which: (question: Question) => boolean, why: GatewayError): Promise<void> {
    const questions = [...this.#questions.values()].filter(which);
    for (const { ended } of questions) ended.abort(why);
    await Promise.allSettled(questions.map(({ answer }) => answer));
  }

  #once(of: PictureOf, work: (question: Asked) => Promise<PictureRecord>): Promise<PictureRecord> {
    const { clientId, address, preview } = of;
    const key = keyOf(clientId, formatJid(address), preview);
    const underWay = this.#questions.get(key);
    if (underWay) return underWay.answer;
    const asked: Asked = { ended: new AbortController(), isOutdated: false };
    const answer = work(asked).finally(() => this.#questions.delete(key));
    this.#questions.set(key, Object.assign(asked, { clientId, answer }));
    return answer;
  }

  async #ask(of: PictureOf, question: Asked): Promise<PictureRecord> {
    const { clientId, address, preview } = of;
    const { store, book, linkOf, clock } = this.#options;
    const jid = formatJid(address);
    const { people } = await linkOf(clientId);
    const told = await people.picture(address, preview);
    const seen = { jid, preview, fetchedAt: clock.now() };
    if ('reason' in told) {
      return this.#keep(of, { ...seen, version: '', url: '', fileId: '', reason: told.reason }, question);
    }
    const known = await book.get(clientId, jid, preview);
    // a copy may have been pruned
    const isSame = known?.version === told.id && (await store.files.get(known.fileId)) !== undefined;
    const fileId = isSame ? known.fileId : await this.#copy(of, told.url, question.ended.signal);
    return this.#keep(of, { ...seen, version: told.id, url: told.url, fileId, reason: '' }, question);
  }

  async #keep(of: PictureOf, picture: PictureRecord, question: Asked): Promise<PictureRecord> {
    const { clientId, preview } = of;
    question.ended.signal.throwIfAborted();
    await this.#options.book.put(clientId, { ...picture, ...(question.isOutdated && { fetchedAt: 0 }) });
    if (preview && (picture.fileId || picture.reason)) await this.#showInRoom(of, picture.fileId);
    return picture;
  }

  /** @returns id of the stored copy; empty when it could not be had, which fails nothing else */
  async #copy({ clientId }: PictureOf, url: string, signal: AbortSignal): Promise<string> {
    const { store, linkOf, clock, log } = this.#options;
    try {
      const { people } = await linkOf(clientId);
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

function keyOf(clientId: string, jid: string, preview: boolean): string {
  return `${clientId} ${jid} ${preview}`;
}
