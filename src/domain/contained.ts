/** The used part of a connection. */
interface Connection {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  destroy(error?: Error): unknown;
}

/**
 * Contains errors that a library throws while it handles an event of a connection: instead of the process, only the
 * connection ends, and its request fails. undici 7 throws an AssertionError if a host closes a connection while the body
 * of its answer waits for a reader (nodejs/undici#5360); the fix is in undici 8, which needs Node 22.19.
 */
export function contained<C extends Connection>(connection: C): C {
  const emit = connection.emit.bind(connection);
  const attempt = (event: string | symbol, args: unknown[]): Error | undefined => {
    try {
      emit(event, ...args);
      return undefined;
    } catch (cause) {
      return new Error('the protocol library failed on this connection', { cause });
    }
  };
  connection.emit = (event, ...args) => {
    const failure = attempt(event, args);
    if (!failure) return true;
    // the library records the error, and then cleans up its state of the connection
    if (event === 'error' || event === 'close') attempt('error', [failure]);
    else connection.destroy(failure);
    if (event === 'close') attempt('close', [true]);
    return true;
  };
  return connection;
}

type Opened<C> = [error: null, connection: C] | [error: Error, connection: null];

/** Wraps the callback of a connector, so that each connection is contained. Every pool of connections to a stranger's host needs this. */
export function containing<C extends Connection>(
  opened: (...outcome: Opened<C>) => void,
): (...outcome: Opened<C>) => void {
  return (...[error, connection]) => (error ? opened(error, null) : opened(null, contained(connection)));
}
