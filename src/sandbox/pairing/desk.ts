import { randomBytes } from 'node:crypto';
import type { Account } from '../account.js';
import type { DeviceView } from '../api.js';
import { Companion } from '../companion.js';
import type { Connection } from '../connection.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { announceDevices } from '../routing/devices.js';
import { NETWORK_JID } from '../wire/jid.js';
import { bytesOf, child, type Stanza, stanza } from '../wire/stanza.js';
import { completeProof, type PhoneProof, signDevice } from './adv.js';
import { CodeDesk } from './code-desk.js';
import { parseQr } from './qr.js';
import type { Registration } from './registration.js';

const REFS = 6;
const REF_BYTES = 48;
/** How long a device may take to answer the phone. */
const ANSWER_MS = 15_000;

interface Pending {
  account: Account;
  registration: Registration;
  deviceId: number;
  proof: PhoneProof;
  resolve(device: DeviceView): void;
  reject(error: Error): void;
}

/** Where devices wait to be linked, and phones link them: by QR here, by typed code in `codes`. */
export class PairingDesk {
  readonly codes: CodeDesk;
  readonly #network: Network;
  readonly #refs = new Map<string, Connection>();
  readonly #pending = new Map<Connection, Pending>();

  constructor(network: Network) {
    this.#network = network;
    this.codes = new CodeDesk(network, this);
  }

  /** A device that wants to be linked is connected: it gets the refs of its QRs. */
  admit(connection: Connection): void {
    const refs = Array.from({ length: REFS }, () => `2@${randomBytes(REF_BYTES).toString('base64')}`);
    for (const ref of refs) this.#refs.set(ref, connection);
    const elements = refs.map((ref) => stanza('ref', {}, Buffer.from(ref)));
    connection.send(
      stanza('iq', { from: NETWORK_JID, type: 'set', id: this.#network.newId(), xmlns: 'md' }, [
        stanza('pair-device', {}, elements),
      ]),
    );
  }

  /** The device is gone. */
  leave(connection: Connection): void {
    for (const [ref, owner] of this.#refs) {
      if (owner === connection) this.#refs.delete(ref);
    }
    this.codes.leave(connection);
    this.#pending.get(connection)?.reject(new Refusal(409, 'the device went away'));
  }

  /**
   * A phone scans a QR.
   * @throws Refusal 400 when it is no QR, is not (or no longer) shown by any device, or names other keys than the
   * device that shows it.
   */
  async scan(account: Account, text: string): Promise<DeviceView> {
    const qr = parseQr(text);
    if (!qr) throw new Refusal(400, 'this is not a pairing QR');
    const connection = this.#refs.get(qr.ref);
    const registration = connection?.registration;
    if (!connection || !registration)
      throw new Refusal(400, 'the QR has expired: no device shows it any more');
    if (!registration.noiseKey.equals(qr.noiseKey) || !registration.identity.equals(qr.identity)) {
      throw new Refusal(400, 'the QR names other keys than the device that shows it');
    }
    return this.link(connection, account, qr.advSecret);
  }

  /** Links a device to a phone, once the phone knows the secret that authenticates it. */
  link(connection: Connection, account: Account, advSecret: Buffer): Promise<DeviceView> {
    const registration = connection.registration;
    if (!registration || this.#pending.has(connection))
      throw new Refusal(409, 'the device is being linked already');
    const deviceId = account.record.nextDevice++;
    account.keep();
    const proof = signDevice(account.record.keys.identity, {
      identity: registration.identity,
      advSecret,
      keyIndex: deviceId,
      nowS: this.#network.now(),
    });
    const answered = new Promise<DeviceView>((resolve, reject) => {
      this.#pending.set(connection, { account, registration, deviceId, proof, resolve, reject });
    });
    const cancel = this.#network.clock.after(ANSWER_MS, () => {
      this.#pending.get(connection)?.reject(new Refusal(504, 'the device did not answer'));
    });
    connection.send(this.#pairSuccess(account, deviceId, proof));
    return answered.finally(() => {
      cancel();
      this.#pending.delete(connection);
    });
  }

  /** The device's signed answer; its connection is restarted, as the network does. */
  answer(connection: Connection, result: Stanza): void {
    const pending = this.#pending.get(connection);
    const signed = child(child(result, 'pair-device-sign'), 'device-identity');
    if (!pending || !signed) return;
    const { account, registration, deviceId, proof } = pending;
    const phone = account.record.keys.identity;
    const identityProof = completeProof(phone, proof, registration.identity, bytesOf(signed));
    if (!identityProof) {
      pending.reject(new Refusal(400, "the device's signature is not valid"));
      connection.close();
      return;
    }
    const companion = this.#register(account, { ...registration, id: deviceId, identityProof });
    pending.resolve(companion.view());
    connection.close(stanza('stream:error', { code: '515' }));
  }

  #register(account: Account, device: Registration & { id: number; identityProof: Buffer }): Companion {
    const { noiseKey, ...rest } = device;
    const companion = new Companion(
      account,
      { ...rest, noiseKey: noiseKey.toString('base64'), isGreeted: false },
      this.#network.state,
    );
    account.companions.set(companion.id, companion);
    companion.keep();
    this.#network.log?.info({ number: account.number, device: companion.id }, 'device linked');
    this.#network.tellDevice(companion, 'linked');
    announceDevices(this.#network, account, companion);
    return companion;
  }

  #pairSuccess(account: Account, deviceId: number, proof: PhoneProof): Stanza {
    return stanza('iq', { from: NETWORK_JID, type: 'set', id: this.#network.newId(), xmlns: 'md' }, [
      stanza('pair-success', {}, [
        stanza('device-identity', {}, proof.container),
        stanza('platform', { name: 'android' }),
        stanza('device', { jid: account.jid('pn', deviceId), lid: account.jid('lid', deviceId) }),
        stanza('biz', { name: account.record.name }),
      ]),
    ]);
  }
}
