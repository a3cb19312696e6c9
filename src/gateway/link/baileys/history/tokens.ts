import { isLidUser, isPnUser, jidNormalizedUser, proto, type SignalKeyStore } from '@whiskeysockets/baileys';
import type { LinkKeys } from '../../link.js';
import { makeKeyStore } from '../keys.js';
import { keepSalt, storeTokens } from '../privacy-tokens.js';
import { type Field, FieldReader } from './fields.js';

/** Numbers of the fields of a history (whatsmeow `WAWebProtobufsHistorySync.proto`). */
const CONVERSATIONS_FIELD = 2;
const MAPPINGS_FIELD = 15;
const SALT_FIELD = 19;
/** Numbers of the fields of a conversation. */
const CONVERSATION = { id: 1, token: 21, timestamp: 22, senderTimestamp: 28, pn: 39, lid: 42 } as const;
/** Bytes of a token, a salt, a jid or the mapping of one person; longer ones are ignored. */
const MAX_BYTES = 4 * 1024;
/** The trusted-contact tokens of one chat; times in seconds since the epoch. */
interface ChatToken {
  /** The addresses of the person. */
  jids: string[];
  token: Buffer;
  timestamp: number;
  /** When the own account last issued a token to the person; 0 when it never did. */
  senderTimestamp: number;
}

/** The privacy tokens in a part of the history. */
interface PrivacyState {
  chats: ChatToken[];
  /** LIDs by number jid. */
  lids: Map<string, string>;
  /** The account's salt for first contacts. */
  salt: Buffer | undefined;
}

/**
 * Keeps the trusted-contact tokens of a part of the history in the library's own form, by LID. Without the token of a
 * person, WhatsApp refuses the messages of a restricted account even in old chats (463; whatsmeow `tctoken.go`).
 */
export async function keepTokens(keys: LinkKeys, pieces: AsyncIterable<Buffer>): Promise<void> {
  const { chats, lids, salt } = await readPrivacyState(pieces);
  if (salt) await keepSalt(keys, salt);
  if (chats.length === 0) return;
  const store = makeKeyStore(keys, () => undefined);
  const known = await knownLids(store, chats, lids);
  const fresh = chats.map(({ token, timestamp, senderTimestamp, ...chat }) => {
    const entry = { token, timestamp: String(timestamp), ...(senderTimestamp > 0 && { senderTimestamp }) };
    return [ownerOf(chat, known), entry] as const;
  });
  await storeTokens(store, new Map(fresh));
}

/** The jid under which the library looks up a person's token: the LID if known. */
function ownerOf({ jids }: Pick<ChatToken, 'jids'>, lids: ReadonlyMap<string, string>): string {
  const lid = jids.find((jid) => isLidUser(jid)) ?? jids.flatMap((jid) => lids.get(jid) ?? [])[0];
  return lid ?? jids[0] ?? '';
}

/** LIDs by number jid: those of the part, and those that the library knows. */
async function knownLids(
  { get }: SignalKeyStore,
  chats: readonly ChatToken[],
  lids: Map<string, string>,
): Promise<Map<string, string>> {
  const missing = chats.flatMap(({ jids }) =>
    jids.filter((jid) => isPnUser(jid) && !lids.has(jid)).flatMap((jid) => jid.split('@')[0] ?? []),
  );
  const found = await get('lid-mapping', missing);
  for (const [user, lid] of Object.entries(found)) lids.set(`${user}@s.whatsapp.net`, `${lid}@lid`);
  return lids;
}

async function readPrivacyState(pieces: AsyncIterable<Buffer>): Promise<PrivacyState> {
  const reader = new FieldReader(pieces);
  const state: PrivacyState = { chats: [], lids: new Map(), salt: undefined };
  try {
    for (let field = await reader.next(); field; field = await reader.next()) {
      if (field.number === CONVERSATIONS_FIELD) await readChat(reader, field, state.chats);
      else if (field.number === SALT_FIELD && fits(field)) state.salt = await reader.take(field);
      else if (field.number === MAPPINGS_FIELD && fits(field)) noteLid(await reader.take(field), state.lids);
      else await reader.skip(field);
    }
  } finally {
    await reader.close();
  }
  return state;
}

async function readChat(reader: FieldReader, { length }: Field, chats: ChatToken[]): Promise<void> {
  const end = reader.position + length;
  const chat: ChatToken = { jids: [], token: Buffer.alloc(0), timestamp: 0, senderTimestamp: 0 };
  for (let field = await reader.next(end); field; field = await reader.next(end)) {
    const { number, value } = field;
    const bytes =
      value === undefined && fits(field) && isWanted(number) ? await reader.take(field) : undefined;
    if (number === CONVERSATION.timestamp) chat.timestamp = Number(value ?? 0);
    else if (number === CONVERSATION.senderTimestamp) chat.senderTimestamp = Number(value ?? 0);
    else if (number === CONVERSATION.token && bytes) chat.token = Buffer.from(bytes);
    else if (bytes) chat.jids.push(jidNormalizedUser(bytes.toString()));
    else if (value === undefined) await reader.skip(field);
  }
  chat.jids = chat.jids.filter((jid) => isLidUser(jid) || isPnUser(jid));
  if (chat.token.length > 0 && chat.timestamp > 0 && chat.jids.length > 0) chats.push(chat);
}

function isWanted(number: number): boolean {
  const { id, token, pn, lid } = CONVERSATION;
  return number === id || number === token || number === pn || number === lid;
}

function fits({ length }: Field): boolean {
  return length <= MAX_BYTES;
}

function noteLid(bytes: Buffer, lids: Map<string, string>): void {
  try {
    const { pnJid, lidJid } = proto.PhoneNumberToLIDMapping.decode(bytes);
    if (pnJid && lidJid) lids.set(jidNormalizedUser(pnJid), jidNormalizedUser(lidJid));
  } catch {
    // ignore a malformed mapping
  }
}
