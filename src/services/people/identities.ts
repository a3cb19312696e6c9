import { formatJid, parseJid } from '../../domain/address.js';
import { KeyedLock } from '../../domain/keyed-lock.js';
import { formatRoomId, parseRoomId } from '../../domain/room.js';
import type { Logger } from '../../log.js';
import type { HistoryMessage, SessionRecord, Store } from '../../store/store.js';
import { pnJid } from '../authorship.js';
import type { Contacts } from '../contacts.js';
import type { KnownPair } from '../inbox/extras.js';
import type { StoreSteps } from '../store-steps.js';
import { movedExtras, type PersonMove, type PersonRoom, personMove, usersIn } from './person-move.js';

export interface IdentitiesOptions {
  store: Pick<Store, 'history' | 'traces'>;
  contacts: Contacts;
  steps: StoreSteps;
  /** Undefined when there is no such session (any more). */
  recordOf(clientId: string): SessionRecord | undefined;
  log: Logger;
}

/**
 * Sees to it that a person has one room. A room goes by the person's LID; while only the number is known, it goes by that,
 * and becomes the room of the LID in one step as soon as that is learnt, from whatever source.
 */
export class Identities {
  readonly #options: IdentitiesOptions;
  /** Of each number: its room is moved while nobody writes to it. */
  readonly #turns = new KeyedLock();
  /** Told of a person who has gone by one jid and goes by another now. */
  onMoved: (clientId: string, from: string, to: string) => Promise<void> = async () => undefined;

  /** Told of a room that has taken in another one, and may hold now what changes in it waited for. */
  onUnited: (clientId: string, chatRoomId: string) => Promise<void> = async () => undefined;

  constructor(options: IdentitiesOptions) {
    this.#options = options;
    options.contacts.onPair = (clientId, pair) => this.#onPair(clientId, pair);
  }

  /**
   * Runs work that writes to a room. It is told what the room has become when it goes by another name by now, and the
   * room keeps its name meanwhile.
   */
  steady<T>(
    clientId: string,
    { chatRoomId, remoteJid }: Pick<PersonRoom, 'chatRoomId' | 'remoteJid'>,
    work: (move: PersonMove | undefined) => Promise<T>,
  ): Promise<T> {
    const remote = parseJid(remoteJid);
    if (remote?.kind !== 'pn') return work(undefined);
    return this.#turns.run(turnOf(clientId, remote.user), async () =>
      work(await this.#moveOf(clientId, chatRoomId, remote.user)),
    );
  }

  /** What a conversation is called by now; an event that was made of it may be older. */
  async current<Named extends PersonRoom & { clientId: string }>(named: Named): Promise<Named> {
    const remote = parseJid(named.remoteJid);
    if (remote?.kind !== 'pn') return named;
    const move = await this.#moveOf(named.clientId, named.chatRoomId, remote.user);
    return move ? { ...named, ...move.named } : named;
  }

  /** The room that an id leads to which was given out before the room got its name; undefined when it is no other one. */
  async roomOf(chatRoomId: string): Promise<string | undefined> {
    const { clientId, other } = parseRoomId(chatRoomId) ?? {};
    return clientId && other ? (await this.#moveOf(clientId, chatRoomId, other))?.to : undefined;
  }

  /**
   * Messages of a group name people as they were known then; here by the LIDs that have become known since. In a chat of two
   * the room was moved, and its messages with it.
   */
  async underLids(clientId: string, messages: readonly HistoryMessage[]): Promise<HistoryMessage[]> {
    const users = new Set(messages.flatMap(({ extras }) => (extras.group ? usersIn(extras) : [])));
    const pairs = (await Promise.all([...users].map((user) => this.#pairOf(clientId, user)))).flat();
    if (pairs.length === 0) return [...messages];
    return messages.map((message) =>
      message.extras.group ? { ...message, extras: pairs.reduce(movedExtras, message.extras) } : message,
    );
  }

  /** Ends what a crash may have left undone: moves every room whose person has become known, as far as it can be moved. */
  async takeUp(clientId: string): Promise<void> {
    for (const { chatRoomId, remoteJid } of await this.#options.store.history.roomsByNumber(clientId)) {
      const remote = parseJid(remoteJid);
      if (remote?.kind !== 'pn') continue;
      const move = await this.#moveOf(clientId, chatRoomId, remote.user);
      if (move) await this.#tryMove(clientId, remote.user, move);
    }
  }

  /** None when it is a LID already, or a number whose LID is not known. */
  async #pairOf(clientId: string, user: string): Promise<KnownPair[]> {
    const { contacts } = this.#options;
    if (await contacts.find(clientId, { lid: user })) return [];
    const lid = (await contacts.find(clientId, { pn: user }))?.lid;
    return lid ? [{ lid, pn: user }] : [];
  }

  async #moveOf(clientId: string, chatRoomId: string, pn: string): Promise<PersonMove | undefined> {
    const { contacts, steps } = this.#options;
    const contact = await steps.run(() => contacts.find(clientId, { pn }));
    return contact?.lid ? personMove(chatRoomId, { lid: contact.lid, pn }) : undefined;
  }

  /** Both addresses of a person are known now. Never rejects: what fails is done at the next start. */
  async #onPair(clientId: string, { lid, pn }: KnownPair): Promise<void> {
    const session = this.#options.recordOf(clientId);
    if (!session) return;
    const from = formatRoomId({ clientId, myLid: session.lid, other: pn });
    await this.#tryMove(clientId, pn, personMove(from, { lid, pn }));
  }

  /** Never rejects. */
  async #tryMove(clientId: string, pn: string, move: PersonMove): Promise<void> {
    await this.#move(clientId, pn, move).catch((err: unknown) =>
      this.#options.log.warn({ err, clientId }, 'a room still goes by a number though its LID is known'),
    );
  }

  #move(clientId: string, pn: string, move: PersonMove): Promise<void> {
    const { store, steps, log } = this.#options;
    return this.#turns.run(turnOf(clientId, pn), () =>
      steps.run(async () => {
        const { remoteJid } = move.named;
        await store.traces.rekey(clientId, pnJid(pn), remoteJid);
        const isMoved = await store.history.rekey(clientId, move);
        await this.onUnited(clientId, move.to);
        if (!isMoved) return;
        log.info({ clientId, room: move.to }, 'a room goes by the LID of its person now');
        await this.onMoved(clientId, pnJid(pn), remoteJid);
      }),
    );
  }
}

function turnOf(clientId: string, pn: string): string {
  return `${clientId} ${formatJid({ kind: 'pn', user: pn })}`;
}
