import { createHash } from 'node:crypto';
import { bundleElements, isSignedBy, readSignedPreKey, readUploadedKeys } from '../../signal/prekeys.js';
import { type Device, deviceId } from '../../state/account.js';
import type { Network } from '../../state/network.js';
import { IqError, NOT_PLAYED } from '../../wire/refusals.js';
import { bytesOf, child, childrenOf, readUint, type Stanza, stanza, uintBytes } from '../../wire/stanza.js';
import { asker, EMPTY, type IqAnswer, type IqNamespace, type IqRequest } from './iq.js';

/**
 * What a new device is told before its first upload. On 0 it would make 812 keys, which takes half a second; from 1 on it
 * makes five. After that the count is true, down to 0.
 */
const BEFORE_FIRST_UPLOAD = 1;

const GET: Record<string, (request: IqRequest) => IqAnswer> = {
  count(request) {
    const { keysLeft, hasUploaded } = asker(request);
    const value = hasUploaded ? keysLeft : BEFORE_FIRST_UPLOAD;
    return { content: [stanza('count', { value: String(value) })] };
  },
  digest,
  key: handOutKeys,
  key_fetch: handOutMissingKeys,
};

/** Pre-keys: devices upload theirs, and others ask for a bundle to open a session with. */
export const encrypt: IqNamespace = {
  xmlns: 'encrypt',
  answer(request) {
    const { iq, body } = request;
    if (iq.attrs.type === 'set') return body?.tag === 'rotate' ? rotate(request) : upload(request);
    const answerer = GET[body?.tag ?? ''];
    if (!answerer) throw NOT_PLAYED;
    return answerer(request);
  },
};

/** All keys of a device as the network holds them, with their SHA-1 (whatsapp-rust `iq/prekeys.rs`). */
function digest(request: IqRequest): IqAnswer {
  const { record, preKeys } = asker(request);
  const { identity, signedPreKey } = record;
  const hash = createHash('sha1').update(identity).update(signedPreKey.value).update(signedPreKey.signature);
  for (const { value } of preKeys) hash.update(value);
  return {
    content: [
      stanza('digest', {}, [
        ...bundleElements(record),
        stanza(
          'list',
          {},
          preKeys.map(({ id }) => stanza('id', {}, uintBytes(id, 3))),
        ),
        stanza('hash', {}, hash.digest()),
      ]),
    ],
  };
}

function handOutKeys({ network, body }: IqRequest): IqAnswer {
  const users = childrenOf(body).flatMap(({ attrs }) => {
    const device = network.directory.device(attrs.jid);
    if (!device) return [];
    if (device.companion && network.faults.take('no-keys', device.account)) {
      const error = stanza('error', { code: '404', text: 'item-not-found' });
      return [stanza('user', { jid: attrs.jid }, [error])];
    }
    return [stanza('user', { jid: attrs.jid, t: String(network.now()) }, keysOf(device, network))];
  });
  return { content: [stanza('list', {}, users)] };
}

/** Keys of single devices to which a client has no session, such as one that asked for a message again. */
function handOutMissingKeys({ network, body }: IqRequest): IqAnswer {
  const users = childrenOf(body).map((asked) => {
    const { jid } = asked.attrs;
    const [user, server] = jid?.split('@') ?? [];
    const devices = childrenOf(asked).flatMap(({ attrs: { id = '' } }) => {
      const device = network.directory.device(`${user}:${id}@${server}`);
      return device ? [stanza('device', { id }, keysOf(device, network))] : [];
    });
    return stanza('user', { jid, t: String(network.now()) }, devices);
  });
  return { content: [stanza('list', {}, users)] };
}

function keysOf(device: Device, network: Network): Stanza[] {
  const proof = device.companion?.record.identityProof;
  const elements = bundleElements(network.takeBundle(device));
  if (proof && deviceId(device) > 0) elements.push(stanza('device-identity', {}, proof));
  return elements;
}

function upload(request: IqRequest): IqAnswer {
  const companion = asker(request);
  const { iq } = request;
  const signedPreKey = readSignedPreKey(child(iq, 'skey'));
  const identity = bytesOf(child(iq, 'identity'));
  const isOwn = identity.equals(companion.record.identity) && isSignedBy(identity, signedPreKey);
  if (!isOwn) throw new IqError(406, 'not-acceptable');
  const keys = readUploadedKeys(iq);
  // a key of this id may be in use already, and no message for it could be read
  if (keys.some(({ id }) => companion.hasHandedOut(id))) throw new IqError(409, 'conflict');
  companion.record.signedPreKey = signedPreKey;
  companion.record.registrationId = readUint(bytesOf(child(iq, 'registration')));
  companion.keep();
  companion.addPreKeys(keys);
  return EMPTY;
}

function rotate(request: IqRequest): IqAnswer {
  const companion = asker(request);
  const signedPreKey = readSignedPreKey(child(request.body, 'skey'));
  if (!isSignedBy(companion.record.identity, signedPreKey)) throw new IqError(406, 'not-acceptable');
  companion.record.signedPreKey = signedPreKey;
  companion.keep();
  return EMPTY;
}
