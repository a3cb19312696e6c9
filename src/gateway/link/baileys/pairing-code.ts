import { randomBytes } from 'node:crypto';
import {
  aesDecryptCTR,
  aesEncryptCTR,
  aesEncryptGCM,
  type BinaryNode,
  bytesToCrockford,
  Curve,
  derivePairingCodeKey,
  getBinaryNodeChild,
  getBinaryNodeChildBuffer,
  getCompanionPlatformId,
  hkdf,
  S_WHATSAPP_NET,
} from '@whiskeysockets/baileys';
import { GatewayError } from '../../../domain/errors.js';
import { type Reason, reason } from '../../../domain/reasons.js';
import { acknowledge, type PairingContext } from './pairing-context.js';
import { answerIn } from './reasons.js';
import { BROWSER } from './socket.js';

/** Lifetime of a code in milliseconds (zapo 1.7.1). */
const CODE_MS = 180_000;
/** The network may repeat `primary_hello` after a finished code, this many times in all (zapo 1.7.1). */
const MAX_HELLOS = 3;
/** Milliseconds to wait for the network's answer. */
const ANSWER_MS = 15_000;
const CODE_BYTES = 5;
const KEY_BYTES = 32;
const CTR_IV_BYTES = 16;
const GCM_IV_BYTES = 12;
const STEP = 'link_code_companion_reg';
const NO_BYTES = Buffer.alloc(0);

/** Names of operating systems that the network accepts (Baileys PR 2769); others get 400. */
const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'Mac OS', win32: 'Windows' };

/** Browser and system in the form that the network demands with a code, such as `Chrome (Linux)`. */
export function platformDisplay(platform: NodeJS.Platform): string {
  return `${BROWSER[1]} (${SYSTEMS[platform] ?? 'Linux'})`;
}

interface ShownCode {
  code: string;
  jid: string;
  ref: Buffer;
  keys: { public: Uint8Array; private: Uint8Array };
  expiresAt: number;
  hellos: number;
  finished: boolean;
}

/** Pairing by a code of eight characters that a person types on the phone. */
export class PairingCode {
  readonly #context: PairingContext;
  /** Called when the secret has changed, so that the QR code contains the new one. */
  readonly #onNewSecret: () => void;
  #shown: ShownCode | undefined;

  constructor(context: PairingContext, onNewSecret: () => void) {
    this.#context = context;
    this.#onNewSecret = onNewSecret;
  }

  /** Milliseconds since the epoch; 0 without a code. */
  get expiresAt(): number {
    return this.#shown?.expiresAt ?? 0;
  }

  /**
   * Asks the network for a code.
   * @param phone digits with country code
   * @param ready the network has sent `pair-device`, before which it accepts no request
   * @throws GatewayError `pairing_code_refused`
   */
  async request(phone: string, ready: boolean): Promise<string> {
    if (!ready) throw failure('The connection is not ready to ask for a code. Try again.');
    const { sock, clock } = this.#context;
    const code = bytesToCrockford(randomBytes(CODE_BYTES));
    const keys = Curve.generateKeyPair();
    const expiresAt = clock.now() + CODE_MS;
    const jid = `${phone}${S_WHATSAPP_NET}`;
    if (!(await this.#context.rotate())) throw failure('The store could not keep the pairing. Try again.');
    this.#onNewSecret();
    const step = {
      tag: STEP,
      attrs: { jid, stage: 'companion_hello', should_show_push_notification: 'true' },
      content: [
        leaf('link_code_pairing_wrapped_companion_ephemeral_pub', await wrap(code, keys.public)),
        leaf('companion_server_auth_key_pub', sock.authState.creds.noiseKey.public),
        leaf('companion_platform_id', getCompanionPlatformId(BROWSER)),
        leaf('companion_platform_display', platformDisplay(process.platform)),
        leaf('link_code_pairing_nonce', '0'),
      ],
    };
    const answer = await this.#ask(step).catch((error: unknown) => {
      throw refused('The network refuses a pairing code for this number', error);
    });
    const ref = getBinaryNodeChildBuffer(getBinaryNodeChild(answer, STEP), 'link_code_pairing_ref');
    if (!ref) throw failure('The network did not answer the request.');
    this.#shown = { code, jid, ref: Buffer.from(ref), keys, expiresAt, hellos: 0, finished: false };
    return code;
  }

