import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { PN_SERVER } from '../../domain/address.js';
import { uploadEncrypted } from '../media/encryption.js';
import { HISTORY_FOLDER } from '../media/host.js';
import { saltOf } from '../people/tokens.js';
import type { Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { lengthDelimited } from '../wire/fields.js';
import { deviceJid, stanza } from '../wire/stanza.js';
import { historyParts } from './history.js';
import type { PhoneMemory } from './memory.js';
import { encryptFor } from './write.js';

const { Type } = proto.Message.ProtocolMessage;
/** Compressed bytes of a history part that fit into the message itself. */
const MAX_INLINE_BYTES = 32 * 1024;
/** The field of the salt in a history (whatsmeow `WAWebProtobufsHistorySync.proto`); the library's messages do not name it. */
const SALT_FIELD = 19;

/**
 * Sends a newly linked device the settings key and the history. A client waits up to twenty seconds for the history
 * before it shows messages.
 */
export async function greet(network: Network, phone: PhoneMemory, companion: Companion): Promise<void> {
  await sendPeer(network, phone, companion, keyShare(network, phone));
  for await (const part of history(network, phone)) await sendPeer(network, phone, companion, part);
  companion.record.isGreeted = true;
  companion.keep();
}

/** Sends a protocol message from the phone to one of its devices. */
export async function sendPeer(
  network: Network,
  phone: PhoneMemory,
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
  network.give(to, stanza('message', attrs, [await encryptFor(network, phone, to, { protocolMessage })]));
}

function keyShare(network: Network, phone: PhoneMemory): proto.Message.IProtocolMessage {
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

/** The phone's history. Small parts go into the message itself, larger ones through the media host. */
async function* history(
  network: Network,
  phone: PhoneMemory,
): AsyncGenerator<proto.Message.IProtocolMessage> {
  for (const part of historyParts(network, phone)) {
    const salt = part.chunkOrder === 1 ? lengthDelimited(SALT_FIELD, saltOf(phone.account)) : Buffer.alloc(0);
    yield historyMessage(network, part, { salt });
  }
}

/** The message that carries a part of the history. @param request id of the request that it answers */
export async function historyMessage(
  network: Network,
  part: proto.IHistorySync,
  { salt = Buffer.alloc(0), request = null }: { salt?: Buffer; request?: string | null } = {},
): Promise<proto.Message.IProtocolMessage> {
  const { syncType = null, chunkOrder = null, progress = null } = part;
  const bytes = deflateSync(Buffer.concat([proto.HistorySync.encode(part).finish(), salt]));
  const content =
    bytes.length <= MAX_INLINE_BYTES
      ? { initialHistBootstrapInlinePayload: bytes }
      : await upload(network, bytes);
  const about = { syncType, chunkOrder, progress, peerDataRequestSessionId: request };
  return { type: Type.HISTORY_SYNC_NOTIFICATION, historySyncNotification: { ...about, ...content } };
}

async function upload(network: Network, bytes: Buffer): Promise<proto.Message.IHistorySyncNotification> {
  const { size, ...rest } = await uploadEncrypted(network.media.blobs, bytes, 'history', HISTORY_FOLDER);
  return { ...rest, fileLength: size };
}
