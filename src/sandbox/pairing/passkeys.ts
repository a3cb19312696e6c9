import { createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { bytesToCrockford, proto } from '@whiskeysockets/baileys';
import type { DeviceView, PairingStep, PasskeyView } from '../../contract/sandbox/index.js';
import { callAt } from '../../domain/clock.js';
import type { Account, ClientConnection } from '../state/account.js';
import type { Network } from '../state/network.js';
import { agree, generateKeyPair, type KeyPair } from '../wire/keys.js';
import { IqError, Refusal } from '../wire/refusals.js';
import { bytesOf, child, NETWORK_JID, type Stanza, type StanzaContent, stanza } from '../wire/stanza.js';
import { createPasskey, flawOf, RELYING_PARTY } from './authenticator.js';
import type { DeviceLinks } from './links.js';

const CHALLENGE_BYTES = 32;
/** Milliseconds that a challenge is good for. */
const CHALLENGE_MS = 300_000;
/**
 * Milliseconds that the phone takes to continue after the passkey is proved: a time that the sandbox chose. zapo
 * (`WaShortcakeFlow.ts`) ignores a continuation that comes before it has handled the network's answer.
 */
const PHONE_MS = 300;
const KEY_BYTES = 32;
const NONCE_BYTES = 32;
const REF_BYTES = 24;
const CODE_BYTES = 5;
const TAG_BYTES = 16;
const NO_BYTES = Buffer.alloc(0);
const HANDOFF_INFO = 'shortcake-passkey-handoff-v1';
const KEY_INFO = 'Pairing Information Encryption Key';

/** The companion's commitment, as its prologue carries it. */
interface Prologue {
  /** Encoded `CompanionEphemeralIdentity`. */
  identity: Uint8Array;
  publicKey: Uint8Array;
  deviceType: number;
  hash: Uint8Array;
}

/** One device that must prove a passkey before it is linked. */
interface Ceremony {
  account: Account;
  connection: ClientConnection;
  /** The secret of the QR or the code; undefined when the passkey was demanded before. */
  advSecret: Buffer | undefined;
  view: PasskeyView;
  challenge: { value: string; expiresAt: number } | undefined;
  ref: string;
  prologue: Prologue | undefined;
  phone: { keys: KeyPair; nonce: Buffer };
  /** What the device asks for, once decrypted. */
  request: proto.IPairingRequest | undefined;
  isConfirmed: boolean;
  resolve(device: Promise<DeviceView>): void;
  reject(error: Error): void;
}

/**
 * The passkey ceremony between a device and a phone, with the network between them (whatsmeow `pair-passkey.go`, zapo
 * `WaShortcakeFlow.ts`): assertion, commitment, the two codes that people compare, and the encrypted request.
 */
export class Passkeys {
  readonly #network: Network;
  readonly #links: DeviceLinks;
  readonly #ceremonies = new Map<ClientConnection, Ceremony>();

  constructor(network: Network, links: DeviceLinks) {
    this.#network = network;
    this.#links = links;
  }

  /** Links a device; where the phone demands a passkey, after the ceremony. */
  link(connection: ClientConnection, account: Account, advSecret: Buffer): Promise<DeviceView> {
    const { passkey } = account.record;
    return passkey?.isRequired
      ? this.demand(connection, account, advSecret)
      : this.#links.start(connection, account, advSecret);
  }

  /** Begins a ceremony; resolves once the device is linked. @param advSecret of the QR or the code, if there was one */
  demand(connection: ClientConnection, account: Account, advSecret?: Buffer): Promise<DeviceView> {
    if (this.#ceremonies.has(connection))
      throw new Refusal('link_busy', 'the device is being linked already');
    account.record.passkey ??= { ...createPasskey(), isRequired: false };
    account.keep();
    return new Promise<DeviceView>((resolve, reject) => {
      const ceremony: Ceremony = {
        account,
        connection,
        advSecret,
        view: { step: 'assertion' },
        challenge: undefined,
        ref: randomBytes(REF_BYTES).toString('base64url'),
        prologue: undefined,
        phone: { keys: generateKeyPair(), nonce: randomBytes(NONCE_BYTES) },
        request: undefined,
        isConfirmed: false,
        resolve,
        reject,
      };
      this.#ceremonies.set(connection, ceremony);
      this.#begin(ceremony);
    }).finally(() => this.#end(connection));
  }

  /** The state of a person's ceremony, as the phone shows it. */
  view(account: Account): PasskeyView {
    return this.#of(account)?.view ?? { step: 'none' };
  }

  /** The owner compared the codes. @throws Refusal 409 when the phone shows none, 400 when the codes differ */
  confirm(account: Account, code: string): PasskeyView {
    const ceremony = this.#of(account);
    if (!ceremony?.view.code) throw new Refusal('passkey_not_asked', 'the phone shows no code');
    if (code.replaceAll('-', '') !== ceremony.view.code.replaceAll('-', ''))
      throw new Refusal('passkey_code_wrong', 'the codes differ: decline it');
    ceremony.isConfirmed = true;
    this.#finish(ceremony);
    return ceremony.view;
  }

  /** The owner declines on the phone. @throws Refusal 409 when no ceremony is under way */
  decline(account: Account): void {
    const ceremony = this.#of(account);
    if (!ceremony) throw new Refusal('passkey_not_asked', 'the phone is not asked for a passkey');
    const error = stanza('error', { code: '403', text: 'declined' });
    this.#notify(ceremony, 'crsc_continuation', [error]);
    ceremony.reject(new Refusal('passkey_declined', 'the owner declined on the phone'));
  }

  /** The connection has ended. */
  leave(connection: ClientConnection): void {
    this.#ceremonies.get(connection)?.reject(new Refusal('device_gone', 'the device went away'));
  }

  /**
   * Answers a query of the ceremony.
   * @returns the content of the result, and what follows; undefined when the connection was cut instead
   * @throws IqError 400 for a step out of order or malformed, 401 when an assertion does not verify, 404 for no options,
   * 410 for an expired challenge
   */
  answer(connection: ClientConnection, step: Stanza): { content?: Stanza[]; after?: () => void } | undefined {
    const ceremony = this.#ceremonies.get(connection);
    if (!ceremony) throw new IqError(400, 'bad-request');
    const { cutBefore, take } = STEPS[step.tag] ?? {};
    if (!cutBefore || !take) throw new IqError(400, 'bad-request');
    if (this.#network.faults.cutPairing(connection, cutBefore, ceremony.account)) return undefined;
    return take(this, ceremony, step);
  }

  /** Request options with a fresh challenge. @throws IqError 404 while the fault lasts */
  options(ceremony: Ceremony): Stanza {
    const { faults, clock } = this.#network;
    const { account } = ceremony;
    if (faults.take('passkey-options-missing', account)) throw new IqError(404, 'item-not-found');
    const value = randomBytes(CHALLENGE_BYTES).toString('base64url');
    const lifetime = faults.take('passkey-expired', account) ? -1 : CHALLENGE_MS;
    ceremony.challenge = { value, expiresAt: clock.now() + lifetime };
    const { credentialId = '' } = account.record.passkey ?? {};
    const options = {
      challenge: value,
      timeout: CHALLENGE_MS,
      rpId: faults.take('wrong-relying-party', account) ? 'example.org' : RELYING_PARTY,
      allowCredentials: [{ id: credentialId, type: 'public-key', transports: ['internal', 'hybrid'] }],
      userVerification: 'required',
      extensions: {},
    };
    return stanza('passkey_request_options', {}, Buffer.from(JSON.stringify(options)));
  }

  /** Checks the assertion; the phone continues with its own ephemeral identity. */
  takePrologue(ceremony: Ceremony, element: Stanza): { after: () => void } {
    const { account, challenge } = ceremony;
    const { faults, clock } = this.#network;
    const passkey = account.record.passkey;
    ceremony.challenge = undefined;
    if (!passkey || !challenge || ceremony.view.step !== 'assertion') throw new IqError(400, 'bad-request');
    if (clock.now() > challenge.expiresAt) throw new IqError(410, 'gone');
    const assertion = bytesOf(child(element, 'webauthn_assertion'));
    const flaw = faults.take('reject-assertion', account)
      ? 'the fault reject-assertion'
      : flawOf(passkey, assertion, challenge.value, passkey.usedCount ?? 0);
    const credential = bytesOf(child(element, 'credential_id')).toString('base64url');
    if (flaw !== undefined || credential !== passkey.credentialId) {
      this.#network.log?.info({ number: account.number, flaw }, 'a passkey assertion does not verify');
      throw new IqError(401, 'not-authorized');
    }
    passkey.usedCount = passkey.signCount;
    account.keep();
    const payload = bytesOf(child(element, 'prologue_payload'));
    ceremony.prologue = readPrologue(payload, ceremony.ref);
    const proof = bytesOf(child(element, 'pairing_handoff_proof'));
    this.#show(ceremony, { step: 'waiting', handoffProved: isHandoff(ceremony.advSecret, payload, proof) });
    return { after: () => this.#continueLater(ceremony) };
  }

  /** Checks the nonce against the commitment; the phone shows the code. */
  takeNonce(ceremony: Ceremony, element: Stanza): { after: () => void } {
    const { prologue, phone, view } = ceremony;
    const nonce = bytesOf(element);
    if (!prologue || view.step !== 'waiting') throw new IqError(400, 'bad-request');
    const hash = createHash('sha256').update(prologue.identity).update(nonce).digest();
    if (nonce.length !== NONCE_BYTES || !hash.equals(prologue.hash)) throw new IqError(400, 'bad-request');
    const digest = createHash('sha256').update(nonce).update(phone.keys.public).digest();
    const bytes = phone.nonce.subarray(0, CODE_BYTES).map((byte, index) => byte ^ (digest[index] ?? 0));
    const code = bytesToCrockford(Buffer.from(bytes));
    const { handoffProved } = view;
    return {
      after: () =>
        this.#show(ceremony, {
          ...view,
          step: 'confirm',
          code: `${code.slice(0, 4)}-${code.slice(4)}`,
          handoffProved,
        }),
    };
  }

  /** Decrypts the device's request; the device is linked once the owner has confirmed the code. */
  takeRequest(ceremony: Ceremony, element: Stanza): { after: () => void } {
    const request = openRequest(ceremony, bytesOf(element));
    const { registration } = ceremony.connection;
    const isRight =
      registration?.noiseKey.equals(request.companionPublicKey ?? NO_BYTES) &&
      registration.identity.equals(request.companionIdentityKey ?? NO_BYTES) &&
      request.advSecret?.length === KEY_BYTES;
    if (!isRight) throw new IqError(400, 'bad-request');
    ceremony.request = request;
    return { after: () => this.#finish(ceremony) };
  }

  #of(account: Account): Ceremony | undefined {
    return [...this.#ceremonies.values()].find((ceremony) => ceremony.account === account);
  }

  #begin(ceremony: Ceremony): void {
    const { faults } = this.#network;
    const { account, connection } = ceremony;
    if (faults.cutPairing(connection, 'passkey-request', account)) return;
    if (faults.take('unasked-continuation', account)) this.#sendIdentity(ceremony);
    const times = faults.take('second-passkey-request', account) ? 2 : 1;
    for (let time = 0; time < times; time++) {
      const isEmpty = faults.take('passkey-options-missing', account) !== undefined;
      this.#notify(ceremony, 'passkey_prologue_request', isEmpty ? [] : [this.options(ceremony)]);
    }
    this.#show(ceremony, { step: 'assertion' });
  }

  /** The phone continues after a moment, unless the ceremony has ended by then. */
  #continueLater(ceremony: Ceremony): void {
    const { faults, clock } = this.#network;
    if (faults.take('hasty-primary', ceremony.account)) {
      this.#continue(ceremony);
      return;
    }
    callAt(clock, clock.now() + PHONE_MS, () => {
      if (this.#ceremonies.get(ceremony.connection) === ceremony) this.#continue(ceremony);
    });
  }

  #continue(ceremony: Ceremony): void {
    if (this.#network.faults.cutPairing(ceremony.connection, 'passkey-continuation', ceremony.account))
      return;
    this.#sendIdentity(ceremony);
  }

  #sendIdentity(ceremony: Ceremony): void {
    const { phone, account } = ceremony;
    const { faults } = this.#network;
    const publicKey = phone.keys.public.subarray(faults.take('short-primary-key', account) ? 1 : 0);
    const nonce = phone.nonce.subarray(faults.take('short-primary-nonce', account) ? 1 : 0);
    const identity = proto.PrimaryEphemeralIdentity.encode({ publicKey, nonce }).finish();
    this.#notify(ceremony, 'crsc_continuation', [stanza('primary_ephemeral_identity', {}, identity)]);
  }

  #finish(ceremony: Ceremony): void {
    const { request, isConfirmed, connection, account, view } = ceremony;
    if (!request?.advSecret || !isConfirmed || view.step === 'finishing') return;
    this.#show(ceremony, { step: 'finishing' });
    ceremony.resolve(this.#links.start(connection, account, Buffer.from(request.advSecret)));
  }

  #end(connection: ClientConnection): void {
    const ceremony = this.#ceremonies.get(connection);
    this.#ceremonies.delete(connection);
    if (ceremony) this.#show(ceremony, { step: 'none' });
  }

  #show(ceremony: Ceremony, view: PasskeyView): void {
    ceremony.view = view;
    const { number } = ceremony.account;
    this.#network.events.emit(() => ({ type: 'passkey', number, passkey: view }));
  }

  #notify({ connection }: Ceremony, type: string, content: StanzaContent): void {
    const attrs = { from: NETWORK_JID, type, id: this.#network.newId(), t: String(this.#network.now()) };
    connection.send(stanza('notification', attrs, content));
  }
}

