import { randomBytes } from 'node:crypto';
import type { DeviceView, RefreshRequest, RefreshResult } from '../../contract/sandbox/index.js';
import type { Account, ClientConnection } from '../state/account.js';
import type { Network } from '../state/network.js';
import { Refusal } from '../wire/refusals.js';
import { NETWORK_JID, type Stanza, stanza } from '../wire/stanza.js';
import { PairingCodes } from './code.js';
import { DeviceLinks } from './links.js';
import { Passkeys } from './passkeys.js';

const REFS = 6;
const REF_BYTES = 48;
const KEY_BYTES = 32;
/** Milliseconds in which a device must acknowledge that it made another secret. */
const REFRESH_MS = 3_000;
const REFRESH = 'companion_reg_refresh';

/** A device that connected to be linked. */
interface Applicant {
  /** Id of the `pair-device` query. */
  queryId: string;
  /** The device has answered `pair-device`. */
  isReady: boolean;
  /** The device has not acknowledged that it made another secret: phones refuse all its QRs. */
  isOutdated: boolean;
}

/** Links devices to phones: by QR here, by typed code in `codes`; both end in `links`. */
export class Pairing {
  readonly links: DeviceLinks;
  readonly codes: PairingCodes;
  readonly passkeys: Passkeys;
  readonly #network: Network;
  readonly #applicants = new Map<ClientConnection, Applicant>();
  /** The device that shows the QR of a ref. */
  readonly #refs = new Map<string, ClientConnection>();
  /** Secrets of QRs that phones scanned or were shown, by the device's identity; `refresh` makes them stale. */
  readonly #secrets = new Map<string, { seen: Set<string>; stale: Set<string> }>();
  /** Notifications that a device must acknowledge, by id. */
  readonly #awaited = new Map<string, { connection: ClientConnection; settle(isDone: boolean): void }>();

  constructor(network: Network) {
    this.#network = network;
    this.links = new DeviceLinks(network);
    this.passkeys = new Passkeys(network, this.links);
    this.codes = new PairingCodes(network, this.passkeys);
  }

