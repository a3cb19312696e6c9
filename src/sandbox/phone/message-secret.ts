import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { proto } from '@whiskeysockets/baileys';

const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** A content that is encrypted with the secret of the message that it refers to. */
export interface Sealed {
  encPayload: Uint8Array;
  encIv: Uint8Array;
}

/** The inputs of the key; the jids have no device. */
export interface SealContext {
  /** The target's message secret. */
  secret: Uint8Array;
  targetId: string;
  targetAuthor: string;
  sender: string;
  /** `Poll Vote`, `Message Edit`, … */
  useCase: string;
  /** Authenticated beside the content. */
  authenticated?: string;
}

/** The 32 random bytes of a message, from which keys for later votes and edits are derived. */
export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** The secret of a message; undefined when it has none. */
export function secretOf(message: { source: Buffer }): Uint8Array | undefined {
  const { messageContextInfo } = proto.Message.decode(message.source);
  return messageContextInfo?.messageSecret ?? undefined;
}

export function seal(plain: Uint8Array, context: SealContext): Sealed {
  const encIv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, cipherKey(context), encIv);
  cipher.setAAD(Buffer.from(context.authenticated ?? ''));
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { encPayload, encIv };
}

/** Undefined when the content was encrypted in another context. */
export function openSealed(
  sealed: { encPayload?: Uint8Array | null; encIv?: Uint8Array | null } | null | undefined,
  context: SealContext,
): Buffer | undefined {
  const { encPayload, encIv } = sealed ?? {};
  if (!encPayload || encIv?.length !== IV_BYTES || encPayload.length < TAG_BYTES) return undefined;
  const body = encPayload.subarray(0, -TAG_BYTES);
  const decipher = createDecipheriv(CIPHER, cipherKey(context), encIv);
  decipher.setAAD(Buffer.from(context.authenticated ?? ''));
  decipher.setAuthTag(encPayload.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(body), decipher.final()]);
  } catch {
    return undefined;
  }
}

function cipherKey({ secret, targetId, targetAuthor, sender, useCase }: SealContext): Buffer {
  const use = Buffer.from(`${targetId}${targetAuthor}${sender}${useCase}`);
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), use, KEY_BYTES));
}