  async onNotification(node: BinaryNode): Promise<void> {
    await acknowledge(this.#context.sock, node);
    const step = getBinaryNodeChild(node, STEP);
    const ref = getBinaryNodeChildBuffer(step, 'link_code_pairing_ref');
    const shown = this.#shown;
    if (!shown || !ref || !shown.ref.equals(ref)) return;
    if (step?.attrs.stage === 'refresh_code') {
      this.#drop('new_code_asked');
    }
    if (step?.attrs.stage === 'primary_hello') await this.#onHello(shown, step);
  }

  async #onHello(shown: ShownCode, step: BinaryNode): Promise<void> {
    if (this.#context.clock.now() > shown.expiresAt) {
      this.#drop('code_expired');
      return;
    }
    shown.hellos += 1;
    if (shown.finished && shown.hellos > MAX_HELLOS) {
      this.#drop('repeated');
      return;
    }
    const wrapped = getBinaryNodeChildBuffer(step, 'link_code_pairing_wrapped_primary_ephemeral_pub');
    const identity = getBinaryNodeChildBuffer(step, 'primary_identity_pub');
    if (!wrapped || !identity) {
      this.#drop('incomplete');
      return;
    }
    await this.#finish(shown, Buffer.from(wrapped), Buffer.from(identity));
  }

  /** Uses fresh random bytes each time, so that each repetition yields a different secret. */
  async #finish(shown: ShownCode, wrapped: Buffer, phoneIdentity: Buffer): Promise<void> {
    const { signedIdentityKey } = this.#context.sock.authState.creds;
    const shared = Curve.sharedKey(shown.keys.private, await unwrap(shown.code, wrapped));
    const [random, salt, iv] = [randomBytes(KEY_BYTES), randomBytes(KEY_BYTES), randomBytes(GCM_IV_BYTES)];
    const key = hkdf(shared, KEY_BYTES, { salt, info: 'link_code_pairing_key_bundle_encryption_key' });
    const bundle = Buffer.concat([signedIdentityKey.public, phoneIdentity, random]);
    const sealed = Buffer.concat([salt, iv, aesEncryptGCM(bundle, key, iv, NO_BYTES)]);
    const identities = Curve.sharedKey(signedIdentityKey.private, phoneIdentity);
    const material = Buffer.concat([shared, identities, random]);
    // stored first: if the answer is lost, the proof of the phone still verifies (zapo 1.7.1)
    if (!(await this.#context.adopt(hkdf(material, KEY_BYTES, { info: 'adv_secret' })))) return;
    try {
      const answer = await this.#ask({
        tag: STEP,
        attrs: { jid: shown.jid, stage: 'companion_finish' },
        content: [
          leaf('link_code_pairing_wrapped_key_bundle', sealed),
          leaf('companion_identity_public', signedIdentityKey.public),
          leaf('link_code_pairing_ref', shown.ref),
        ],
      });
      if (!answer) throw new Error('the network did not answer');
      shown.finished = true;
    } catch (error) {
      this.#context.emit({ type: 'pairing-failed', reason: typedCodeFailed(error) });
      // replace the secret again, because the code's secret had replaced that of the QR code
      if (await this.#context.rotate()) this.#onNewSecret();
    }
  }

  #ask(step: BinaryNode): Promise<BinaryNode | undefined> {
    const request = {
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'set', xmlns: 'md' },
      content: [step],
    };
    return this.#context.sock.query(request, ANSWER_MS);
  }

  #drop(kind: 'new_code_asked' | 'code_expired' | 'repeated' | 'incomplete'): void {
    this.#shown = undefined;
    this.#context.emit({ type: 'pairing-failed', reason: reason('pairing_step_failed', { kind }) });
  }
}

function leaf(tag: string, content: Uint8Array | string): BinaryNode {
  return { tag, attrs: {}, content };
}

async function wrap(code: string, key: Uint8Array): Promise<Buffer> {
  const salt = randomBytes(KEY_BYTES);
  const iv = randomBytes(CTR_IV_BYTES);
  return Buffer.concat([salt, iv, aesEncryptCTR(key, await derivePairingCodeKey(code, salt), iv)]);
}

async function unwrap(code: string, wrapped: Buffer): Promise<Buffer> {
  const salt = wrapped.subarray(0, KEY_BYTES);
  const iv = wrapped.subarray(KEY_BYTES, KEY_BYTES + CTR_IV_BYTES);
  const sealed = wrapped.subarray(KEY_BYTES + CTR_IV_BYTES);
  return aesDecryptCTR(sealed, await derivePairingCodeKey(code, salt), iv);
}

/** The reason why a typed code failed, with the network's code and text if it gave any. */
function typedCodeFailed(error: unknown): Reason {
  const answer = answerIn(error);
  if (answer === undefined) return reason('pairing_step_failed', { kind: 'code_unanswered' });
  return reason('pairing_step_failed', { kind: 'code_refused', answer });
}

/** The error of a refused request, with the network's code and text if it gave any. */
function refused(what: string, error: unknown): GatewayError {
  const answer = answerIn(error);
  return failure(
    answer === undefined ? 'The network did not answer the request.' : `${what} (${answer}).`,
    error,
  );
}

function failure(message: string, cause?: unknown): GatewayError {
  return new GatewayError('pairing_code_refused', message, { cause });
}