interface Step {
  /** The step of `cut-pairing` that comes before it. */
  cutBefore: PairingStep;
  take(passkeys: Passkeys, ceremony: Ceremony, element: Stanza): { content?: Stanza[]; after?: () => void };
}

/** The queries of the ceremony, by the tag of their element. */
const STEPS: Record<string, Step> = {
  passkey_request_options: {
    cutBefore: 'passkey-options',
    take: (passkeys, ceremony) => ({ content: [passkeys.options(ceremony)] }),
  },
  ref: {
    cutBefore: 'passkey-ref',
    take: (_passkeys, ceremony) => ({ content: [stanza('ref', {}, Buffer.from(ceremony.ref))] }),
  },
  passkey_prologue: {
    cutBefore: 'passkey-prologue',
    take: (passkeys, ceremony, element) => passkeys.takePrologue(ceremony, element),
  },
  companion_nonce: {
    cutBefore: 'passkey-nonce',
    take: (passkeys, ceremony, element) => passkeys.takeNonce(ceremony, element),
  },
  encrypted_pairing_request: {
    cutBefore: 'passkey-pairing-request',
    take: (passkeys, ceremony, element) => passkeys.takeRequest(ceremony, element),
  },
};

/** True for the element of a query that belongs to the ceremony. */
export function isPasskeyStep(tag: string): boolean {
  return Object.hasOwn(STEPS, tag);
}

