import type { Distribution, KeyOwner, KeyPosition, SenderKeys } from '../signal/sender-keys.js';
import type { State } from '../state/state.js';

/** A device uses few keys at a time: with the fifth new one the oldest goes. */
const MAX_KEYS_PER_SENDER = 5;

/** Whom a phone has given its own key of a group. */
interface Given {
  /** Of the group, when the key was made. */
  epoch: number;
  /** Rows of devices. */
  devices: Set<string>;
}

/** Which keys of groups one phone was given, and to whom it has given its own. */
export class GroupKeys {
  readonly #owner: string;
  readonly #address: string;
  readonly #keys: SenderKeys;
  readonly #state: State;
  /** By group and sender: id of the key → the first message that it opens for this phone. */
  readonly #known = new Map<string, Map<number, number>>();
  readonly #given = new Map<string, Given>();

  /**
   * @param owner the phone's key in the kept state
   * @param address `lid.0`
   */
  constructor(owner: string, address: string, keys: SenderKeys, state: State) {
    this.#owner = owner;
    this.#address = address;
    this.#keys = keys;
    this.#state = state;
  }

  /** Takes the key that a device gave to this phone. */
  async learn(owner: KeyOwner, distribution: Uint8Array): Promise<void> {
    this.note(owner, await this.#keys.learn(owner, distribution));
  }

  /** The phone can read what comes from there on. */
  note(owner: KeyOwner, { keyId, iteration }: KeyPosition): void {
    const row = knownRow(owner);
    const known = this.#known.get(row) ?? new Map<number, number>();
    known.set(keyId, Math.min(iteration, known.get(keyId) ?? iteration));
    const [oldest] = known.keys();
    if (known.size > MAX_KEYS_PER_SENDER && oldest !== undefined) known.delete(oldest);
    this.#known.set(row, known);
    this.#state.put('group-keys', `${this.#owner}/${row}`, () => JSON.stringify([...known]));
  }

  /** @throws when the phone was not given the key of that message, or it cannot be decrypted */
  async open(owner: KeyOwner, ciphertext: Buffer): Promise<Buffer> {
    const { keyId, iteration } = this.#keys.positionOf(ciphertext);
    const first = this.#known.get(knownRow(owner))?.get(keyId);
    if (first === undefined || iteration < first) throw new Error('this phone was not given the key');
    return this.#keys.open(owner, ciphertext);
  }

  /** Encrypts for a group with the phone's own key. */
  seal(group: string, plain: Buffer): Promise<Buffer> {
    return this.#keys.seal(this.#own(group), plain);
  }

  /** The phone's own key of a group, for those who have not got it yet. */
  distribution(group: string): Promise<Distribution> {
    return this.#keys.distribution(this.#own(group));
  }

  /** The name under which others know the phone's own key. */
  #own(group: string): KeyOwner {
    return { group, sender: this.#address };
  }

  get address(): string {
    return this.#address;
  }

  /**
   * Notes that a device is given the phone's own key now. Whoever went from the group since must not read on, so
   * that the phone begins with a new key then.
   * @returns false when the device has it already
   */
  give(group: string, epoch: number, device: string): boolean {
    const known = this.#given.get(group);
    const given = known?.epoch === epoch ? known : this.#begin(group, epoch);
    if (given.devices.has(device)) return false;
    given.devices.add(device);
    this.#keepGiven(group, given);
    return true;
  }

  /** Puts back a kept row, `<group>` or `<group> <sender>`. After an interrupted run the phone begins with a new key. */
  restore(row: string, value: string, interrupted: boolean): void {
    if (row.includes(' ')) {
      this.#known.set(row, new Map(JSON.parse(value)));
      return;
    }
    if (interrupted) return;
    const { epoch, devices } = JSON.parse(value);
    this.#given.set(row, { epoch, devices: new Set(devices) });
  }

  #begin(group: string, epoch: number): Given {
    this.#keys.renew(this.#own(group));
    const given = { epoch, devices: new Set<string>() };
    this.#given.set(group, given);
    return given;
  }

  #keepGiven(group: string, { epoch, devices }: Given): void {
    this.#state.put('group-keys', `${this.#owner}/${group}`, () =>
      JSON.stringify({ epoch, devices: [...devices] }),
    );
  }
}

function knownRow({ group, sender }: KeyOwner): string {
  return `${group} ${sender}`;
}
