import { createHmac } from 'node:crypto';
import { aesEncrypt, hkdf, type LTHashState, makeLtHashGenerator, proto } from '@whiskeysockets/baileys';
import { lengthDelimited } from '../../wire/fields.js';

const { SET } = proto.SyncdMutation.SyncdOperation;
const COLLECTION = 'regular_high';
const INDEX = Buffer.from(JSON.stringify(['nct_salt_sync']));
/** Numbers of fields: `SyncActionData.value`, `SyncActionValue.nctSaltSyncAction`, and its `salt` (zapo `WAProto.proto`). */
const VALUE = 2;
const SALT_ACTION = 80;
const SALT = 1;
const KEY_BYTES = 32;
const MAC_BYTES = 32;

/**
 * The patch by which a phone writes the salt for first contacts into the settings of its account. The library's own
 * encoder does not know this setting.
 */
export async function saltPatch(
  salt: Buffer,
  { id, key }: { id: Buffer; key: Buffer },
  before: LTHashState,
): Promise<{ patch: proto.ISyncdPatch; state: LTHashState }> {
  const [indexKey, encryptionKey, valueMacKey, snapshotMacKey, patchMacKey] = keysFrom(key);
  const action = lengthDelimited(VALUE, lengthDelimited(SALT_ACTION, lengthDelimited(SALT, salt)));
  const head = proto.SyncActionData.encode({ index: INDEX, padding: Buffer.alloc(0), version: 1 }).finish();
  const encrypted = Buffer.from(aesEncrypt(Buffer.concat([head, action]), encryptionKey));
  const keyData = Buffer.concat([Buffer.from([SET + 1]), id]);
  const valueMac = hmac('sha512', valueMacKey, [keyData, encrypted, uint64(keyData.length)]).subarray(
    0,
    MAC_BYTES,
  );
  const indexMac = hmac('sha256', indexKey, [INDEX]);
  const generator = makeLtHashGenerator(before);
  generator.mix({ indexMac, valueMac, operation: SET });
  const state = { ...before, ...generator.finish(), version: before.version + 1 };
  const [version, name] = [uint64(state.version), Buffer.from(COLLECTION)];
  const snapshotMac = hmac('sha256', snapshotMacKey, [state.hash, version, name]);
  const patchMac = hmac('sha256', patchMacKey, [snapshotMac, valueMac, version, name]);
  const record = {
    index: { blob: indexMac },
    value: { blob: Buffer.concat([encrypted, valueMac]) },
    keyId: { id },
  };
  return {
    patch: { patchMac, snapshotMac, keyId: { id }, mutations: [{ operation: SET, record }] },
    state,
  };
}

/** The keys of a setting: index, value, MAC of the value, of the snapshot and of the patch. */
function keysFrom(key: Buffer): [Buffer, Buffer, Buffer, Buffer, Buffer] {
  const expanded = Buffer.from(hkdf(key, 5 * KEY_BYTES, { info: 'WhatsApp Mutation Keys' }));
  const part = (index: number) => expanded.subarray(index * KEY_BYTES, (index + 1) * KEY_BYTES);
  return [part(0), part(1), part(2), part(3), part(4)];
}

function hmac(hash: 'sha256' | 'sha512', key: Buffer, parts: readonly Uint8Array[]): Buffer {
  return createHmac(hash, key).update(Buffer.concat(parts)).digest();
}

function uint64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(value, 4);
  return bytes;
}
