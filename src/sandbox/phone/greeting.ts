import { deflateSync } from 'node:zlib';
import { proto } from '@whiskeysockets/baileys';
import { PN_SERVER } from '../../domain/address.js';
import type { Companion } from '../companion.js';
import type { Network } from '../network.js';
import { give } from '../routing/fan-out.js';
import { deviceJid } from '../wire/jid.js';
import { stanza } from '../wire/stanza.js';
import { encryptFor } from './encrypt.js';
import type { Phone } from './phone.js';

const { Type } = proto.Message.ProtocolMessage;

/**
 * What a phone tells a device that it has just linked: the key of the settings that they share, and its history.
 * Without the history a client waits for it for twenty seconds, and shows what it gets only then.
 */
export async function greet(network: Network, phone: Phone, companion: Companion): Promise<void> {
  await sendPeer(network, phone, companion, keyShare(network, phone));
  await sendPeer(network, phone, companion, history(network, phone));
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

/** No old messages, but who is behind the hidden ids of the phone's chats. */
function history(network: Network, phone: Phone): proto.Message.IProtocolMessage {
  const partners = [...phone.partners].flatMap((pn) => network.registry.byPn(pn) ?? []);
  const { INITIAL_BOOTSTRAP } = proto.HistorySync.HistorySyncType;
  const content = proto.HistorySync.encode({
    syncType: INITIAL_BOOTSTRAP,
    chunkOrder: 1,
    progress: 100,
    phoneNumberToLidMappings: partners.map((partner) => ({
      pnJid: partner.jid('pn'),
      lidJid: partner.jid('lid'),
    })),
  }).finish();
  return {
    type: Type.HISTORY_SYNC_NOTIFICATION,
    historySyncNotification: {
      syncType: INITIAL_BOOTSTRAP,
      chunkOrder: 1,
      progress: 100,
      initialHistBootstrapInlinePayload: deflateSync(content),
    },
  };
}
