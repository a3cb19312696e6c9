import { type AuthenticationCreds, initAuthCreds } from '@whiskeysockets/baileys';
import { errorMessage, GatewayError } from '../../../domain/errors.js';
import { isObject, parseObject } from '../../../domain/json.js';
import { reason } from '../../../domain/reasons.js';
import type { KeyChange } from '../../../domain/signal-state.js';
import type { ForeignKey, OwnIdentity } from '../link.js';
import {
  decodeCredentials,
  encodeCredentials,
  encodeForeignKey,
  isFinishedPairing,
  ownIdentity,
} from './keys.js';
import { trimRecord } from './signal-record.js';

/** Fields that credentials must have, beside the keys that `decodeCredentials` checks. */
const COUNTERS = ['nextPreKeyId', 'firstUnuploadedPreKeyId'] as const;

/**
 * Reads the credentials of a linked number from the store of another program. The library writes them as JSON, with bytes as
 * `{"type": "Buffer", "data": "<base64>"}` (`BufferJSON` in its source).
 *
 * Their mark of a finished first sync is taken away: names and settings of chats stay in the other store, so the link must
 * read them again from the beginning (`FirstSync`). The versions of the app state can stay, because that sync ignores them.
 * @throws GatewayError `invalid_request` when they are damaged or of a pairing that was not finished
 */
export function readForeignCredentials(stored: object): { me: OwnIdentity; credentials: Uint8Array } {
  const creds = { ...initAuthCreds(), ...parsed(stored) };
  for (const name of COUNTERS) {
    if (!isObject(stored) || !Number.isSafeInteger(stored[name])) throw invalid(`${name} must be a number`);
  }
  if (!isFinishedPairing(creds)) throw new GatewayError('invalid_request', reason('never_linked'));
  return { me: ownIdentity(creds), credentials: encodeCredentials({ ...creds, accountSyncCounter: 0 }) };
}

/** Writes credentials in the form that `readForeignCredentials` reads. @throws GatewayError `store_damaged` */
export function exportCredentials(stored: Uint8Array): object {
  const creds = parseObject(Buffer.from(stored).toString());
  if (creds) return creds;
  throw new GatewayError('store_damaged', 'the stored credentials are damaged');
}

function parsed(stored: object): AuthenticationCreds {
  try {
    const creds = decodeCredentials(Buffer.from(JSON.stringify(stored)));
    if (creds) return creds;
  } catch (error) {
    throw invalid(errorMessage(error));
  }
  throw invalid('there are none');
}

function invalid(problem: string): GatewayError {
  return new GatewayError('invalid_request', `credentials: ${problem}`);
}

/** Reads keys from the store of another program, in the same JSON. Keys of an unknown family or form are unusable. */
export function readForeignKeys(keys: readonly ForeignKey[]): { usable: KeyChange[]; unusable: string[] } {
  const usable: KeyChange[] = [];
  const unusable: string[] = [];
  for (const { type, id, value } of keys) {
    if (type === 'session') trimRecord(value);
    const bytes = encodeForeignKey(type, value);
    if (bytes) usable.push({ type, id, value: bytes });
    else unusable.push(`${type} ${id}`);
  }
  return { usable, unusable };
}
