import { proto } from '@whiskeysockets/baileys';
import type { Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { historyMessage, sendPeer } from './greeting.js';
import { olderMessages, pastMessage } from './history.js';
import type { PhoneMemory } from './memory.js';

const { Type } = proto.Message.ProtocolMessage;
const { PLACEHOLDER_MESSAGE_RESEND, HISTORY_SYNC_ON_DEMAND } = proto.Message.PeerDataOperationRequestType;

/** A linked device asks the phone for messages that the device could not read, or for older ones. */
export interface ResendRequest {
  /** Id of the message that carries the request. */
  requestId: string;
  companion: Companion;
  request: proto.Message.IPeerDataOperationRequestMessage;
}

/** The request in a message between devices of one account; undefined when it asks for no messages: phones ignore others. */
export function resendRequestIn(message: proto.IMessage): ResendRequest['request'] | undefined {
  const request = message.protocolMessage?.peerDataOperationRequestMessage ?? undefined;
  const type = request?.peerDataOperationRequestType;
  return type === PLACEHOLDER_MESSAGE_RESEND || type === HISTORY_SYNC_ON_DEMAND ? request : undefined;
}

/** Sends the messages that the phone holds; for others the result is empty (whatsapp-rust `pdo.rs`). */
export async function answerResend(
  network: Network,
  phone: PhoneMemory,
  { requestId, companion, request }: ResendRequest,
): Promise<void> {
  if (request.historySyncOnDemandRequest) {
    const part = olderMessages(network, phone, request.historySyncOnDemandRequest);
    await sendPeer(network, phone, companion, await historyMessage(network, part, { request: requestId }));
    return;
  }
  const results = (request.placeholderMessageResendRequest ?? []).map(({ messageKey }) => {
    const stored = phone.messages.get(messageKey?.id ?? '');
    if (!stored) return {};
    const webMessageInfoBytes = proto.WebMessageInfo.encode(pastMessage(network, phone, stored)).finish();
    return { placeholderMessageResendResponse: { webMessageInfoBytes } };
  });
  await sendPeer(network, phone, companion, {
    type: Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
    peerDataOperationRequestResponseMessage: {
      peerDataOperationRequestType: PLACEHOLDER_MESSAGE_RESEND,
      stanzaId: requestId,
      peerDataOperationResult: results,
    },
  });
}
