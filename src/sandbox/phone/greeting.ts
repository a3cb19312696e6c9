import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { PN_SERVER } from '../../domain/address.js';
import type { Companion } from '../companion.js';
import { deposit } from '../media/deposit.js';
import type { Network } from '../network.js';
import { give } from '../routing/fan-out.js';
import { deviceJid } from '../wire/jid.js';
import { stanza } from '../wire/stanza.js';
import { encryptFor } from './encrypt.js';
import { historyParts } from './history.js';
import type { Phone } from './phone.js';

const { Type } = proto.Message.ProtocolMessage;
/** Compressed bytes of a history that still travel in a message. */
const MAX_INLINE_BYTES = 32 * 1024;

/**
 * What a phone tells a device that it has just linked: the key of the settings that they share, and its history.
 * Without the history a client waits for it for twenty seconds, and shows what it gets only then.
 */
export async function greet(network: Network, phone: Phone, companion: Companion): Promise<void> {
  await sendPeer(network, phone, companion, keyShare(network, phone));
  for await (const part of history(network, phone)) await sendPeer(network, phone, companion, part);
  companion.record.isGreeted = true;
  companion.keep();
}

/** A message of the protocol's own, from the phone to one of its devices. */
async function sendPeer(
  network: Network,
  phone: Phone,
  companion: Companion,
  protocolMessage: proto.Message.IProtocolMessage,
): Promise<void> {
  const to = { account: phone.account, companion };
  const attrs = {
    id: network.newMessageId(),
    from: deviceJid(phone.account.pn, PN_SERVER),
    category: 'peer',
    type: 'text',
    t: String(network.now()),
  };
  give(network, to, stanza('message', attrs, [await encryptFor(network, phone, to, { protocolMessage })]));
}

function keyShare(network: Network, phone: Phone): proto.Message.IProtocolMessage {
  const { id, key } = phone.account.record.appStateKey;
  const keyData = {
    keyData: key,
    fingerprint: { rawId: phone.account.record.keys.registrationId, currentIndex: 0, deviceIndexes: [0] },
    timestamp: network.clock.now(),
  };
  return {
    type: Type.APP_STATE_SYNC_KEY_SHARE,
    appStateSyncKeyShare: { keys: [{ keyId: { keyId: id }, keyData }] },
  };
}

/** The phone's past. Small parts travel in the message itself, larger ones by way of the media host. */
async function* history(network: Network, phone: Phone): AsyncGenerator<proto.Message.IProtocolMessage> {
  for (const part of historyParts(network, phone)) {
    const { syncType = null, chunkOrder = null, progress = null } = part;
    const bytes = deflateSync(proto.HistorySync.encode(part).finish());
    const content =
      bytes.length <= MAX_INLINE_BYTES
        ? { initialHistBootstrapInlinePayload: bytes }
        : await upload(network, bytes);
    yield {
      type: Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { syncType, chunkOrder, progress, ...content },
    };
  }
}

async function upload(network: Network, bytes: Buffer): Promise<proto.Message.IHistorySyncNotification> {
  const { size, ...rest } = await deposit(network.blobs, bytes, 'history', 'md-msg-hist');
  return { ...rest, fileLength: size };
}
