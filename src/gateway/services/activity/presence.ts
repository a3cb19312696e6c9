import { formatJid, parseJid, personOf } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { reason } from '../../../domain/reasons.js';
import type { IncomingMessage, Link, LinkEvent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { type LiveLinks, requirePaired, type SessionSource } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import type { Announcements } from '../receivers/announce.js';
import { wantsType } from '../sessions/receiver-list.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { chatAddress, conversationOf, isOwn, PeopleNames } from './conversation.js';
import { SessionQueue } from './queue.js';

/** Milliseconds between two looks at whether a session with subscriptions is still opted in. */
const CHECK_MS = 2_000;

type PresenceNews = Extract<LinkEvent, { type: 'presence' }>;

/** The subscriptions of a session: when each ends, by jid of the chat; the one that was renewed last comes last. */
interface Subscriptions {
  endsAt: Map<string, number>;
  /** Stops waiting for the next end. */
  cancel(): void;
}

/**
 * Typing and presence of others. The network tells them only to a device that is online and has subscribed to the chat, so
 * a session is shown as online exactly as long as it has a subscription, and only if it opted in.
 */
export class Presence implements SessionPart {
  readonly #options;
  readonly #sessions = new Map<string, Subscriptions>();
  readonly #names: PeopleNames;
  readonly #queue: SessionQueue;

  constructor(options: {
    sessions: SessionSource & { has(clientId: string): boolean };
    liveLinks: LiveLinks;
    contacts: Contacts;
    announcements: Pick<Announcements, 'optIn'>;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#names = new PeopleNames(options.contacts);
    this.#queue = new SessionQueue('a presence', options.log);
  }

  /**
   * Subscribes to a chat for some seconds; the number appears online meanwhile.
   * @returns when it ends: milliseconds since the epoch
   * @throws session_unknown, session_unpaired, send_not_connected, recipient_unknown, invalid_request without the opt-in
   */
  async subscribe(clientId: string, to: string, seconds: number): Promise<{ expiresAt: number }> {
    const { sessions, liveLinks, contacts, clock } = this.#options;
    const session = requirePaired(sessions, clientId);
    requireOptIn(session.record);
    const link = await liveLinks.of(session);
    const chat = formatJid(await contacts.resolve(clientId, to, link));
    const expiresAt = clock.now() + seconds * 1_000;
    await this.#queue.run(clientId, () => this.#renew(clientId, link, chat, expiresAt));
    return { expiresAt };
  }

  /** Subscribes to the chat of a message that came, if the session opted in. */
  noteMessage(record: SessionRecord, { chat, offline }: IncomingMessage): void {
    const { clientId } = record;
    const address = parseJid(chat);
    if (offline || !address || !isOptedIn(record)) return;
    if (address.kind === 'group' && !record.enableGroupAi) return;
    const endsAt = this.#options.clock.now() + LIMITS.presenceMs;
    this.#queue.add(clientId, async () => {
      const link = this.#linkOf(clientId);
      if (link) await this.#renew(clientId, link, formatJid(address), endsAt);
    });
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'link') return;
    const { session, event } = heard;
    if (event.type === 'presence') this.take(session.record, event);
    if (event.type === 'message') this.noteMessage(session.record, event.message);
  }

  /** Announces a change of presence that the network reports. */
  take(record: SessionRecord, news: PresenceNews): void {
    const session = { ...record };
    const at = this.#options.clock.now();
    this.#queue.add(session.clientId, () => this.#announce(session, news, at));
  }

  /** A new connection knows nothing of the subscriptions of the last one. */
  connected(clientId: string): void {
    const known = this.#sessions.get(clientId);
    if (!known) return;
    this.#queue.add(clientId, async () => {
      const link = this.#linkOf(clientId);
      if (!link) return;
      await link.showOnline(true);
      for (const chat of known.endsAt.keys()) await link.subscribePresence(chat);
    });
  }

  reset(clientId: string): void {
    this.forget(clientId);
  }

  idle(clientId?: string): Promise<void> {
    return this.#queue.idle(clientId);
  }

  end(clientId: string): Promise<void> {
    this.forget(clientId);
    return this.#queue.idle(clientId);
  }

  forget(clientId: string): void {
    this.#sessions.get(clientId)?.cancel();
    this.#sessions.delete(clientId);
  }

  async stop(): Promise<void> {
    for (const clientId of [...this.#sessions.keys()]) this.forget(clientId);
    await this.#queue.idle();
  }

  #linkOf(clientId: string): Link | undefined {
    const { sessions } = this.#options;
    const link = sessions.has(clientId) ? sessions.find(clientId).link : undefined;
    return link?.isUp() ? link : undefined;
  }

  /** @throws GatewayError send_not_connected */
  async #renew(clientId: string, link: Link, chat: string, endsAt: number): Promise<void> {
    const known = this.#sessions.get(clientId);
    const subscriptions = known ?? { endsAt: new Map<string, number>(), cancel: () => undefined };
    this.#sessions.set(clientId, subscriptions);
    const before = subscriptions.endsAt.get(chat);
    subscriptions.endsAt.delete(chat);
    subscriptions.endsAt.set(chat, Math.max(endsAt, before ?? 0));
    const [oldest] = subscriptions.endsAt.keys();
    // the protocol cannot end a subscription: further news of the chat is ignored
    if (subscriptions.endsAt.size > LIMITS.presenceChats && oldest) subscriptions.endsAt.delete(oldest);
    this.#watch(clientId, subscriptions);
    if (!known) await link.showOnline(true);
    if (before === undefined) await link.subscribePresence(chat);
  }

  /** Waits for the next subscription to end. Goes offline with the last one, or within `CHECK_MS` after the session opts out. */
  #watch(clientId: string, subscriptions: Subscriptions): void {
    const { clock } = this.#options;
    subscriptions.cancel();
    const next = Math.min(...subscriptions.endsAt.values(), clock.now() + CHECK_MS);
    subscriptions.cancel = clock.after(Math.max(0, next - clock.now()), () =>
      this.#sweep(clientId, subscriptions),
    );
  }

  #sweep(clientId: string, subscriptions: Subscriptions): void {
    const { sessions, clock } = this.#options;
    if (this.#sessions.get(clientId) !== subscriptions || !sessions.has(clientId)) return;
    const isWanted = isOptedIn(sessions.find(clientId).record);
    for (const [chat, endsAt] of subscriptions.endsAt) {
      if (!isWanted || endsAt <= clock.now()) subscriptions.endsAt.delete(chat);
    }
    if (subscriptions.endsAt.size > 0) {
      this.#watch(clientId, subscriptions);
      return;
    }
    this.forget(clientId);
    this.#queue.add(clientId, async () => {
      if (!this.#sessions.has(clientId)) await this.#linkOf(clientId)?.showOnline(false);
    });
  }

  async #announce(session: SessionRecord, news: PresenceNews, at: number): Promise<void> {
    const { contacts, announcements } = this.#options;
    const { clientId } = session;
    const person = { jid: news.participant ?? news.chat };
    const remote = await chatAddress(contacts, clientId, news.chat);
    const chats = this.#sessions.get(clientId)?.endsAt;
    const isWanted = remote && (chats?.has(formatJid(remote)) || chats?.has(news.chat));
    // a group reports only how many members are online, without names
    const isNamed = remote?.kind !== 'group' || news.participant !== undefined;
    if (!remote || !isWanted || !isNamed || isOwn(session, personOf(person.jid))) return;
    const { user, phone, name } = await this.#names.of(session, person);
    announcements.optIn(session, {
      event: 'presence',
      type: 'presence',
      ...conversationOf(session, remote, at),
      state: news.state,
      from: user,
      fromPhone: phone,
      fromName: name,
      lastSeen: news.lastSeenAt ? new Date(news.lastSeenAt).toISOString() : '',
    });
  }
}

function isOptedIn(record: SessionRecord): boolean {
  return wantsType(record, 'presence');
}

/** @throws GatewayError invalid_request */
function requireOptIn(record: SessionRecord): void {
  if (isOptedIn(record)) return;
  throw new GatewayError('invalid_request', reason('presence_is_off', { clientId: record.clientId }));
}
