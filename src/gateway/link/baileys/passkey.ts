import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import {
  type BinaryNode,
  bytesToCrockford,
  Curve,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  proto,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';
import { callAt } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { reason, type ValuesOf } from '../../../domain/reasons.js';
import type { PasskeyFailure, PasskeyState, WebAuthnAssertion } from '../link.js';
import { acknowledge, type PairingContext } from './pairing-context.js';
import { readOptions, requireAnswerTo, type WebAuthnOptions } from './passkey-assertion.js';
import { answerIn, refusalCode } from './reasons.js';

/** Lifetime of the handoff key in milliseconds (whatsmeow, `passkeyHandoffKey.Valid`). */
const HANDOFF_MS = 5 * 60_000;
/** Milliseconds for the owner's answer: the default and the maximum. */
const ANSWER_MS = 5 * 60_000;
/** Milliseconds for the phone to continue, for the owner to compare codes, and for the end of the pairing. */
const PHONE_MS = 3 * 60_000;
/** Milliseconds to wait for the network's answer to a request. */
const REQUEST_MS = 15_000;
const KEY_BYTES = 32;
const IV_BYTES = 12;
const CODE_BYTES = 5;
const HANDOFF_INFO = 'shortcake-passkey-handoff-v1';
const KEY_INFO = 'Pairing Information Encryption Key';
const DEVICE_TYPE = proto.DeviceProps.PlatformType.CHROME;
/** The network's codes for a late answer. */
const LATE: ReadonlySet<number | undefined> = new Set([408, 410]);

/** The own half of the exchange with the phone, committed to by the prologue. */
interface Prologue {
  keys: { public: Uint8Array; private: Uint8Array };
  nonce: Buffer;
  ref: string;
}

interface Ceremony {
  state: PasskeyState;
  options: WebAuthnOptions;
  handoff: { key: Buffer; until: number } | undefined;
  prologue?: Prologue;
  /** Key that encrypts the last request; known once the phone has continued. */
  key?: Buffer;
}

/**
 * The passkey ceremony that WhatsApp demands of a growing part of accounts while a device is linked, after the QR code or
 * the pairing code. Steps and formats: whatsmeow `pair-passkey.go`, zapo `WaShortcakeFlow.ts`.
 */
export class PasskeyCeremony {
  readonly #context: PairingContext;
  /** Called when a ceremony begins: no QR code is needed then. */
  readonly #onBegin: () => void;
  #current: Ceremony | undefined;
  #cancelExpiry: () => void = () => undefined;

  constructor(context: PairingContext, onBegin: () => void) {
    this.#context = context;
    this.#onBegin = onBegin;
  }

  get isUnderWay(): boolean {
    return this.#current !== undefined;
  }

  stop(): void {
    this.#cancelExpiry();
    this.#current = undefined;
  }

  /** Begins the ceremony that the network demands; a second demand restarts it. */
  async onRequest(node: BinaryNode): Promise<void> {
    const { sock, clock } = this.#context;
    const secret = Buffer.from(sock.authState.creds.advSecretKey, 'base64');
    const key = Buffer.from(hkdfSync('sha256', secret, NO_BYTES, HANDOFF_INFO, KEY_BYTES));
    const handoff = { key, until: clock.now() + HANDOFF_MS };
    // store the new secret before any answer
    if (!(await this.#context.rotate())) return;
    await acknowledge(sock, node);
    this.#onBegin();
    const options = readOptions(optionsIn(node)) ?? (await this.#askOptions());
    if (options) this.#begin(options, handoff);
    else this.#fail('options_missing', { kind: 'passkey_no_options' });
  }

  /** @throws GatewayError `passkey_not_asked`, `passkey_malformed`, `passkey_expired`, `passkey_refused` */
  async answer(assertion: WebAuthnAssertion): Promise<void> {
    const ceremony = this.#require('assertion_needed');
    requireAnswerTo(ceremony.options, assertion);
    this.#enter(ceremony, { step: 'sending' }, PHONE_MS);
    try {
      await this.#sendPrologue(ceremony, assertion);
    } catch (error) {
      throw await this.#onRefusedAnswer(ceremony, error);
    }
  }

  /** @throws GatewayError `passkey_not_asked`, `passkey_refused` */
  async confirm(): Promise<void> {
    const ceremony = this.#require('confirm_code');
    const { key } = ceremony;
    if (!key) throw notAsked();
    this.#enter(ceremony, { step: 'finishing' }, PHONE_MS);
    const { noiseKey, signedIdentityKey, advSecretKey } = this.#context.sock.authState.creds;
    const request = proto.PairingRequest.encode({
      companionPublicKey: noiseKey.public,
      companionIdentityKey: signedIdentityKey.public,
      advSecret: Buffer.from(advSecretKey, 'base64'),
    }).finish();
    const iv = randomBytes(IV_BYTES);
    const cipher = createCipheriv('aes-256-gcm', key, iv);
    const encryptedPayload = Buffer.concat([cipher.update(request), cipher.final(), cipher.getAuthTag()]);
    const sealed = proto.EncryptedPairingRequest.encode({ encryptedPayload, iv }).finish();
    try {
      await this.#ask('set', leaf('encrypted_pairing_request', sealed));
    } catch (error) {
      const kind = { kind: 'passkey_end_refused', answer: toAnswer(error) } as const;
      if (this.#current === ceremony) this.#fail('refused', kind);
      throw new GatewayError('passkey_refused', reason('pairing_refused', kind), { cause: error });
    }
  }

  /** Handles the phone's answer to the prologue: reveals the nonce, and shows the code that both sides derive. */
  async onContinuation(node: BinaryNode): Promise<void> {
    const { sock } = this.#context;
    await acknowledge(sock, node);
    const ceremony = this.#current;
    const error = getBinaryNodeChild(node, 'error');
    if (ceremony && error) {
      this.#fail('declined', { kind: 'passkey_declined' });
      return;
    }
    const prologue = ceremony?.prologue;
    if (!ceremony || !prologue || ceremony.state.step !== 'sending') {
      const disorder = reason('pairing_step_failed', { kind: 'passkey_disorder' });
      this.#context.emit({ type: 'passkey-failed', code: 'unexpected', reason: disorder });
      return;
    }
    const primary = readPrimary(getBinaryNodeChildBuffer(node, 'primary_ephemeral_identity'));
    if (!primary) {
      this.#fail('malformed', { kind: 'passkey_unreadable' });
      return;
    }
    try {
      await this.#ask('set', leaf('companion_nonce', prologue.nonce));
    } catch (cause) {
      if (this.#current === ceremony) {
        this.#fail('refused', { kind: 'passkey_step_refused', answer: toAnswer(cause) });
      }
      return;
    }
    if (this.#current !== ceremony) return;
    const shared = Curve.sharedKey(prologue.keys.private, primary.publicKey);
    const salt = `Companion Pairing ${DEVICE_TYPE} with ref ${prologue.ref}`;
    ceremony.key = Buffer.from(hkdfSync('sha256', shared, salt, KEY_INFO, KEY_BYTES));
    const digest = createHash('sha256').update(prologue.nonce).update(primary.publicKey).digest();
    const bytes = Buffer.from(primary.nonce.subarray(0, CODE_BYTES)).map(
      (byte, at) => byte ^ (digest[at] ?? 0),
    );
    const code = bytesToCrockford(Buffer.from(bytes));
    const shown = `${code.slice(0, 4)}-${code.slice(4)}`;
    // always show the code: on a new link nothing proves that the network accepted the handoff (whatsapp-rust 997)
    this.#enter(ceremony, { step: 'confirm_code', code: shown }, PHONE_MS);
  }

  async #sendPrologue(ceremony: Ceremony, assertion: WebAuthnAssertion): Promise<void> {
    const answer = await this.#ask('get', { tag: 'ref', attrs: {} });
    const ref = getBinaryNodeChildBuffer(answer, 'ref');
    if (!ref) throw new Error('the network gave no reference');
    const prologue = {
      keys: Curve.generateKeyPair(),
      nonce: randomBytes(KEY_BYTES),
      ref: Buffer.from(ref).toString(),
    };
    const identity = proto.CompanionEphemeralIdentity.encode({
      publicKey: prologue.keys.public,
      deviceType: DEVICE_TYPE,
      ref: prologue.ref,
    }).finish();
    const hash = createHash('sha256').update(identity).update(prologue.nonce).digest();
    const payload = proto.ProloguePayload.encode({
      companionEphemeralIdentity: identity,
      commitment: { hash },
    }).finish();
    const { id, rawId, type, response } = assertion;
    const { handoff } = ceremony;
    const isGood = handoff !== undefined && handoff.until > this.#context.clock.now();
    // set this before the request leaves: the phone's continuation may arrive before the network's result
    ceremony.prologue = prologue;
    await this.#ask('set', {
      tag: 'passkey_prologue',
      attrs: {},
      content: [
        leaf('credential_id', Buffer.from(rawId, 'base64url')),
        leaf('webauthn_assertion', Buffer.from(JSON.stringify({ id, rawId, type, response }))),
        leaf('prologue_payload', payload),
        ...(isGood
          ? [leaf('pairing_handoff_proof', createHmac('sha256', handoff.key).update(payload).digest())]
          : []),
      ],
    });
    ceremony.handoff = undefined;
  }

  /** Asks the network for a new challenge after a refusal, so that the owner can answer again. */
  async #onRefusedAnswer(ceremony: Ceremony, cause: unknown): Promise<GatewayError> {
    const isLate = LATE.has(refusalCode(cause));
    const why = isLate
      ? reason('pairing_step_failed', { kind: 'passkey_late' })
      : reason('pairing_step_failed', { kind: 'passkey_refused', answer: toAnswer(cause) });
    const failure = new GatewayError(isLate ? 'passkey_expired' : 'passkey_refused', why, { cause });
    if (this.#current !== ceremony) return failure;
    this.#context.emit({ type: 'passkey-failed', code: isLate ? 'expired' : 'refused', reason: why });
    ceremony.prologue = undefined;
    const options = await this.#askOptions();
    if (this.#current !== ceremony) return failure;
    if (options) this.#begin(options, ceremony.handoff);
    else this.#fail('options_missing', { kind: 'passkey_no_challenge' });
    return failure;
  }

  #begin(options: WebAuthnOptions, handoff: Ceremony['handoff']): void {
    const ceremony: Ceremony = {
      options,
      handoff,
      state: { step: 'assertion_needed', expiresAt: 0 },
    };
    this.#current = ceremony;
    const ms = Math.min(options.timeoutMs ?? ANSWER_MS, ANSWER_MS);
    this.#enter(ceremony, { step: 'assertion_needed', options: options.json }, ms);
  }

  #enter(ceremony: Ceremony, state: Omit<PasskeyState, 'expiresAt'>, ms: number): void {
    const { clock, emit } = this.#context;
    const expiresAt = clock.now() + ms;
    ceremony.state = { ...state, expiresAt };
    this.#cancelExpiry();
    this.#cancelExpiry = callAt(clock, expiresAt, () =>
      this.#fail('expired', { kind: `${state.step}_late` }),
    );
    emit({ type: 'passkey', state: ceremony.state });
  }

  /** Ends the link. The next link begins with new keys and a new QR code, so nothing of this ceremony remains. */
  #fail(code: PasskeyFailure, why: ValuesOf<'pairing_refused'>): void {
    this.stop();
    const cause = reason('pairing_refused', why);
    this.#context.emit({ type: 'passkey-failed', code, reason: cause });
    this.#context.end({ reason: cause });
  }

  #require(step: PasskeyState['step']): Ceremony {
    const ceremony = this.#current;
    if (ceremony?.state.step !== step) throw notAsked();
    if (ceremony.state.expiresAt > this.#context.clock.now()) return ceremony;
    throw new GatewayError('passkey_expired', reason('pairing_refused', { kind: `${step}_late` }));
  }

  async #askOptions(): Promise<WebAuthnOptions | undefined> {
    const request = { tag: 'passkey_request_options', attrs: {} };
    const answer = await this.#ask('get', request).catch(() => undefined);
    return answer && readOptions(optionsIn(answer));
  }

  /** Makes a query. Rejects when the network refuses, does not answer, or the connection ends. */
  async #ask(type: 'get' | 'set', content: BinaryNode): Promise<BinaryNode> {
    const request = { tag: 'iq', attrs: { to: S_WHATSAPP_NET, type, xmlns: 'md' }, content: [content] };
    const answer: BinaryNode | undefined = await this.#context.sock.query(request, REQUEST_MS);
    if (!answer) throw new Error('the network did not answer');
    return answer;
  }
}

const NO_BYTES = Buffer.alloc(0);

function notAsked(): GatewayError {
  return new GatewayError('passkey_not_asked', 'the network does not ask for this step of the passkey check');
}

function leaf(tag: string, content: Uint8Array): BinaryNode {
  return { tag, attrs: {}, content };
}

function optionsIn(node: BinaryNode): Uint8Array | undefined {
  return getBinaryNodeChildBuffer(node, 'passkey_request_options');
}

/** The phone's half of the exchange; undefined when a length is wrong. */
function readPrimary(
  bytes: Uint8Array | undefined,
): { publicKey: Uint8Array; nonce: Uint8Array } | undefined {
  if (!bytes) return undefined;
  try {
    const { publicKey, nonce } = proto.PrimaryEphemeralIdentity.decode(bytes);
    return publicKey?.length === KEY_BYTES && nonce?.length === KEY_BYTES ? { publicKey, nonce } : undefined;
  } catch {
    return undefined;
  }
}

function toAnswer(error: unknown): string {
  return answerIn(error) ?? 'no answer';
}
