import { STATUS_POST_KINDS, type StatusPostEvent } from '../../../contract/events/catalogue.js';
import { eventMeta } from '../../../contract/events/envelope.js';
import { personOf } from '../../../domain/address.js';
import { DAY_MS } from '../../../domain/clock.js';
import type { Deferred } from '../../../domain/deferred.js';
import { isSilent } from '../../kinds/content.js';
import { readContent } from '../../kinds/index.js';
import type { IncomingMessage } from '../../link/link.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import type { Announcements } from '../receivers/announce.js';
import type { StoreRetry } from '../store-retry.js';
import type { KnownMessages } from './known-messages.js';
import { originOf } from './origin.js';
import type { InboundMessage } from './pipeline.js';

/** The author of a status: user-part, number with `+`, name; empty where unknown. */
type Author = Pick<StatusPostEvent, 'from' | 'fromPhone' | 'fromName'>;

/** Announces statuses, which are in no chat and never in the history. */
export class StatusPosts {
  readonly #options;

  constructor(options: {
    contacts: Pick<Contacts, 'learn'>;
    known: Pick<KnownMessages, 'erase'>;
    retry: StoreRetry;
    announcements: Pick<Announcements, 'statusPost'>;
    observer: { notAdmitted(reason: string): void };
  }) {
    this.#options = options;
  }

  /** @param written as in `Announcing` @throws Interrupted */
  async announce(
    { session, message, metaData, abandoned }: InboundMessage,
    written: Deferred | undefined,
  ): Promise<void> {
    if (isSilent(message.content)) return;
    const { reading } = readContent(message.content);
    const kind = STATUS_POST_KINDS.find((one) => one === reading.type);
    // reactions to statuses, polls and the like
    if (!kind) return this.#options.observer.notAdmitted('status');
    const { media, revoke } = reading.extra ?? {};
    if (revoke && message.fromMe) await this.#options.known.erase(session.clientId, revoke.targetId);
    const author = message.fromMe ? ownAuthor(session) : await this.#authorOf(session, message);
    const event: StatusPostEvent = {
      ...headOf(session, message),
      ...author,
      fromMe: message.fromMe,
      kind,
      body: reading.body,
      ...(media && { media }),
      ...(revoke
        ? { targetId: revoke.targetId }
        : { expiresAt: new Date(message.timestamp + DAY_MS).toISOString() }),
      ...(metaData && { meta: eventMeta(metaData) }),
    };
    const how = { origin: originOf(session, message), abandoned, written };
    await this.#options.announcements.statusPost(session, event, how);
  }

  async #authorOf({ clientId }: SessionRecord, message: IncomingMessage): Promise<Author> {
    const { contacts, retry } = this.#options;
    const { participant, participantAlt, pushName } = message;
    const person = personOf(participant, participantAlt);
    if (!person.lid && !person.pn) return { from: '', fromPhone: '', fromName: pushName };
    const news = { ...person, ...(pushName && { pushName }), source: 'message' };
    const contact = await retry.run(() => contacts.learn(clientId, news));
    return {
      from: contact.lid || contact.pn,
      fromPhone: contact.pn && `+${contact.pn}`,
      fromName: contact.name || contact.pushName,
    };
  }
}

function ownAuthor({ lid, pn, name }: SessionRecord): Author {
  return { from: lid || pn, fromPhone: pn && `+${pn}`, fromName: name };
}

function headOf({ clientId, orgId }: SessionRecord, message: IncomingMessage) {
  const timestamp = new Date(message.timestamp).toISOString();
  return {
    event: 'status.post',
    type: 'status_post',
    ...{ clientId, orgId, timestamp, messageId: message.messageId },
  } as const;
}
