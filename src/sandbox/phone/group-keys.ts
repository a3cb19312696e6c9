import Joi from 'joi';
import type { Distribution, KeyOwner, KeyPosition, SenderKeys } from '../signal/sender-keys.js';
import type { State } from '../store/state.js';
import { readRow } from '../store/stored-row.js';

/** Beyond this the oldest known key of a sender is dropped. */
const MAX_KEYS_PER_SENDER = 5;

const KNOWN = Joi.array().items(
  Joi.array<[number, number]>().ordered(Joi.number().required(), Joi.number().required()),
);
const GIVEN = Joi.object<{ epoch: number; devices: string[] }>({
  epoch: Joi.number().required(),
  devices: Joi.array().items(Joi.string()).required(),
});

/** The sender keys that one phone may use, and the devices that have its own key. */
export class GroupKeys {
  readonly #owner: string;
  readonly #address: string;
  readonly keys: SenderKeys;
  readonly #state: State;
  /** By group and sender: key id → first iteration that this phone may decrypt. */
  readonly #known = new Map<string, Map<number, number>>();
  /** By group: the devices (by row) that have the phone's own key, and the group's epoch when it was created. */
  readonly #given = new Map<string, { epoch: number; devices: Set<string> }>();

  /**
   * @param owner the phone's key in the stored state
   * @param address `lid.0`
   */
  constructor(owner: string, address: string, keys: SenderKeys, state: State) {
    this.#owner = owner;
    this.#address = address;
    this.keys = keys;
    this.#state = state;
  }

  /** Learns the key that a device gave to this phone. */
  async learn(owner: KeyOwner, distribution: Uint8Array): Promise<void> {
    this.note(owner, await this.keys.learn(owner, distribution));
  }

  /** The phone may decrypt from this position on. */
  note(owner: KeyOwner, { keyId, iteration }: KeyPosition): void {
    const row = knownRow(owner);
    const known = this.#known.get(row) ?? new Map<number, number>();
    known.set(keyId, Math.min(iteration, known.get(keyId) ?? iteration));
    const [oldest] = known.keys();
    if (known.size > MAX_KEYS_PER_SENDER && oldest !== undefined) known.delete(oldest);
    this.#known.set(row, known);
    this.#state.put('group-keys', `${this.#owner}/${row}`, () => JSON.stringify([...known]));
  }

  /** @throws when the phone was not given the key, or decryption fails */
  async open(owner: KeyOwner, ciphertext: Buffer): Promise<Buffer> {
    const { keyId, iteration } = this.keys.positionOf(ciphertext);
    const first = this.#known.get(knownRow(owner))?.get(keyId);
    if (first === undefined || iteration < first) throw new Error('this phone was not given the key');
    return this.keys.open(owner, ciphertext);
  }

  /** Encrypts for a group with the phone's own key. */
  seal(group: string, plain: Buffer): Promise<Buffer> {
    return this.keys.seal(this.#own(group), plain);
  }

  /** The phone's own key of a group, for devices that lack it. */
  distribution(group: string): Promise<Distribution> {
    return this.keys.distribution(this.#own(group));
  }

  #own(group: string): KeyOwner {
    return { group, sender: this.#address };
  }

  get address(): string {
    return this.#address;
  }

  /**
   * Notes that a device gets the phone's own key. After a member has left, the phone starts a new key, which the former
   * member cannot read.
   * @returns false when the device already has the key
   */
  give(group: string, epoch: number, device: string): boolean {
    const known = this.#given.get(group);
    const given = known?.epoch === epoch ? known : this.#begin(group, epoch);
    if (given.devices.has(device)) return false;
    given.devices.add(device);
    this.#keepGiven(group, given);
    return true;
  }

  /** Drops all keys, as a phone that is installed anew has none. */
  reset(): void {
    for (const row of [...this.#known.keys(), ...this.#given.keys()])
      this.#state.remove('group-keys', `${this.#owner}/${row}`);
    this.#known.clear();
    this.#given.clear();
  }

  /** A device has lost the phone's own keys: it gets them again with the next messages. */
  forget(device: string): void {
    for (const [group, given] of this.#given) if (given.devices.delete(device)) this.#keepGiven(group, given);
  }

  /** Puts back a stored row, `<group>` or `<group> <sender>`. After an interrupted run the phone starts a new key. */
  restore(row: string, value: string, interrupted: boolean): void {
    if (row.includes(' ')) {
      this.#known.set(row, new Map(readRow(KNOWN, value)));
      return;
    }
    if (interrupted) return;
    const { epoch, devices } = readRow(GIVEN, value);
    this.#given.set(row, { epoch, devices: new Set(devices) });
  }

  #begin(group: string, epoch: number) {
    this.keys.renew(this.#own(group));
    const given = { epoch, devices: new Set<string>() };
    this.#given.set(group, given);
    return given;
  }

  #keepGiven(group: string, { epoch, devices }: { epoch: number; devices: Set<string> }): void {
    this.#state.put('group-keys', `${this.#owner}/${group}`, () =>
      JSON.stringify({ epoch, devices: [...devices] }),
    );
  }
}

function knownRow({ group, sender }: KeyOwner): string {
  return `${group} ${sender}`;
}