  /** Sends the refs of its QRs to a device that connected to be linked. */
  admit(connection: ClientConnection): void {
    if (this.#network.faults.cutPairing(connection, 'pair-device')) return;
    const refs = Array.from({ length: REFS }, () => `2@${randomBytes(REF_BYTES).toString('base64')}`);
    for (const ref of refs) this.#refs.set(ref, connection);
    const elements = refs.map((ref) => stanza('ref', {}, Buffer.from(ref)));
    const queryId = this.#network.newId();
    this.#applicants.set(connection, { queryId, isReady: false, isOutdated: false });
    connection.send(
      stanza('iq', { from: NETWORK_JID, type: 'set', id: queryId, xmlns: 'md' }, [
        stanza('pair-device', {}, elements),
      ]),
    );
  }

  /** True once a device has answered `pair-device`; the network refuses its requests before. */
  isReady(connection: ClientConnection): boolean {
    return this.#applicants.get(connection)?.isReady ?? false;
  }

  /** Takes a device's answer to `pair-device` or `pair-success`. */
  takeAnswer(connection: ClientConnection, answer: Stanza): void {
    const applicant = this.#applicants.get(connection);
    if (applicant && applicant.queryId === answer.attrs.id)
      applicant.isReady = answer.attrs.type === 'result';
    else this.links.complete(connection, answer);
  }

  /** Takes the acknowledgement of a device that is being linked. */
  takeAck({ attrs }: Stanza): void {
    this.#awaited.get(attrs.id ?? '')?.settle(true);
  }

  /** Drops everything that waits for a connection that has ended. */
  leave(connection: ClientConnection): void {
    for (const [ref, owner] of this.#refs) {
      if (owner === connection) this.#refs.delete(ref);
    }
    for (const awaited of this.#awaited.values()) {
      if (awaited.connection === connection) awaited.settle(false);
    }
    this.#applicants.delete(connection);
    this.codes.leave(connection);
    this.passkeys.leave(connection);
    this.links.leave(connection);
  }

  /** Asks all devices that are being linked for another secret, one time after the other. */
  async refresh({ count = 1, element, qrs = [] }: RefreshRequest): Promise<RefreshResult> {
    for (const text of qrs) {
      const qr = parseQr(text);
      if (qr) this.#secretsOf(qr.identity).seen.add(secretOf(qr.advSecret));
    }
    const connections = [...this.#applicants.keys()];
    const results = await Promise.all(
      connections.map(async (connection) => {
        let acknowledged = 0;
        for (let time = 0; time < count; time++) {
          if (!(await this.#askForSecret(connection, element))) break;
          acknowledged++;
        }
        return acknowledged;
      }),
    );
    return { devices: connections.length, acknowledged: results.reduce((sum, one) => sum + one, 0) };
  }

  /** Demands a passkey of a person from all devices that are being linked, before a QR is scanned. @returns how many */
  demandPasskey(account: Account): number {
    const connections = [...this.#applicants.keys()];
    for (const connection of connections) {
      this.passkeys
        .demand(connection, account)
        .catch((error: Error) => this.#network.log?.info({ err: error }, 'a passkey ceremony failed'));
    }
    return connections.length;
  }

  /**
   * A phone scans a QR.
   * @throws Refusal 400 when the text is no pairing QR, when no device shows the QR, when the QR names other keys than
   * the device that shows it, or a secret that the network has asked the device to replace
   */
  async scan(account: Account, text: string): Promise<DeviceView> {
    const qr = parseQr(text);
    if (!qr) throw new Refusal('qr_invalid', 'this is not a pairing QR');
    const connection = this.#refs.get(qr.ref);
    const registration = connection?.registration;
    if (!connection || !registration)
      throw new Refusal('qr_expired', 'the QR has expired: no device shows it');
    if (!registration.noiseKey.equals(qr.noiseKey) || !registration.identity.equals(qr.identity)) {
      throw new Refusal('qr_invalid', 'the QR names other keys than the device that shows it');
    }
    const { seen, stale } = this.#secretsOf(qr.identity);
    const secret = secretOf(qr.advSecret);
    if (stale.has(secret) || this.#applicants.get(connection)?.isOutdated)
      throw new Refusal('qr_expired', 'the QR has an old secret: the network asked for another one');
    seen.add(secret);
    if (this.#network.faults.take('refresh-at-scan', account)) {
      await this.#askForSecret(connection);
      throw new Refusal('qr_expired', 'the network asked the device for another QR: scan that one');
    }
    return this.passkeys.link(connection, account, qr.advSecret);
  }

  /**
   * Sends `companion_reg_refresh`: the device makes another secret, acknowledges, and shows it in its QR (zapo
   * `WaPairingFlow.ts`). @returns false when no acknowledgement came
   */
  #askForSecret(connection: ClientConnection, element = REFRESH): Promise<boolean> {
    const { identity } = connection.registration ?? {};
    const applicant = this.#applicants.get(connection);
    if (!identity || !applicant) return Promise.resolve(false);
    applicant.isOutdated = true;
    const { seen, stale } = this.#secretsOf(identity);
    for (const secret of seen) stale.add(secret);
    const id = this.#network.newId();
    return new Promise<boolean>((resolve) => {
      const cancel = this.#network.clock.after(REFRESH_MS, () => settle(false));
      const settle = (isDone: boolean) => {
        cancel();
        this.#awaited.delete(id);
        if (isDone) applicant.isOutdated = false;
        resolve(isDone);
      };
      this.#awaited.set(id, { connection, settle });
      const attrs = { from: NETWORK_JID, type: REFRESH, id, t: String(this.#network.now()) };
      connection.send(stanza('notification', attrs, [stanza(element)]));
    });
  }

  #secretsOf(identity: Buffer): { seen: Set<string>; stale: Set<string> } {
    const key = identity.toString('base64');
    const known = this.#secrets.get(key) ?? { seen: new Set(), stale: new Set() };
    this.#secrets.set(key, known);
    return known;
  }
}

function secretOf(advSecret: Buffer): string {
  return advSecret.toString('base64');
}

/** Reads the text inside a QR, with or without its URL; undefined when it is no pairing QR. */
export function parseQr(text: string) {
  const [ref, noiseKey, identity, advSecret] = text
    .slice(text.indexOf('#') + 1)
    .trim()
    .split(',');
  if (!ref || !noiseKey || !identity || !advSecret) return undefined;
  const keys = {
    noiseKey: Buffer.from(noiseKey, 'base64'),
    identity: Buffer.from(identity, 'base64'),
    advSecret: Buffer.from(advSecret, 'base64'),
  };
  const isWhole = Object.values(keys).every((key) => key.length === KEY_BYTES);
  return isWhole ? { ref, ...keys } : undefined;
}
