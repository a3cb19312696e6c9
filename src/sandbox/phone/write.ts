import { proto } from '@whiskeysockets/baileys';
import type { Account } from '../account.js';
import type { WriteRequest } from '../api.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { devicesOf } from '../registry.js';
import { hand, type Parcel } from '../routing/fan-out.js';
import { CONTENTS } from './content/index.js';
import { deviceSent, encryptFor } from './encrypt.js';
import { describe } from './open-message.js';
import type { Phone } from './phone.js';

/**
 * A person writes a message: it is encrypted for every device of the partner and for the author's linked devices.
 * @returns its id.
 * @throws Refusal when the partner, a mention or the quoted message is not known.
 */
export async function writeMessage(network: Network, phone: Phone, request: WriteRequest): Promise<string> {
  const partner = network.registry.require(request.to);
  const { message, stanzaType } = compose(network, phone, request);
  const messageId = network.newMessageId();
  const author = { account: phone.account };
  const parcel: Parcel = { id: messageId, author, partner, type: stanzaType };
  const own = { messageId, author: phone.account, partner, phone, timestamp: network.now() };
  phone.hold(describe(network, message, own));
  await sendToAll(network, phone, parcel, message);
  return messageId;
}

async function sendToAll(
  network: Network,
  phone: Phone,
  parcel: Parcel,
  message: proto.IMessage,
): Promise<void> {
  const { partner } = parcel;
  const echo = deviceSent(partner, message);
  const others = partner === phone.account ? [] : devicesOf(partner);
  for (const to of others) {
    hand(network, parcel, { to, enc: await encryptFor(network, phone, to, message) });
  }
  for (const companion of phone.account.companions.values()) {
    const to = { account: phone.account, companion };
    hand(network, parcel, { to, enc: await encryptFor(network, phone, to, echo) });
  }
}

function compose(network: Network, phone: Phone, request: WriteRequest) {
  const contextInfo = composeContext(network, phone, request);
  for (const content of CONTENTS) {
    const message = content.compose(request, contextInfo);
    if (message) return { message, stanzaType: content.stanzaType };
  }
  throw new Refusal(400, 'the message has no content');
}

function composeContext(
  network: Network,
  phone: Phone,
  request: WriteRequest,
): proto.IContextInfo | undefined {
  const { quotedMessageId, mentions = [], forwarded } = request;
  const info: proto.IContextInfo = {
    ...(quotedMessageId !== undefined && quote(network, phone, quotedMessageId)),
    ...(mentions.length > 0 && { mentionedJid: mentions.map((number) => jidOf(network, number)) }),
    ...(forwarded && { isForwarded: true, forwardingScore: 1 }),
  };
  return Object.keys(info).length > 0 ? info : undefined;
}

function quote(network: Network, phone: Phone, messageId: string): proto.IContextInfo {
  const quoted = phone.held.get(messageId);
  if (!quoted) throw new Refusal(404, `the phone holds no message ${messageId}`);
  return {
    stanzaId: messageId,
    participant: jidOf(network, quoted.from),
    quotedMessage: proto.Message.decode(quoted.source),
  };
}

function jidOf(network: Network, number: string): string {
  const account: Account = network.registry.require(number);
  return account.jid(network.addressing);
}
