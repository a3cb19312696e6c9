import { createHmac } from 'node:crypto';
import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isLidUser,
  isPnUser,
  jidDecode,
  jidNormalizedUser,
  type SignalDataTypeMap,
  type SignalKeyStore,
  type WASocket,
} from '@whiskeysockets/baileys';
import Joi from 'joi';
import type { Clock } from '../../../domain/clock.js';
import type { LinkKeys } from '../link.js';

/** Trusted-contact tokens live for 4 buckets of 7 days (whatsmeow `tctoken.go`). */
const BUCKET_S = 7 * 24 * 60 * 60;
const BUCKETS = 4;
/** The key family of the account's salt, and its only id. */
const SALT = { type: 'nct-salt', id: 'salt' } as const;

/** The library's family of privacy tokens, and its list of the people who have an entry. */
const TOKENS = 'tctoken';
const INDEX = '__index';
const TRUSTED = 'trusted_contact';

type TokenEntry = SignalDataTypeMap['tctoken'];

/** Stores the account's salt for first contacts. */
export function keepSalt(keys: LinkKeys, salt: Uint8Array): Promise<void> {
  return keys.commit({ keys: [{ ...SALT, value: salt }] });
}

/** Forgets the salt: the account no longer has one. */
export function forgetSalt(keys: LinkKeys): Promise<void> {
  return keys.commit({ keys: [{ ...SALT, value: null }] });
}

/** The privacy tokens of a message. */
export interface MessageTokens {
  /** Whether the library attaches the person's own token. */
  isTrusted: boolean;
  /** Elements to add. */
  nodes: BinaryNode[];
}

/**
 * The `<cstoken>` for a first message to a person of whom no valid trusted-contact token is known: HMAC-SHA256 of the
 * LID jid with the account's salt (whatsmeow `cstoken.go`, whatsapp-rust #433). The library attaches trusted-contact
 * tokens itself. No element for groups, for a person with a valid token, or without a salt or a LID.
 */
export async function messageTokens(
  sock: WASocket,
  keys: LinkKeys,
  clock: Clock,
  to: string,
): Promise<MessageTokens> {
  const owner = await ownerOf(sock, to);
  const isTrusted = owner !== undefined && (await holdsToken(sock, clock, owner));
  const salt = owner && !isTrusted ? (await keys.get(SALT.type, [SALT.id])).get(SALT.id) : undefined;
  if (!owner || !salt) return { isTrusted, nodes: [] };
  const content = createHmac('sha256', salt).update(owner).digest();
  return { isTrusted, nodes: [{ tag: 'cstoken', attrs: {}, content }] };
}

/** Whether a valid token of the person is stored. */
export async function isTrusted(sock: WASocket, clock: Clock, jid: string): Promise<boolean> {
  const owner = await knownOwnerOf(sock, jid);
  return owner !== undefined && holdsToken(sock, clock, owner);
}

/** The valid tokens of people, by their jids in the list; a person without one is left out. */
export async function tokensOf(
  sock: WASocket,
  clock: Clock,
  people: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const owners = await Promise.all(people.map(async (jid) => [jid, await knownOwnerOf(sock, jid)] as const));
  const known = owners.flatMap(([, owner]) => owner ?? []);
  const entries = await sock.authState.keys.get(TOKENS, known);
  const valid = owners.flatMap(([jid, owner = '']) => {
    const { [owner]: held } = entries;
    return held?.token.length && !isExpired(Number(held.timestamp ?? 0), clock)
      ? [[jid, held.token] as const]
      : [];
  });
  return new Map(valid);
}

/**
 * Tries to get the token of a person, unless it is already stored: issues a token of the own account, whose answer may
 * contain the person's token (Baileys PR #2339).
 * @returns true when a valid token of the person is stored now
 */
export async function askForToken(sock: WASocket, clock: Clock, to: string): Promise<boolean> {
  const owner = await ownerOf(sock, to);
  if (!owner) return false;
  if (await holdsToken(sock, clock, owner)) return true;
  const now = Math.floor(clock.now() / 1000);
  const answer: BinaryNode = await sock.issuePrivacyTokens([owner], now);
  const tokens = getBinaryNodeChildren(getBinaryNodeChild(answer, 'tokens'), 'token');
  const entries = tokens.flatMap(({ attrs, content }) =>
    attrs.type === TRUSTED && attrs.t && content instanceof Uint8Array
      ? { token: Buffer.from(content), timestamp: attrs.t, senderTimestamp: now }
      : [],
  );
  await storeTokens(sock.authState.keys, new Map(entries.map((entry) => [owner, entry])));
  return holdsToken(sock, clock, owner);
}

/**
 * Stores tokens in the library's own form, unless a newer one is stored, and adds their owners to the library's list.
 * @param fresh by jid of the owner: the LID where known
 */
export async function storeTokens(
  store: SignalKeyStore,
  fresh: ReadonlyMap<string, TokenEntry>,
): Promise<void> {
  if (fresh.size === 0) return;
  const stored = await store.get(TOKENS, [...fresh.keys(), INDEX]);
  const entries: Record<string, TokenEntry> = {};
  for (const [owner, entry] of fresh) {
    const before = stored[owner];
    if (Number(before?.timestamp ?? 0) < Number(entry.timestamp)) entries[owner] = { ...before, ...entry };
  }
  const index = [...new Set([...readIndex(stored[INDEX]), ...Object.keys(entries)])];
  await store.set({ [TOKENS]: { ...entries, [INDEX]: { token: Buffer.from(JSON.stringify(index)) } } });
}

const indexSchema = Joi.array().items(Joi.string().required());

/** Reads the library's list, which is JSON. */
function readIndex(entry: TokenEntry | undefined): string[] {
  if (!entry?.token.length) return [];
  const { value, error } = indexSchema.validate(entry.token.toString(), { convert: true });
  return error ? [] : value;
}

/** The LID jid of the person of a private chat; undefined for groups, and if the LID is unknown. */
async function ownerOf(sock: WASocket, to: string): Promise<string | undefined> {
  const jid = jidNormalizedUser(to);
  if (!isLidUser(jid) && !isPnUser(jid)) return undefined;
  const lid = isLidUser(jid) ? jid : await sock.signalRepository.lidMapping.getLIDForPN(jid);
  return lid ? jidNormalizedUser(lid) : undefined;
}

/**
 * Like `ownerOf`, but without a query: the library would ask the network for an unknown LID, and a policy judges first
 * messages before any look-up. A token without a known LID is not stored.
 */
async function knownOwnerOf(sock: WASocket, to: string): Promise<string | undefined> {
  const jid = jidNormalizedUser(to);
  if (isLidUser(jid)) return jid;
  const user = isPnUser(jid) ? jidDecode(jid)?.user : undefined;
  if (!user) return undefined;
  const { [user]: lid } = await sock.authState.keys.get('lid-mapping', [user]);
  return lid ? `${lid}@lid` : undefined;
}

async function holdsToken({ authState }: WASocket, clock: Clock, owner: string): Promise<boolean> {
  const { [owner]: held } = await authState.keys.get(TOKENS, [owner]);
  return Boolean(held?.token?.length) && !isExpired(Number(held?.timestamp ?? 0), clock);
}

/** @param timestamp seconds since the epoch */
function isExpired(timestamp: number, clock: Clock): boolean {
  const bucket = Math.floor(clock.now() / 1000 / BUCKET_S);
  return timestamp < (bucket - (BUCKETS - 1)) * BUCKET_S;
}
