import { randomBytes } from 'node:crypto';
import type { DeviceView } from '../../contract/sandbox/index.js';
import { announceDevices } from '../routing/devices.js';
import { type Account, type ClientConnection, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import type { Registration } from '../state/registration.js';
import { generateKeyPair } from '../wire/keys.js';
import { Refusal } from '../wire/refusals.js';
import { bytesOf, child, NETWORK_JID, type Stanza, stanza } from '../wire/stanza.js';
import { completeProof, type PhoneProof, signDevice } from './adv.js';

/** Milliseconds in which a device must answer `pair-success`. */
const ANSWER_MS = 15_000;
/** Milliseconds that the network waits after a repeated `pair-success`. */
const REPEAT_MS = 250;

/** A device that has to answer `pair-success`. */
interface Pending {
  account: Account;
  registration: Registration;
  deviceId: number;
  proof: PhoneProof;
  isAnswered: boolean;
  resolve(device: DeviceView): void;
  reject(error: Error): void;
}

/** The last step of linking, after a QR or a typed code: the phone signs the device, the device signs back. */
export class DeviceLinks {
  readonly #network: Network;
  readonly #pending = new Map<ClientConnection, Pending>();

  constructor(network: Network) {
    this.#network = network;
  }

  /** Sends `pair-success`; resolves once the device has answered. @param advSecret from the QR or the typed code */
  start(connection: ClientConnection, account: Account, advSecret: Buffer): Promise<DeviceView> {
    const { registration } = connection;
    if (!registration || this.#pending.has(connection))
      throw new Refusal('link_busy', 'the device is being linked already');
    const deviceId = account.record.nextDevice++;
    account.keep();
    const { faults } = this.#network;
    const hasWrongHmac = faults.take('wrong-pair-hmac', account);
    const hasWrongSignature = faults.take('wrong-pair-signature', account);
    const proof = signDevice(account.record.keys.identity, {
      identity: registration.identity,
      advSecret: hasWrongHmac ? randomBytes(advSecret.length) : advSecret,
      rawId: account.record.keys.registrationId,
      keyIndex: deviceId,
      nowS: this.#network.now(),
      signWith: hasWrongSignature && generateKeyPair(),
    });
    const answered = new Promise<DeviceView>((resolve, reject) => {
      const pending = { account, registration, deviceId, proof, isAnswered: false, resolve, reject };
      this.#pending.set(connection, pending);
    });
    const cancel = this.#network.clock.after(ANSWER_MS, () => {
      this.#pending.get(connection)?.reject(new Refusal('device_silent', 'the device did not answer'));
    });
    if (!faults.cutPairing(connection, 'pair-success', account))
      connection.send(this.#pairSuccess(account, deviceId, proof));
    return answered.finally(() => {
      cancel();
      this.#pending.delete(connection);
    });
  }

  /** Takes the device's signed answer, and closes the connection with 515 as the real network does. */
  complete(connection: ClientConnection, result: Stanza): void {
    const pending = this.#pending.get(connection);
    if (!pending) return;
    if (pending.isAnswered) this.#network.stats.countPairError('answered twice');
    else if (result.attrs.type === 'error') this.#refused(pending, result);
    else this.#complete(connection, pending, result);
  }

  /** The device could not verify `pair-success`. */
  #refused(pending: Pending, answer: Stanza): void {
    const { code, text } = child(answer, 'error')?.attrs ?? {};
    this.#network.stats.countPairError(`${code} ${text}`);
    pending.reject(new Refusal('link_refused', `the device refused to be linked: ${code} ${text}`));
  }

  #complete(connection: ClientConnection, pending: Pending, result: Stanza): void {
    const { account, registration, deviceId, proof } = pending;
    const { faults, clock } = this.#network;
    const signed = child(child(result, 'pair-device-sign'), 'device-identity');
    if (!signed || faults.cutPairing(connection, 'pair-device-sign', account)) return;
    const phone = account.record.keys.identity;
    const identityProof = completeProof(phone, proof, registration.identity, bytesOf(signed));
    if (!identityProof) {
      pending.reject(new Refusal('link_refused', "the device's signature is not valid"));
      connection.close();
      return;
    }
    pending.isAnswered = true;
    const companion = this.#register(account, registration, deviceId, identityProof);
    const restart = () => {
      pending.resolve(companion.view());
      if (!faults.cutPairing(connection, 'restart', account))
        connection.close(stanza('stream:error', { code: '515' }));
    };
    if (!faults.take('repeat-pair-success', account)) {
      restart();
      return;
    }
    connection.send(this.#pairSuccess(account, deviceId, proof));
    clock.after(REPEAT_MS, restart);
  }

  /** The connection has ended. */
  leave(connection: ClientConnection): void {
    this.#pending.get(connection)?.reject(new Refusal('device_gone', 'the device went away'));
  }

  #register(
    account: Account,
    { noiseKey, ...device }: Registration,
    id: number,
    identityProof: Buffer,
  ): Companion {
    const record = { ...device, id, identityProof, noiseKey: noiseKey.toString('base64'), isGreeted: false };
    const companion = new Companion(account, record, this.#network.state);
    account.companions.set(companion.id, companion);
    companion.keep();
    this.#network.log?.info({ number: account.number, device: companion.id }, 'device linked');
    this.#network.reportDevice(companion, 'linked');
    announceDevices(this.#network, account, 'add', companion);
    return companion;
  }

  #pairSuccess(account: Account, deviceId: number, proof: PhoneProof): Stanza {
    const { businessName } = account.record;
    return stanza('iq', { from: NETWORK_JID, type: 'set', id: this.#network.newId(), xmlns: 'md' }, [
      stanza('pair-success', { t: String(this.#network.now()) }, [
        stanza('device-identity', {}, proof.container),
        stanza('platform', { name: 'android' }),
        stanza('device', { jid: account.jid('pn', deviceId), lid: account.jid('lid', deviceId) }),
        ...(businessName ? [stanza('biz', { name: businessName })] : []),
      ]),
    ]);
  }
}
