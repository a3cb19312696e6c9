import { randomBytes } from 'node:crypto';
import type { Account } from '../account.js';

const TOKEN_BYTES = 32;

/** What people's devices show when they upload, as long as the network runs. */
export class MediaTokens {
  readonly #tokens = new Map<Account, string>();
  readonly #accounts = new Map<string, Account>();

  /** The token of a person; all devices share it. */
  of(account: Account): string {
    const known = this.#tokens.get(account);
    if (known) return known;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#tokens.set(account, token);
    this.#accounts.set(token, account);
    return token;
  }

  /** Whose token it is. */
  owner(token: string): Account | undefined {
    return this.#accounts.get(token);
  }
}
