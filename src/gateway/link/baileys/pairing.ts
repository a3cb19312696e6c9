import { randomBytes } from 'node:crypto';
import {
  type AuthenticationCreds,
  type BinaryNode,
  buildPairingQRData,
  configureSuccessfulPairing,
  getBinaryNodeChild,
  hmacSign,
  proto,
  S_WHATSAPP_NET,
  WA_ADV_ACCOUNT_SIG_PREFIX,
  WA_ADV_HOSTED_ACCOUNT_SIG_PREFIX,
  type WASocket,
} from '@whiskeysockets/baileys';
import { type Clock, callAt } from '../../../domain/clock.js';
import { type KindOf, reason } from '../../../domain/reasons.js';
import { isSignedBy } from './certificate.js';
import type { CredentialSaver } from './keys.js';
import { PairingCode } from './pairing-code.js';
import { acknowledge, type PairingContext } from './pairing-context.js';
import { PasskeyCeremony } from './passkey.js';
import { BROWSER } from './socket.js';

/** Milliseconds that the first QR code is valid, and each later one: the times of the official client. */
const FIRST_QR_MS = 60_000;
const LATER_QR_MS = 20_000;
const SECRET_BYTES = 32;

/**
 * A pairing in progress. Replaces the library's handlers, which keep showing QR codes with the first secret, ignore
 * `companion_reg_refresh`, and do not answer an invalid proof.
 */
export class Pairing {
  readonly #sock: WASocket;
  readonly #clock: Clock;
  readonly #context: PairingContext;
  readonly #saver: CredentialSaver;
  readonly #qrLifetimeMs: number | undefined;
  readonly #code: PairingCode;
  readonly #ceremony: PasskeyCeremony;
  #refs: string[] = [];
  /** The reference in the current QR code. */
  #shown: string | undefined;
  #hasRefs = false;
  #paired = false;
  #cancelQr: () => void = () => undefined;
  #steps: Promise<void> = Promise.resolve();

  constructor(
    { sock, clock, log, emit, end }: Omit<PairingContext, 'rotate' | 'adopt'>,
    saver: CredentialSaver,
    qrLifetimeMs: number | undefined,
  ) {
    const { creds } = sock.authState;
    const adopt = (secret: Uint8Array) => {
      creds.advSecretKey = Buffer.from(secret).toString('base64');
      return saver.keep();
    };
    this.#context = { sock, clock, log, emit, end, adopt, rotate: () => adopt(randomBytes(SECRET_BYTES)) };
    this.#sock = sock;
    this.#clock = clock;
    this.#saver = saver;
    this.#qrLifetimeMs = qrLifetimeMs;
    this.#code = new PairingCode(this.#context, () => this.#showAgain());
    this.#ceremony = new PasskeyCeremony(this.#context, () => this.#cancelQr());
  }

  get passkey(): PasskeyCeremony {
    return this.#ceremony;
  }

