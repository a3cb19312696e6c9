/**
 * Where the master token is kept in the data directory; commands on the same machine read it there. Alone in its file, because
 * every command loads it.
 */
export const TOKEN_FILE = 'token';
