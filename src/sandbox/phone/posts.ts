import { proto } from '@whiskeysockets/baileys';
import type { ChannelPost } from '../../contract/sandbox/index.js';
import type { Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { CHANNEL_SERVER, type Stanza, stanza } from '../wire/stanza.js';

const DEFAULT_CHANNEL = '120363000000000001';

/**
 * A channel that the person follows writes: not encrypted, to all linked devices of the person.
 * @returns the message's id
 */
export function postInChannel(
  network: Network,
  { companions }: { companions: ReadonlyMap<number, Companion> },
  { text, channel = DEFAULT_CHANNEL }: ChannelPost,
): string {
  const id = network.newMessageId();
  const attrs = { id, from: `${channel}${CHANNEL_SERVER}`, type: 'text', t: String(network.now()) };
  const plain: Stanza = stanza('plaintext', {}, encodeChannelPost(text));
  for (const { mailbox } of companions.values()) {
    mailbox.push(stanza('message', { ...attrs, server_id: String(network.now()) }, [plain]));
  }
  return id;
}

/** Without the padding of encrypted messages. */
function encodeChannelPost(text: string): Uint8Array {
  return proto.Message.encode({ conversation: text }).finish();
}
