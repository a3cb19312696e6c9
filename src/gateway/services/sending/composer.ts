import { type Address, formatJid, STATUS_JID } from '../../../domain/address.js';
import type { Clock } from '../../../domain/clock.js';
import { isGatewayError } from '../../../domain/errors.js';
import type { ComposeContext } from '../../kinds/kind.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { LiveLinks } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import type { SendPolicies } from '../policies/send-policies.js';
import { type ComposedMessage, type Send, textIn } from './job.js';
import type { OwnMessage } from './own-message.js';
import { type EarlierMessages, quote, targetContext } from './references.js';

/** A composed message that has not left, perhaps with a file on this machine's disk. */
export type Draft = OwnMessage & Pick<ComposedMessage, 'discard'>;

/** Removes the file of a message whose send has ended. Never rejects. */
export async function discardFile(clientId: string, { discard }: Draft, log: Logger): Promise<void> {
  await discard?.().catch((err: unknown) => log.warn({ err, clientId }, 'sent file not removed'));
}

/** Makes the message of a request: finds its recipient, the people and the messages that it names. */
export class Composer {
  readonly #options;

  constructor(options: {
    liveLinks: LiveLinks;
    contacts: Contacts;
    earlier: EarlierMessages;
    policies: Pick<SendPolicies, 'checkFirst' | 'checkShared'>;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /**
   * Finds every error of the request before anything is written.
   * @returns the message; `discardFile` must be called when its send has ended
   * @throws GatewayError as `LiveLinks.withLink`, and what the kind of the message throws
   */
  async compose(send: Send): Promise<Draft> {
    const { session, job, messageId } = send;
    const { quotedMessageId, metaData } = job.payload;
    const { earlier, clock, policies } = this.#options;
    if (job.channel) return this.#composePost(send, await job.channel(send.gone));
    if (job.audience && !job.target)
      await policies.checkShared(session, { to: STATUS_JID, text: textIn(job.payload) });
    const audience = await job.audience?.(send.gone);
    const recipient = audience ? undefined : await this.#recipientOf(send);
    const to = recipient ? formatJid(recipient) : STATUS_JID;
    const people = await this.#peopleIn(send);
    const now = clock.now();
    const context: ComposeContext = {
      ...{ chat: to, now },
      ...(job.target && recipient && (await targetContext(job.target, session, recipient, earlier, now))),
      mentionedJids: people.map(({ jid }) => jid),
    };
    const quoted =
      quotedMessageId && recipient ? await quote(quotedMessageId, session, recipient, earlier) : undefined;
    const users = new Map(people.map(({ mention, user }) => [mention, user]));
    const { content, fileName, discard } = await job.compose(context, (text) => renamed(text, users));
    return {
      ...{ messageId, to, content, text: textIn(job.payload), isChange: job.target !== undefined },
      ...(quoted && { quoted }),
      ...(metaData && { metaData }),
      ...(fileName && { fileName }),
      ...(discard && { discard }),
      ...(audience && { audience }),
    };
  }

  async #composePost({ session, job, messageId }: Send, to: string): Promise<Draft> {
    await this.#options.policies.checkShared(session, { to, text: textIn(job.payload) });
    const context = { chat: to, now: this.#options.clock.now(), mentionedJids: [] };
    const { content, fileName, discard } = await job.compose(context, (text) => text);
    return {
      ...{ messageId, to, content, text: textIn(job.payload), isChange: false },
      ...(fileName && { fileName }),
      ...(discard && { discard }),
    };
  }

  /** A message to somebody new may be refused before it is composed. */
  #recipientOf({ session, job, gone }: Send): Promise<Address> {
    const { contacts, liveLinks, policies } = this.#options;
    const { to, whenAllowed } = job.payload;
    const asked = { to, text: textIn(job.payload), whenAllowed };
    return liveLinks.withLink(
      session,
      async (link) => {
        if (!job.target) await policies.checkFirst(session, asked, link);
        return contacts.resolve(session.clientId, to, link);
      },
      gone,
    );
  }

  /** The people that a message mentions, in their order. @returns `mention`: the user-part that the caller wrote */
  async #peopleIn({ session, job, gone }: Send): Promise<{ mention: string; user: string; jid: string }[]> {
    const { contacts, liveLinks } = this.#options;
    const { mentions = [] } = job.payload;
    if (mentions.length === 0) return [];
    const find = (link: Link) =>
      Promise.all(mentions.map((mention) => findMentioned(session.clientId, mention, contacts, link)));
    const addresses = await liveLinks.withLink(session, find, gone);
    return addresses.map((address, index) => {
      const mention = userIn(mentions[index] ?? '');
      return { mention, user: address.user, jid: formatJid(address) };
    });
  }
}

/** The text with each `@<user-part>` of a mention as it is on the wire. @param users user-parts on the wire, by those of the caller */
function renamed(text: string, users: ReadonlyMap<string, string>): string {
  return text.replace(/@\+?(\d+)/g, (mention, user: string) => {
    const name = users.get(user);
    return name ? `@${name}` : mention;
  });
}

function userIn(mention: string): string {
  return mention.replace(/^\+/, '');
}

/**
 * The address of a mentioned person. A mention is a LID or phone digits (with or without `+`). An unknown address is looked
 * up; if the network does not know it either, it counts as a LID, so that the text is still sent.
 */
async function findMentioned(
  clientId: string,
  mention: string,
  contacts: Contacts,
  link: Link,
): Promise<Address> {
  const user = userIn(mention);
  const forms = mention.startsWith('+') ? [{ pn: user }] : [{ lid: user }, { pn: user }];
  for (const form of forms) {
    const contact = await contacts.find(clientId, form);
    if (contact) return addressOf(contact);
  }
  for (const form of forms) {
    const to = form.pn ? `+${user}` : user;
    const address = await contacts.resolve(clientId, to, link).catch((error: unknown) => {
      if (isUnknown(error, link)) return undefined;
      throw error;
    });
    if (address) return address;
  }
  return mention.startsWith('+') ? { kind: 'pn', user } : { kind: 'lid', user };
}

/** True if the person is unknown, which must not prevent the send; false for a look-up that failed because the link ended, which is repeated. */
function isUnknown(error: unknown, link: Link): boolean {
  return (
    isGatewayError(error, 'recipient_unknown') || (isGatewayError(error, 'lookup_failed') && link.isUp())
  );
}

function addressOf(contact: { lid: string; pn: string }): Address {
  return contact.lid ? { kind: 'lid', user: contact.lid } : { kind: 'pn', user: contact.pn };
}
