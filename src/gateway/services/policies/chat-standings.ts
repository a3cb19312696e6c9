import { isChannel, parseJid, STATUS_JID } from '../../../domain/address.js';
import type { ChatStanding } from '../../../domain/policy/rules.js';
import type { PastSend, Store } from '../../store/store.js';
import { roomIdOf } from '../identities/parties.js';
import type { Session } from '../sessions/session.js';

/** Messages of a room that are searched for one from the other side, in pages. */
const SEARCHED = { page: 50, pages: 20 };
/** Resolution of the times in traces: the network dates messages in whole seconds. */
const TRACE_STEP_MS = 1_000;
/** Chats that are read from the store at the same time. */
const READS_AT_ONCE = 50;

/** Finds out how far chats have come, from the store and the network. */
export class ChatStandings {
  readonly #store: Pick<Store, 'traces' | 'history'>;

  constructor(store: Pick<Store, 'traces' | 'history'>) {
    this.#store = store;
  }

  /**
   * How far a private chat has come: by messages of the last 90 days, by the hosted history, or by the token that the
   * network gives to a number that may write to this person.
   */
  async of(session: Session, jid: string): Promise<ChatStanding> {
    const { clientId, record, link } = session;
    const store = this.#store;
    const { firstAt, wroteAt } = await store.traces.conversation(clientId, jid);
    let found: ChatStanding =
      wroteAt !== undefined ? 'running' : firstAt !== undefined ? 'unanswered' : 'new';
    const address = parseJid(jid);
    if (found !== 'running' && record.orgId && address)
      found = furthest(found, await this.#inHistory(clientId, roomIdOf(record, address)));
    if (found !== 'running' && (await link?.isTrusted(jid).catch(() => false))) found = 'running';
    return found;
  }

  async #inHistory(clientId: string, room: string): Promise<ChatStanding> {
    const { history } = this.#store;
    let before: string | undefined;
    for (let page = 0; page < SEARCHED.pages; page += 1) {
      const limit = SEARCHED.page;
      const messages = await history.messages(clientId, room, { limit, before: before || undefined });
      if (messages.some(({ fromMe }) => !fromMe)) return 'running';
      if (messages.length < limit) return before || messages.length > 0 ? 'unanswered' : 'new';
      before = messages[0]?.messageId;
    }
    return 'unanswered';
  }

  /**
   * How far the chat of each past send had come, also of sends from before the session had a policy.
   * @param isAsked whether the store is asked about the chat of a send
   */
  async ofPast(
    clientId: string,
    past: readonly PastSend[],
    isAsked: (send: PastSend) => boolean = () => true,
  ): Promise<{ send: PastSend; standing: ChatStanding }[]> {
    const { traces } = this.#store;
    const sends = past.filter(({ counted }) => counted !== 'nothing');
    const chats = new Map<string, Awaited<ReturnType<Store['traces']['conversation']>>>();
    const people = [...new Set(sends.filter(isAsked).map(({ to }) => to))].filter((to) => !isShared(to));
    for (let done = 0; done < people.length; done += READS_AT_ONCE) {
      const batch = people.slice(done, done + READS_AT_ONCE);
      const read = batch.map(async (to) => chats.set(to, await traces.conversation(clientId, to)));
      await Promise.all(read);
    }
    const written = new Set<string>();
    return sends.map((send) => {
      const { to, sentAt, counted } = send;
      const { firstAt = sentAt, wroteAt = Number.POSITIVE_INFINITY } = chats.get(to) ?? {};
      const isFirst = !written.has(to) && firstAt > sentAt - TRACE_STEP_MS;
      written.add(to);
      const isNew = counted ? counted === 'new chat' : isFirst;
      // trust the own record more than traces: the network may have refused an earlier send
      if (counted === 'new chat') return { send, standing: 'new' };
      const standing: ChatStanding =
        isShared(to) || wroteAt < sentAt ? 'running' : isNew ? 'new' : 'unanswered';
      return { send, standing };
    });
  }
}

/** Whether a send to this address begins no chat with a person: a group, a channel or the statuses. */
export function isShared(jid: string): boolean {
  return jid === STATUS_JID || isChannel(jid) || parseJid(jid)?.kind === 'group';
}

const RANK: Record<ChatStanding, number> = { new: 0, unanswered: 1, running: 2 };

/** A standing never goes back: returns the further of the two. */
export function furthest(one: ChatStanding = 'new', other: ChatStanding = 'new'): ChatStanding {
  return RANK[one] >= RANK[other] ? one : other;
}
