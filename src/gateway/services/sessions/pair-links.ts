import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { PairLinkAnswer, PairState } from '../../../contract/index.js';
import type { Clock, EpochMs } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { sessionOfPairToken } from '../../../domain/ids.js';
import type { Reason } from '../../../domain/reasons.js';
import { isTerminal } from '../../../domain/session.js';
import type { PasskeyState, WebAuthnAssertion } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRegistry } from './registry.js';

/** Milliseconds for which an address is valid. */
const LINK_MS = 15 * 60_000;
/** Milliseconds for which the network accepts a pairing code. */
const CODE_MS = 180_000;
const SECRET_BYTES = 32;

/** A pairing as the owner of the number sees it at a one-time address. Contains no other data of the session. */
export interface PairView extends Pick<PairState, 'status' | 'code'> {
  reason?: Reason | undefined;
  /** The text inside the QR. */
  qr?: string;
  passkey?: PasskeyState;
  /** When the address expires. */
  expiresAt: EpochMs;
}

interface PairLink {
  /** SHA-256 of the secret. */
  hash: Buffer;
  /** Of its session: a later session of the same clientId is another one. */
  createdAt: number;
  expiresAt: EpochMs;
  /** The number has been linked: the address is closed. */
  isUsed: boolean;
  code?: { text: string; expiresAt: number };
}

/**
 * One-time addresses where the owner of a number links it. The token is the clientId and 256 random bits: the clientId leads
 * any node to the node of the session, which alone keeps the link, in memory and hashed. It is not stored: a pairing ends
 * with a handover anyway, and the operator then creates a new link. Every method that takes a token throws
 * pair_link_unknown.
 */
export class MemoryPairLinks {
  readonly #options;
  readonly #links = new Map<string, PairLink>();

  constructor(options: {
    sessions: Pick<
      SessionRegistry,
      'has' | 'get' | 'start' | 'qr' | 'pairPhone' | 'passkey' | 'answerPasskey' | 'confirmPasskey'
    >;
    /** When a session of this node was created. */
    createdAt(clientId: string): number;
    /** Of this service, without a slash at its end. */
    address: { readonly publicUrl: string };
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** Creates an address, which replaces an earlier one of the session. @throws session_unknown, session_already_paired */
  create(clientId: string): Omit<PairLinkAnswer, 'clientId'> {
    const { sessions, createdAt, address, clock, log } = this.#options;
    const { jid, status } = sessions.get(clientId);
    if (jid !== '' && !isTerminal(status)) {
      throw new GatewayError('session_already_paired', 'this session is already paired');
    }
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const expiresAt = clock.now() + LINK_MS;
    const link = { hash: digest(secret), createdAt: createdAt(clientId), expiresAt, isUsed: false };
    this.#links.set(clientId, link);
    log.info({ clientId, seconds: LINK_MS / 1_000 }, 'created a one-time address for pairing');
    return {
      url: `${address.publicUrl}/pair/${clientId}.${secret}`,
      expiresAt: new Date(expiresAt).toISOString(),
    };
  }

  /** The URL of a token. */
  url(token: string): string {
    this.#find(token);
    return `${this.#options.address.publicUrl}/pair/${token}`;
  }

  view(token: string): PairView {
    const { clientId, link } = this.#find(token);
    const { sessions, clock } = this.#options;
    const { status, jid, reason } = sessions.get(clientId);
    const left = { expiresAt: link.expiresAt };
    if (jid !== '' && !isTerminal(status)) link.isUsed = true;
    if (link.isUsed) return { status: 'linked', ...left };
    const passkey = sessions.passkey(clientId);
    if (passkey) return { status: 'passkey', reason, passkey, ...left };
    const { code } = link;
    const shownCode = code && code.expiresAt > clock.now() ? { code: code.text } : {};
    const { qr } = sessions.qr(clientId);
    if (qr) return { status: 'qr', reason, qr, ...shownCode, ...left };
    const hasStopped = isTerminal(status) || reason !== undefined;
    return { status: hasStopped ? 'stopped' : 'waiting', reason, ...left };
  }

  /** Connects again after the QR codes expired. */
  async start(token: string): Promise<void> {
    const { clientId, link } = this.#open(token);
    link.code = undefined;
    await this.#options.sessions.start(clientId, {});
  }

  /** @throws session_already_paired, pairing_code_refused */
  async requestCode(token: string, phone: string): Promise<string> {
    const { clientId, link } = this.#open(token);
    const { sessions, clock } = this.#options;
    const text = await sessions.pairPhone(clientId, phone);
    link.code = { text, expiresAt: clock.now() + CODE_MS };
    return text;
  }

  /** @throws passkey_not_asked, passkey_malformed, passkey_expired, passkey_refused */
  async answerPasskey(token: string, assertion: WebAuthnAssertion): Promise<void> {
    await this.#options.sessions.answerPasskey(this.#open(token).clientId, assertion);
  }

  /** @throws passkey_not_asked, passkey_expired, passkey_refused */
  async confirmPasskey(token: string): Promise<void> {
    await this.#options.sessions.confirmPasskey(this.#open(token).clientId);
  }

  /** The session left this node, or was deleted. */
  forget(clientId: string): void {
    this.#links.delete(clientId);
  }

  /** A link that may still act. @throws GatewayError pair_link_unknown */
  #open(token: string): { clientId: string; link: PairLink } {
    if (this.view(token).status !== 'linked') return this.#find(token);
    throw unknownLink();
  }

  /** @throws GatewayError pair_link_unknown, with the same words whatever is wrong with the token */
  #find(token: string): { clientId: string; link: PairLink } {
    const { sessions, createdAt, clock } = this.#options;
    const clientId = sessionOfPairToken(token) ?? '';
    const link = this.#links.get(clientId);
    if (!link || !timingSafeEqual(link.hash, digest(token.slice(clientId.length + 1)))) throw unknownLink();
    const lives = sessions.has(clientId) && createdAt(clientId) === link.createdAt;
    if (lives && link.expiresAt > clock.now()) return { clientId, link };
    this.#links.delete(clientId);
    throw unknownLink();
  }
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function unknownLink(): GatewayError {
  return new GatewayError('pair_link_unknown', 'this address is not valid; ask for a new one');
}