  /** Takes over from the library. Must be called in the tick in which the socket was made. */
  listen(): void {
    const { ws } = this.#sock;
    for (const [event, handle] of [
      ['CB:iq,type:set,pair-device', (node: BinaryNode) => this.#onPairDevice(node)],
      ['CB:iq,,pair-success', (node: BinaryNode) => this.#onPairSuccess(node)],
    ] as const) {
      ws.removeAllListeners(event);
      ws.on(event, (node: BinaryNode) => this.#next(() => handle(node)));
    }
    const library = ws.listeners('CB:notification');
    ws.removeAllListeners('CB:notification');
    ws.on('CB:notification', (node: BinaryNode) => {
      const handle = this.#handlerOf(node);
      if (handle) this.#next(() => handle(node));
      else for (const listener of library) Reflect.apply(listener, ws, [node]);
    });
  }

  /**
   * @param phone digits with country code
   * @throws GatewayError `pairing_code_refused`
   */
  requestCode(phone: string): Promise<string> {
    // a new secret would break the ceremony
    return this.#code.request(phone, this.#hasRefs && !this.#ceremony.isUnderWay);
  }

  stop(): void {
    this.#cancelQr();
    this.#ceremony.stop();
  }

  #handlerOf(node: BinaryNode): ((node: BinaryNode) => Promise<void>) | undefined {
    if (asksForRefresh(node)) return (refresh) => this.#onRefresh(refresh);
    switch (node.attrs.type) {
      case 'link_code_companion_reg':
        return (step) => this.#code.onNotification(step);
      case 'passkey_prologue_request':
        return (request) => this.#ceremony.onRequest(request);
      case 'crsc_continuation':
        return (step) => this.#ceremony.onContinuation(step);
    }
    return undefined;
  }

  /** Runs steps in order, because each may change the secret on which the next depends. */
  #next(step: () => Promise<void>): void {
    this.#steps = this.#steps.then(step).catch((error: unknown) => {
      this.#context.log.warn({ err: error }, 'a step of the pairing failed');
    });
  }

  /** Rotates the secret for each `pair-device` before the answer, like current clients (zapo, `handlePairDevice`). */
  async #onPairDevice(node: BinaryNode): Promise<void> {
    const device = getBinaryNodeChild(node, 'pair-device');
    const children = Array.isArray(device?.content) ? device.content : [];
    this.#refs = children.flatMap(({ tag, content }) =>
      tag === 'ref' && content instanceof Uint8Array ? [Buffer.from(content).toString()] : [],
    );
    if (!(await this.#context.rotate())) return;
    await this.#sock.sendNode({
      tag: 'iq',
      attrs: { to: S_WHATSAPP_NET, type: 'result', id: node.attrs.id ?? '' },
    });
    this.#hasRefs = true;
    this.#showNext(this.#qrLifetimeMs ?? FIRST_QR_MS);
  }

  /** Stores a new secret before the acknowledgement, after which the network refuses the old one (zapo). */
  async #onRefresh(node: BinaryNode): Promise<void> {
    if (this.#paired || !(await this.#context.rotate())) return;
    await acknowledge(this.#sock, node);
    this.#showAgain();
  }

  #showNext(lifetimeMs: number): void {
    this.#shown = this.#refs.shift();
    if (this.#shown !== undefined) {
      this.#showAgain();
      this.#wait(lifetimeMs);
      return;
    }
    // a code lives longer than all QR codes together
    const codeMs = this.#code.expiresAt - this.#clock.now();
    if (codeMs > 0) this.#wait(codeMs);
    else this.#context.end({ reason: reason('qr_expired') });
  }

  #wait(ms: number): void {
    this.#cancelQr();
    const next = () => this.#showNext(this.#qrLifetimeMs ?? LATER_QR_MS);
    this.#cancelQr = callAt(this.#clock, this.#clock.now() + ms, next);
  }

  /** Shows the current reference with the current secret. */
  #showAgain(): void {
    if (this.#shown === undefined || this.#paired || this.#ceremony.isUnderWay) return;
    const { noiseKey, signedIdentityKey, advSecretKey } = this.#sock.authState.creds;
    const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64');
    const keys = [base64(noiseKey.public), base64(signedIdentityKey.public), advSecretKey] as const;
    this.#context.emit({ type: 'qr', qr: buildPairingQRData(this.#shown, ...keys, BROWSER) });
  }

  async #onPairSuccess(node: BinaryNode): Promise<void> {
    if (this.#paired) return;
    const { creds } = this.#sock.authState;
    const fault = faultOf(node, creds);
    if (fault) {
      // the answer of whatsmeow and the official client; without an answer the phone waits for its timeout
      await this.#sock.sendNode({
        tag: 'iq',
        attrs: { to: S_WHATSAPP_NET, type: 'error', id: node.attrs.id ?? '' },
        content: [{ tag: 'error', attrs: { code: '401', text: 'not-authorized' } }],
      });
      this.#context.end({ reason: reason('pairing_refused', { kind: fault }) });
      return;
    }
    this.#paired = true;
    this.stop();
    const { reply, creds: linked } = configureSuccessfulPairing(node, creds);
    Object.assign(creds, linked);
    this.#sock.ev.emit('creds.update', linked);
    // the phone must not list a device whose credentials are not stored
    if (await this.#saver.keep()) await this.#sock.sendNode(reply);
  }
}

/** True for a notification that asks for a new secret; only the name of its child decides (zapo). */
function asksForRefresh(node: BinaryNode): boolean {
  return (
    node.attrs.type === 'companion_reg_refresh' ||
    getBinaryNodeChild(node, 'companion_reg_refresh') !== undefined ||
    getBinaryNodeChild(node, 'pair-device-rotate-qr') !== undefined
  );
}

type ProofFault = Extract<
  KindOf<'pairing_refused'>,
  'incomplete_proof' | 'old_qr' | 'unreadable_proof' | 'wrong_signature'
>;

/**
 * The reason why the phone's proof is invalid; undefined when it verifies. The library checks the HMAC, but ignores the
 * result when it checks the account's signature.
 */
function faultOf(node: BinaryNode, creds: AuthenticationCreds): ProofFault | undefined {
  const success = getBinaryNodeChild(node, 'pair-success');
  const identity = getBinaryNodeChild(success, 'device-identity')?.content;
  const device = getBinaryNodeChild(success, 'device');
  if (!(identity instanceof Uint8Array) || !device?.attrs.jid) {
    return 'incomplete_proof';
  }
  try {
    const { details, hmac, accountType } = proto.ADVSignedDeviceIdentityHMAC.decode(identity);
    const isHosted = accountType === proto.ADVEncryptionType.HOSTED;
    const signed = Buffer.concat([isHosted ? WA_ADV_HOSTED_ACCOUNT_SIG_PREFIX : NOTHING, details ?? NOTHING]);
    const expected = hmacSign(signed, Buffer.from(creds.advSecretKey, 'base64'));
    if (!expected.equals(hmac ?? NOTHING)) {
      return 'old_qr';
    }
    const account = proto.ADVSignedDeviceIdentity.decode(details ?? NOTHING);
    const { deviceType } = proto.ADVDeviceIdentity.decode(account.details ?? NOTHING);
    const prefix =
      deviceType === proto.ADVEncryptionType.HOSTED
        ? WA_ADV_HOSTED_ACCOUNT_SIG_PREFIX
        : WA_ADV_ACCOUNT_SIG_PREFIX;
    const message = Buffer.concat([prefix, account.details ?? NOTHING, creds.signedIdentityKey.public]);
    if (isSignedBy(account.accountSignatureKey, message, account.accountSignature)) return undefined;
  } catch {
    return 'unreadable_proof';
  }
  return 'wrong_signature';
}

const NOTHING = new Uint8Array();
