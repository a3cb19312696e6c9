import { type Address, formatJid } from '../../domain/address.js';
import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { messageIdForKey, newMessageId } from '../../domain/ids.js';
import { LIMITS } from '../../domain/limits.js';
import type { KindSend, SendPayload } from '../../kinds/kind.js';
import type { Link, LinkFactory, QuotedReference, SentMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { Receiver } from '../receive/receive.js';
import type { SendAnswer, Sending } from '../services.js';
import type { Session } from '../sessions/session.js';
import { OncePerKey } from './idempotency.js';
import { mentionedJids } from './mentions.js';

/** What is counted on the way. */
export interface SendObserver {
  sent(route: string): void;
  sendFailed(code: string): void;
}

export interface SenderOptions {
  sessions: { find(clientId: string): Session };
  store: Pick<Store, 'sends' | 'idempotency'>;
  links: Pick<LinkFactory, 'decode'>;
  contacts: Contacts;
  receiver: Pick<Receiver, 'echo'>;
  observer: SendObserver;
  clock: Clock;
  log: Logger;
}

/** Sends messages of any kind: truthfully, and once for each idempotency key. */
export class Sender implements Sending {
  readonly #options: SenderOptions;
  readonly #once: OncePerKey;

  constructor(options: SenderOptions) {
    this.#options = options;
    this.#once = new OncePerKey(options.store.idempotency, options.clock);
  }

  async send(kind: KindSend, payload: SendPayload, idempotencyKey?: string): Promise<SendAnswer> {
    const session = this.#requirePaired(payload.clientId);
    try {
      if (idempotencyKey === undefined) return await this.#sendAs(newMessageId(), session, kind, payload);
      const messageId = messageIdForKey(session.clientId, idempotencyKey);
      const request = {
        clientId: session.clientId,
        key: idempotencyKey,
        route: kind.path,
        payload,
        messageId,
      };
      return await this.#once.run(request, () => this.#sendAs(messageId, session, kind, payload));
    } catch (error) {
      const code = error instanceof GatewayError ? error.code : 'unexpected';
      this.#options.observer.sendFailed(code);
      throw error;
    }
  }

  async #sendAs(
    messageId: string,
    session: Session,
    kind: KindSend,
    payload: SendPayload,
  ): Promise<SendAnswer> {
    const { clientId } = session;
    const link = await requireLink(session);
    const recipient = await this.#options.contacts.resolve(clientId, payload.to, link);
    const mentioned = await mentionedJids(clientId, payload.mentions ?? [], this.#options.contacts, link);
    const to = formatJid(recipient);
    const sent = await link.send({
      to,
      messageId,
      content: kind.compose(payload, { mentionedJids: mentioned }),
      ...(payload.quotedMessageId && {
        quoted: await this.#quote(session, recipient, payload.quotedMessageId),
      }),
      beforeSend: (encoded) => this.#writeDown(clientId, { messageId, to, encoded, payload }),
    });
    this.#echo(session, to, sent, payload);
    this.#options.observer.sent(kind.path);
    return { status: 'sent', messageId };
  }

  #requirePaired(clientId: string): Session {
    const session = this.#options.sessions.find(clientId);
    if (session.isPaired) return session;
    const message = `${clientId} is not paired (status ${session.record.status}); pair it first`;
    throw new GatewayError('session_unpaired', message);
  }

  /** The message that is answered, as far as it is kept; an unknown id is sent all the same. */
  async #quote(session: Session, recipient: Address, messageId: string): Promise<QuotedReference> {
    const own = await this.#options.store.sends.get(session.clientId, messageId);
    if (own) {
      const content = this.#options.links.decode(own.content);
      return { messageId, fromMe: true, participant: ownJid(session), content };
    }
    const participant = recipient.kind === 'group' ? undefined : formatJid(recipient);
    return { messageId, fromMe: false, ...(participant && { participant }), content: {} };
  }

  async #writeDown(
    clientId: string,
    send: { messageId: string; to: string; encoded: Uint8Array; payload: SendPayload },
  ): Promise<void> {
    await this.#options.store.sends.put(clientId, {
      messageId: send.messageId,
      to: send.to,
      content: send.encoded,
      metaData: send.payload.metaData ? JSON.stringify(send.payload.metaData) : '',
      sentAt: this.#options.clock.now(),
      acknowledged: false,
    });
  }

  /** The network has it: tell the receiver. */
  #echo(session: Session, to: string, sent: SentMessage, payload: SendPayload): void {
    const echo = {
      messageId: sent.messageId,
      chat: to,
      fromMe: true,
      ...(ownJid(session) && { participant: ownJid(session) }),
      pushName: session.record.name,
      timestamp: sent.sentAt,
      content: sent.content,
      journalIds: [],
      offline: false,
    };
    this.#options.receiver.echo(session.record, echo, payload.metaData);
  }
}

async function requireLink(session: Session): Promise<Link> {
  const link = await session.connected(LIMITS.connectionWaitMs);
  if (link) return link;
  const why = session.record.statusReason || 'still connecting';
  throw new GatewayError(
    'send_not_connected',
    `nothing was sent: the session is not connected (${why}); retry`,
  );
}

function ownJid({ record }: Session): string {
  if (record.lid) return formatJid({ kind: 'lid', user: record.lid });
  return record.pn ? formatJid({ kind: 'pn', user: record.pn }) : '';
}
