/** What is used of a connection. */
interface Connection {
  emit(event: string | symbol, ...args: unknown[]): boolean;
  destroy(error?: Error): unknown;
}

/**
 * Keeps what a library throws while it handles an event of a connection from ending the process: it ends the connection instead, and the
 * request on it fails. undici 7 throws an AssertionError where a host closes a connection while the body of its answer waits for its
 * reader (nodejs/undici#5360); its repair is in undici 8, which needs Node 22.19.
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
    // the library notes an error, and then cleans up what belongs to the connection
    if (event === 'error' || event === 'close') attempt('error', [failure]);
    else connection.destroy(failure);
    if (event === 'close') attempt('close', [true]);
    return true;
  };
  return connection;
}

type Opened<C> = [error: null, connection: C] | [error: Error, connection: null];

/** The callback of a connector, with each connection contained. Every pool of connections to a stranger's host needs it. */
export function containing<C extends Connection>(
  opened: (...outcome: Opened<C>) => void,
): (...outcome: Opened<C>) => void {
  return (...[error, connection]) => (error ? opened(error, null) : opened(null, contained(connection)));
}
