import { randomBytes } from 'node:crypto';
import type { Account } from '../account.js';
import type { DeviceView } from '../api.js';
import type { Connection } from '../connection.js';
import { noPairingCode } from '../faults/no-pairing-code.js';
import { IqError } from '../iq/iq.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { agree, generateKeyPair, type KeyPair } from '../wire/curve.js';
import { NETWORK_JID } from '../wire/jid.js';
import { bytesOf, child, type Stanza, stanza } from '../wire/stanza.js';
import type { PairingDesk } from './desk.js';
import { deriveAdvSecret, openBundle, unwrapKey, wrapKey } from './link-code.js';

const REF_BYTES = 16;
/** How long a device may take to answer a typed code. */
const ANSWER_MS = 15_000;
const KEY_BYTES = 32;
const TAG = 'link_code_companion_reg';

/** A device that shows a code and waits for somebody to type it. */
interface Request {
  connection: Connection;
  ref: Buffer;
  wrappedEphemeral: Buffer;
  /** True while a typed code is being tried. */
  isTried: boolean;
  /** Set while the device has to answer the phone. */
  attempt?: Attempt;
}

interface Attempt {
  account: Account;
  shared: Buffer;
  resolve(device: Promise<DeviceView>): void;
  reject(error: Error): void;
}

/** Linking by the eight characters that a device shows and a phone's owner types. */
export class CodeDesk {
  readonly #network: Network;
  readonly #desk: PairingDesk;
  /** By the number that the device wants to be linked to; the latest request of a number wins. */
  readonly #requests = new Map<string, Request>();

  constructor(network: Network, desk: PairingDesk) {
    this.#network = network;
    this.#desk = desk;
  }

  /** The device announces that it shows a code. @throws IqError when nobody has that number. */
  hello(connection: Connection, element: Stanza): Stanza {
    const account = this.#network.registry.byJid(element.attrs.jid);
    if (!account) throw new IqError(404, 'item-not-found');
    if (this.#network.faults.take(noPairingCode, account)) throw new IqError(429, 'rate-overlimit');
    const wrappedEphemeral = bytesOf(child(element, 'link_code_pairing_wrapped_companion_ephemeral_pub'));
    const ref = randomBytes(REF_BYTES);
    this.#requests.set(account.pn, { connection, ref, wrappedEphemeral, isTried: false });
    return stanza(TAG, { stage: 'companion_hello' }, [stanza('link_code_pairing_ref', {}, ref)]);
  }

  /**
   * A phone's owner types a code.
   * @throws Refusal 400 when no device waits for one, or when it is wrong.
   */
  async enter(account: Account, code: string): Promise<DeviceView> {
    const request = this.#requests.get(account.pn);
    if (!request) throw new Refusal(400, `no device waits for a code of ${account.number}`);
    if (request.isTried) throw new Refusal(409, 'another code is being tried');
    request.isTried = true;
    return this.#try(request, account, code).finally(() => {
      request.isTried = false;
      request.attempt = undefined;
    });
  }

  async #try(request: Request, account: Account, code: string): Promise<DeviceView> {
    const ephemeral = generateKeyPair();
    const companionEphemeral = await unwrapKey(code, request.wrappedEphemeral);
    const wrapped = await wrapKey(code, ephemeral.public);
    const shared = agree(ephemeral.private, companionEphemeral);
    if (this.#requests.get(account.pn) !== request) throw new Refusal(409, 'the device went away');
    const answered = new Promise<DeviceView>((resolve, reject) => {
      request.attempt = { account, shared, resolve, reject };
    });
    const cancel = this.#network.clock.after(ANSWER_MS, () => {
      request.attempt?.reject(new Refusal(504, 'the device did not answer'));
    });
    request.connection.send(this.#primaryHello(request, account.record.keys.identity, wrapped));
    return answered.finally(cancel);
  }

  /** The device's answer to a typed code. @throws IqError when the code was wrong. */
  finish(connection: Connection, element: Stanza, afterAnswer: (callback: () => void) => void): void {
    const request = this.#requestOf(connection);
    const attempt = request?.attempt;
    if (!attempt) throw new IqError(400, 'bad-request');
    const phoneIdentity = attempt.account.record.keys.identity;
    const sealed = bytesOf(child(element, 'link_code_pairing_wrapped_key_bundle'));
    const bundle = openBundle(attempt.shared, sealed);
    const presented = connection.registration?.identity;
    if (
      !bundle ||
      !presented?.equals(bundle.companionIdentity) ||
      !isKey(phoneIdentity, bundle.phoneIdentity)
    ) {
      attempt.reject(new Refusal(400, 'wrong code'));
      throw new IqError(400, 'bad-request');
    }
    const advSecret = deriveAdvSecret(attempt.shared, phoneIdentity, bundle);
    afterAnswer(() => attempt.resolve(this.#desk.link(connection, attempt.account, advSecret)));
  }

  /** The device is gone. */
  leave(connection: Connection): void {
    for (const [pn, request] of this.#requests) {
      if (request.connection !== connection) continue;
      this.#requests.delete(pn);
      request.attempt?.reject(new Refusal(409, 'the device went away'));
    }
  }

  #requestOf(connection: Connection): Request | undefined {
    return [...this.#requests.values()].find((request) => request.connection === connection);
  }

  #primaryHello(request: Request, identity: KeyPair, wrapped: Buffer): Stanza {
    const attrs = { from: NETWORK_JID, type: TAG, id: this.#network.newId(), t: String(this.#network.now()) };
    return stanza('notification', attrs, [
      stanza(TAG, { stage: 'primary_hello' }, [
        stanza('link_code_pairing_wrapped_primary_ephemeral_pub', {}, wrapped),
        stanza('primary_identity_pub', {}, identity.public),
        stanza('link_code_pairing_ref', {}, request.ref),
      ]),
    ]);
  }
}

function isKey(pair: KeyPair, key: Buffer): boolean {
  return key.length === KEY_BYTES && pair.public.equals(key);
}
