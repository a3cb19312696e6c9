import type { proto } from '@whiskeysockets/baileys';
import type { WriteRequest } from '../api.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { devicesOf } from '../registry.js';
import { hand, type Parcel } from '../routing/fan-out.js';
import type { Composed, StanzaShape, Writing } from './content/content.js';
import { WRITERS } from './content/index.js';
import { composeContext } from './context-info.js';
import { deviceSent, encryptFor } from './encrypt.js';
import { interpret } from './interpret.js';
import { newSecret } from './message-secret.js';
import type { Phone } from './phone.js';

/**
 * A person writes a message: it is encrypted for every device of the partner and for the author's linked devices.
 * @returns its id.
 * @throws Refusal when the partner, a mention or a message that it is about is not known.
 */
export async function writeMessage(network: Network, phone: Phone, request: WriteRequest): Promise<string> {
  const partner = network.registry.require(request.to);
  const contextInfo = composeContext(network, phone, request);
  const composed = await compose(request, { network, phone, partner, contextInfo });
  const message = seal(composed.message, request);
  const { shape } = composed;
  const messageId = network.newMessageId();
  const author = { account: phone.account };
  const own = { messageId, author: phone.account, partner, phone, timestamp: network.now(), shape };
  phone.take(interpret(network, message, own));
  await sendToAll(network, phone, { id: messageId, author, partner, ...parcelShape(shape) }, message, shape);
  return messageId;
}

/** What a stanza's shape means for its way through the network. */
export function parcelShape({ type, attrs, extras }: StanzaShape): Pick<Parcel, 'type' | 'attrs' | 'extras'> {
  return { type, ...(attrs && { attrs }), ...(extras && { extras }) };
}

async function sendToAll(
  network: Network,
  phone: Phone,
  parcel: Parcel,
  message: proto.IMessage,
  { enc: encAttrs }: StanzaShape,
): Promise<void> {
  const { partner } = parcel;
  const echo = deviceSent(partner, message);
  const others = partner === phone.account ? [] : devicesOf(partner);
  for (const to of others) {
    hand(network, parcel, { to, enc: await encryptFor(network, phone, to, message, { attrs: encAttrs }) });
  }
  for (const companion of phone.account.companions.values()) {
    const to = { account: phone.account, companion };
    hand(network, parcel, { to, enc: await encryptFor(network, phone, to, echo, { attrs: encAttrs }) });
  }
}

async function compose(request: WriteRequest, writing: Writing): Promise<Composed> {
  for (const { compose: tryToCompose } of WRITERS) {
    const composed = await tryToCompose(request, writing);
    if (composed) return composed;
  }
  throw new Refusal(400, 'the message has no content');
}

/** Every message has a secret, with which votes, edits and the like are sealed later; some disappear. */
function seal(content: proto.IMessage, { ephemeral }: WriteRequest): proto.IMessage {
  const { messageContextInfo, ...message } = content;
  return {
    ...(ephemeral === undefined ? message : { ephemeralMessage: { message } }),
    messageContextInfo: { messageSecret: newSecret(), ...messageContextInfo },
  };
}