function readPrologue(payload: Buffer, ref: string): Prologue {
  const { companionEphemeralIdentity: identity, commitment } = proto.ProloguePayload.decode(payload);
  const hash = commitment?.hash;
  if (!identity || hash?.length !== KEY_BYTES) throw new IqError(400, 'bad-request');
  const { publicKey, deviceType, ref: named } = proto.CompanionEphemeralIdentity.decode(identity);
  if (publicKey?.length !== KEY_BYTES || named !== ref) throw new IqError(400, 'bad-request');
  return { identity, publicKey, deviceType: deviceType ?? 0, hash };
}

/** True when the proof was made with the secret that the phone knows from the QR or the code. */
function isHandoff(advSecret: Buffer | undefined, payload: Buffer, proof: Buffer): boolean {
  if (!advSecret || proof.length === 0) return false;
  const key = Buffer.from(hkdfSync('sha256', advSecret, NO_BYTES, HANDOFF_INFO, KEY_BYTES));
  return createHmac('sha256', key).update(payload).digest().equals(proof);
}

/** @throws IqError 400 when the request is out of order, or was not encrypted with the key that both derive */
function openRequest({ prologue, phone, ref, view }: Ceremony, sealed: Buffer): proto.IPairingRequest {
  if (!prologue || view.step !== 'confirm') throw new IqError(400, 'bad-request');
  const shared = agree(phone.keys.private, prologue.publicKey);
  const salt = `Companion Pairing ${prologue.deviceType} with ref ${ref}`;
  const key = Buffer.from(hkdfSync('sha256', shared, salt, KEY_INFO, KEY_BYTES));
  try {
    const { encryptedPayload, iv } = proto.EncryptedPairingRequest.decode(sealed);
    const payload = Buffer.from(encryptedPayload ?? NO_BYTES);
    const end = payload.length - TAG_BYTES;
    const decipher = createDecipheriv('aes-256-gcm', key, iv ?? NO_BYTES);
    decipher.setAuthTag(payload.subarray(end));
    const plain = Buffer.concat([decipher.update(payload.subarray(0, end)), decipher.final()]);
    return proto.PairingRequest.decode(plain);
  } catch {
    throw new IqError(400, 'bad-request');
  }
}
