import type { Forwarding, SendAnswer, Starring } from '../../../contract/index.js';
import { formatJid } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason } from '../../../domain/reasons.js';
import { composeForward } from '../../kinds/forward.js';
import { type LiveLinks, requirePaired, type SessionSource } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import { type EarlierMessages, referenceToNamed, requirePresent } from '../sending/references.js';
import type { Sends } from '../sending/send.js';

const FORWARD_ROUTE = '/forward-message';

/**
 * Forwards and stars earlier messages. All methods throw session_unknown, session_unpaired, recipient_unknown, message_unknown,
 * message_deleted.
 */
export class MessageActions {
  readonly #options;

  constructor(options: {
    sessions: SessionSource;
    liveLinks: LiveLinks;
    contacts: Contacts;
    earlier: EarlierMessages;
    sends: Pick<Sends, 'run'>;
  }) {
    this.#options = options;
  }

  /**
   * Sends the copy like any message: it is recorded, resumed after a crash, and announced.
   * @param idempotencyKey as for `Sends.send`
   * @throws as `Sends.send`, and target_not_forwardable
   */
  forward(forwarding: Forwarding, idempotencyKey?: string, gone?: AbortSignal): Promise<SendAnswer> {
    const { clientId, to, from, messageId, metaData } = forwarding;
    return this.#options.sends.run(
      {
        route: FORWARD_ROUTE,
        payload: { clientId, to, ...(metaData && { metaData }) },
        request: forwarding,
        compose: () => this.#copyOf(clientId, from, messageId),
        answer: () => ({ targetId: messageId }),
      },
      idempotencyKey,
      gone,
    );
  }

  /** Stars or unstars a message on the account's own devices. @throws app_state_rejected, target_author_unknown */
  async star({ clientId, to, messageId, starred }: Starring): Promise<void> {
    const { sessions, liveLinks, contacts, earlier } = this.#options;
    const session = requirePaired(sessions, clientId);
    const link = await liveLinks.of(session);
    const chat = await contacts.resolve(clientId, to, link);
    const known = requirePresent(await earlier.findIn(session, chat, messageId, 'messageId'), messageId);
    const message = referenceToNamed(session, chat, known, known, 'messageId');
    await link.changeChat({ type: 'star', chat: formatJid(chat), message, starred });
  }

  /** @throws GatewayError invalid_request, message_unknown, message_deleted, target_not_forwardable */
  async #copyOf(clientId: string, from: string, messageId: string) {
    const { sessions, liveLinks, contacts, earlier } = this.#options;
    const session = requirePaired(sessions, clientId);
    const chat = await liveLinks.withLink(session, (link) => contacts.resolve(clientId, from, link));
    const found = requirePresent(
      await earlier.findIn(session, chat, messageId, 'messageId', 'from'),
      messageId,
    );
    if (!found.content) throw contentUnknown(messageId);
    const raw = composeForward(found.content, found.fromMe);
    if (raw) return { content: { raw }, fileName: found.fileName };
    throw new GatewayError(
      'target_not_forwardable',
      `messageId: ${messageId} cannot be forwarded; texts, files, contacts and locations can be, unless they may be ` +
        'viewed once',
    );
  }
}

function contentUnknown(messageId: string): GatewayError {
  return new GatewayError('message_unknown', reason('content_unknown', { messageId }));
}
