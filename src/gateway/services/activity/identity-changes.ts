import { type Address, jidsOf, type Person, personOf } from '../../../domain/address.js';
import type { LinkEvent } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import { roomIdOf } from '../identities/parties.js';
import type { Announcements } from '../receivers/announce.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import { chatAddress, conversationOf, isOwn, PeopleNames } from './conversation.js';
import { SessionQueue } from './queue.js';

type IdentityNews = Extract<LinkEvent, { type: 'identity-changed' }>;

/** Announces that a person has a new security code; the link reports each change once. */
export class IdentityChanges implements SessionPart {
  readonly #options;
  readonly #names: PeopleNames;
  readonly #queue: SessionQueue;

  constructor(options: {
    contacts: Contacts;
    store: Pick<Store, 'history' | 'traces'>;
    announcements: Pick<Announcements, 'optIn'>;
    retry: StoreRetry;
    log: Logger;
  }) {
    this.#options = options;
    this.#names = new PeopleNames(options.contacts);
    this.#queue = new SessionQueue('a new security code', options.log);
  }

  hear(heard: SessionEvent): void {
    if (heard.type !== 'link' || heard.event.type !== 'identity-changed') return;
    const { event } = heard;
    const session = { ...heard.session.record };
    this.#queue.add(session.clientId, () => this.#announce(session, event));
  }

  idle(clientId?: string): Promise<void> {
    return this.#queue.idle(clientId);
  }

  end(clientId: string): Promise<void> {
    return this.#queue.idle(clientId);
  }

  stop(): Promise<void> {
    return this.#queue.idle();
  }

  /** Whether messages were exchanged with the person: sessions are also made for statuses and for groups. */
  async #hasChat(session: SessionRecord, remote: Address, person: Person): Promise<boolean> {
    const { contacts, store } = this.#options;
    const { clientId, orgId } = session;
    if (orgId && (await store.history.room(clientId, roomIdOf(session, remote)))) return true;
    const { lid = person.lid, pn = person.pn } = (await contacts.find(clientId, person)) ?? {};
    for (const jid of jidsOf({ lid, pn }))
      if ((await store.traces.conversation(clientId, jid)).firstAt !== undefined) return true;
    return false;
  }

  async #announce(session: SessionRecord, { jid, at }: IdentityNews): Promise<void> {
    const { contacts, announcements, retry } = this.#options;
    if (isOwn(session, personOf(jid))) return;
    const remote = await retry.run(() => chatAddress(contacts, session.clientId, jid));
    if (!remote || !(await retry.run(() => this.#hasChat(session, remote, personOf(jid))))) return;
    const { user, phone, name } = await retry.run(() => this.#names.of(session, { jid }));
    announcements.optIn(session, {
      event: 'identity.change',
      type: 'identity_change',
      ...conversationOf(session, remote, at),
      from: user,
      fromPhone: phone,
      fromName: name,
    });
  }
}
