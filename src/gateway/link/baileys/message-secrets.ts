import { hkdfSync } from 'node:crypto';
import { aesDecryptGCM, jidNormalizedUser, proto } from '@whiskeysockets/baileys';
import type { OpenedSecret, SecretContent } from '../link.js';

const KEY_BYTES = 32;
const NO_SALT = Buffer.alloc(0);
const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
const { SecretEncType } = proto.Message.SecretEncryptedMessage;

interface Sealed {
  encPayload?: Uint8Array | null;
  encIv?: Uint8Array | null;
}

/** A kind of content that is encrypted with a message's secret. */
interface Use {
  /** Part of the key derivation. */
  name: string;
  /** The additional data holds the target's id and the author. */
  bound?: true;
  sealed(content: proto.IMessage): Sealed | null | undefined;
  read(plain: Uint8Array, content: proto.IMessage): OpenedSecret;
}

const USES: readonly Use[] = [
  {
    name: 'Poll Vote',
    bound: true,
    sealed: ({ pollUpdateMessage }) => pollUpdateMessage?.vote,
    read: (plain) => {
      const { selectedOptions } = proto.Message.PollVoteMessage.decode(plain);
      return { type: 'vote', selectedHashes: (selectedOptions ?? []).map(hex) };
    },
  },
  {
    name: 'Message Edit',
    sealed: ({ secretEncryptedMessage: sealed }) =>
      sealed?.secretEncType === SecretEncType.MESSAGE_EDIT ? sealed : undefined,
    read: readEdit,
  },
  {
    name: 'Event Edit',
    sealed: ({ secretEncryptedMessage: sealed }) =>
      sealed?.secretEncType === SecretEncType.EVENT_EDIT ? sealed : undefined,
    read: readEdit,
  },
  {
    name: 'Enc Reaction',
    sealed: ({ encReactionMessage }) => encReactionMessage,
    read: (plain, { encReactionMessage }) => {
      const reactionMessage = proto.Message.ReactionMessage.decode(plain);
      // the target's key is outside of the ciphertext, so that the network knows whom to notify
      reactionMessage.key = encReactionMessage?.targetMessageKey ?? reactionMessage.key;
      return { type: 'message', content: { reactionMessage } };
    },
  },
];

/**
 * Decrypts a content with the secret of its target. The key is derived from the addresses of both authors. Each has two
 * addresses, so all combinations are tried; a wrong one cannot decrypt.
 */
export function openSecret(secret: SecretContent): OpenedSecret | undefined {
  const content: proto.IMessage = secret.content;
  const use = USES.find(({ sealed }) => sealed(content));
  if (!use) return undefined;
  for (const targetAuthor of secret.targetAuthors.map(jidNormalizedUser)) {
    for (const author of secret.authors.map(jidNormalizedUser)) {
      const opened = openAs(use, secret, targetAuthor, author);
      if (opened) return opened;
    }
  }
  return undefined;
}

function openAs(
  use: Use,
  { content, targetId, secret }: SecretContent,
  targetAuthor: string,
  author: string,
): OpenedSecret | undefined {
  const { encPayload, encIv } = use.sealed(content) ?? {};
  if (!encPayload || !encIv) return undefined;
  const purpose = Buffer.from(targetId + targetAuthor + author + use.name);
  const key = Buffer.from(hkdfSync('sha256', secret, NO_SALT, purpose, KEY_BYTES));
  const bond = Buffer.from(use.bound ? `${targetId}\0${author}` : '');
  try {
    return use.read(aesDecryptGCM(encPayload, key, encIv, bond), content);
  } catch {
    // wrong pair of addresses, or malformed content
    return undefined;
  }
}

/** An edit in the form of unencrypted edits, whatever its encrypted form was. */
function readEdit(plain: Uint8Array, { secretEncryptedMessage }: proto.IMessage): OpenedSecret {
  const decrypted = proto.Message.decode(plain);
  const inner = decrypted.editedMessage?.message ?? decrypted;
  const protocolMessage = {
    type: MESSAGE_EDIT,
    timestampMs: inner.protocolMessage?.timestampMs ?? null,
    key: secretEncryptedMessage?.targetMessageKey ?? inner.protocolMessage?.key ?? null,
    editedMessage: inner.protocolMessage?.editedMessage ?? inner,
  };
  return { type: 'message', content: { protocolMessage } };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
