import type { Account } from './account.js';

/** Something that each account has one of, made when it is first asked for. */
export class PerAccount<Thing> {
  readonly #things = new Map<Account, Thing>();
  readonly #make: (account: Account) => Thing;

  constructor(make: (account: Account) => Thing) {
    this.#make = make;
  }

  of(account: Account): Thing {
    const known = this.#things.get(account);
    if (known !== undefined) return known;
    const thing = this.#make(account);
    this.#things.set(account, thing);
    return thing;
  }

  /** Those that were ever asked for. */
  get all(): Iterable<Thing> {
    return this.#things.values();
  }
}
