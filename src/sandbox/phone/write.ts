import type { proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { WriteRequest } from '../api.js';
import type { Chat } from '../chat.js';
import { Group } from '../groups/group.js';
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
import { requireWriter, sendToGroup } from './write-group.js';

/**
 * A person writes a message: it is encrypted for every device of the partner and for the author's linked devices.
 * @returns its id.
 * @throws Refusal when the partner, a mention or a message that it is about is not known.
 */
export async function writeMessage(network: Network, phone: Phone, request: WriteRequest): Promise<string> {
  const partner = network.requireChat(request.to);
  const wanted = { ...request, ...expiryOf(partner, request) };
  const contextInfo = composeContext(network, phone, wanted);
  const composed = await compose(wanted, { network, phone, partner, contextInfo });
  const message = seal(composed.message, wanted);
  const { shape } = composed;
  if (partner instanceof Group) requireWriter(partner, phone.account, shape);
  const messageId = network.newMessageId();
  const parcel = { id: messageId, author: { account: phone.account }, ...parcelShape(shape) };
  const own = { messageId, author: phone.account, partner, phone, timestamp: network.now(), shape };
  phone.take(interpret(network, message, own));
  if (partner instanceof Group)
    await sendToGroup(network, phone, { ...parcel, chat: partner }, message, shape);
  else await sendToPerson(network, phone, { ...parcel, chat: partner }, message, shape);
  return messageId;
}

/** What a stanza's shape means for its way through the network. */
export function parcelShape({ type, attrs, extras }: StanzaShape): Pick<Parcel, 'type' | 'attrs' | 'extras'> {
  return { type, ...(attrs && { attrs }), ...(extras && { extras }) };
}

async function sendToPerson(
  network: Network,
  phone: Phone,
  parcel: Parcel & { chat: Account },
  message: proto.IMessage,
  { enc: encAttrs }: StanzaShape,
): Promise<void> {
  const { chat: partner } = parcel;
  const echo = deviceSent(partner, message);
  const others = partner === phone.account ? [] : devicesOf(partner);
  for (const to of others) {
    hand(network, parcel, { to, encs: [await encryptFor(network, phone, to, message, { attrs: encAttrs })] });
  }
  for (const companion of phone.account.companions.values()) {
    const to = { account: phone.account, companion };
    hand(network, parcel, { to, encs: [await encryptFor(network, phone, to, echo, { attrs: encAttrs })] });
  }
}

/** In a group that lets messages disappear they do so unless the person wants another time. */
function expiryOf(chat: Chat, { ephemeral }: WriteRequest): Pick<WriteRequest, 'ephemeral'> {
  const usual = chat instanceof Group ? chat.record.ephemeral : 0;
  return ephemeral === undefined && usual > 0 ? { ephemeral: usual } : {};
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
