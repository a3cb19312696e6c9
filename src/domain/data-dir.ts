/** Files in the data directory of a daemon that commands on the same machine read. */

/** The master token. */
export const TOKEN_FILE = 'token';
/** The key that encrypts the store, unless the operator keeps it. */
export const ENCRYPTION_KEY_FILE = 'encryption-key';
