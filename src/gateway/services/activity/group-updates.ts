import type { GroupUpdateEvent } from '../../../contract/events/catalogue.js';
import { parseJid, personOf } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { GroupUpdate } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import type { Announcements } from '../receivers/announce.js';
import type { SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import { conversationOf, isOwn, PeopleNames } from './conversation.js';
import { SessionQueue } from './queue.js';

/** Changes, of all sessions together, that are remembered to recognise repetitions. */
const MAX_CHANGES = 10_000;

/** Announces each change of a group once: the network repeats a change if our acknowledgement was lost. */
export class GroupUpdates implements SessionPart {
  readonly #options;
  readonly #told = boundedCache<true>(MAX_CHANGES);
  readonly #names: PeopleNames;
  readonly #queue: SessionQueue;

  constructor(options: {
    contacts: Contacts;
    announcements: Pick<Announcements, 'optIn'>;
    retry: StoreRetry;
    log: Logger;
  }) {
    this.#options = options;
    this.#names = new PeopleNames(options.contacts);
    this.#queue = new SessionQueue('a change of a group', options.log);
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'group-update')
      this.take(heard.session.record, heard.event.update);
  }

  take(record: SessionRecord, update: GroupUpdate): void {
    const key = `${record.clientId} ${update.changeId}`;
    if (this.#told.has(key)) return;
    this.#told.set(key, true);
    const session = { ...record };
    this.#queue.add(session.clientId, () => this.#announce(session, update));
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

  async #announce(session: SessionRecord, update: GroupUpdate): Promise<void> {
    const { contacts, announcements, retry } = this.#options;
    const group = parseJid(update.group);
    if (group?.kind !== 'group') return;
    const { by, pushName, members, change, changeId, value, settings } = update;
    const actor = personOf(by?.jid, by?.alt);
    const fromMe = isOwn(session, actor);
    if (!fromMe && pushName && (actor.lid || actor.pn)) {
      await retry.run(() => contacts.learn(session.clientId, { ...actor, pushName, source: 'group' }));
    }
    const others =
      change === 'created' ? members.filter(({ jid, alt }) => !isOwn(session, personOf(jid, alt))) : members;
    const event: GroupUpdateEvent = {
      event: 'group.update',
      type: 'group_update',
      ...conversationOf(session, group, update.timestamp),
      changeId,
      change,
      fromMe,
      by: by ? await retry.run(() => this.#names.of(session, by)) : { user: '', phone: '', name: '' },
      members: await retry.run(() => this.#names.ofAll(session, others)),
      value,
      ...(settings && { settings }),
    };
    announcements.optIn(session, event);
  }
}
