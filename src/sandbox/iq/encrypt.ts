import { bundleElements, isSignedBy, readSignedPreKey, readUploadedKeys } from '../prekeys.js';
import { deviceId } from '../registry.js';
import { bytesOf, child, childrenOf, readUint, stanza, uintBytes } from '../wire/stanza.js';
import { asker, EMPTY, type IqAnswer, IqError, type IqNamespace, type IqRequest } from './iq.js';

/** A client that is told 0 uploads its 812 keys at once; from 1 on it tops up by five, which is enough here. */
const FEWEST_KEYS = 1;

type Answerer = (request: IqRequest) => IqAnswer;

const GET: Record<string, Answerer> = {
  count: (request) => ({
    content: [stanza('count', { value: String(Math.max(asker(request).keysLeft, FEWEST_KEYS)) })],
  }),
  digest,
  key: handOutKeys,
};

/** Pre-keys: devices upload theirs, and everybody is given a bundle to open a session with. */
export const encrypt: IqNamespace = {
  xmlns: 'encrypt',
  answer(request) {
    const { iq, body } = request;
    if (iq.attrs.type === 'set') return body?.tag === 'rotate' ? rotate(request) : upload(request);
    const answerer = GET[body?.tag ?? ''];
    if (!answerer) throw new IqError(400, 'bad-request');
    return answerer(request);
  },
};

function digest(request: IqRequest): IqAnswer {
  const { record } = asker(request);
  return {
    content: [
      stanza('digest', {}, [
        stanza('registration', {}, uintBytes(record.registrationId, 4)),
        stanza('identity', {}, record.identity),
      ]),
    ],
  };
}

function handOutKeys({ network, body }: IqRequest): IqAnswer {
  const users = childrenOf(body).flatMap(({ attrs }) => {
    const device = network.registry.device(attrs.jid);
    if (!device) return [];
    const proof = device.companion?.record.identityProof;
    const elements = bundleElements(network.takeBundle(device));
    if (proof && deviceId(device) > 0) elements.push(stanza('device-identity', {}, proof));
    return [stanza('user', { jid: attrs.jid, t: String(network.now()) }, elements)];
  });
  return { content: [stanza('list', {}, users)] };
}

function upload(request: IqRequest): IqAnswer {
  const companion = asker(request);
  const { iq } = request;
  const signedPreKey = readSignedPreKey(child(iq, 'skey'));
  const identity = bytesOf(child(iq, 'identity'));
  const isOwn = identity.equals(companion.record.identity) && isSignedBy(identity, signedPreKey);
  if (!isOwn) throw new IqError(406, 'not-acceptable');
  companion.record.signedPreKey = signedPreKey;
  companion.record.registrationId = readUint(bytesOf(child(iq, 'registration')));
  companion.keep();
  companion.shelve(readUploadedKeys(iq));
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
