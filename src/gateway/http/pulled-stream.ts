import { Readable } from 'node:stream';

/**
 * Makes a stream of pieces, which are read only as fast as the reader consumes them. Ends the generator with the stream,
 * also if the reader has gone or reads nothing for `stallMs` milliseconds, so that its resources are freed.
 *
 * @returns once the first piece has arrived
 * @throws the error of the first piece
 */
export async function pulledStream(
  pieces: AsyncGenerator<Uint8Array, void>,
  stallMs: number,
): Promise<Readable> {
  let first: IteratorResult<Uint8Array, void> | undefined = await pieces.next();
  let stall: NodeJS.Timeout | undefined;
  const pull = async () => {
    const next = first ?? (await pieces.next());
    first = undefined;
    return next;
  };
  const stream = new Readable({
    read() {
      clearTimeout(stall);
      pull().then(
        ({ done, value }) => {
          // a reader that has gone meanwhile takes nothing more
          if (stream.destroyed) return;
          if (done) return stream.push(null);
          stall = setTimeout(() => stream.destroy(new Error('the reader takes nothing')), stallMs);
          return stream.push(value);
        },
        (error: Error) => stream.destroy(error),
      );
    },
    destroy(error, done) {
      clearTimeout(stall);
      pieces.return().then(
        () => done(error),
        (failure: Error) => done(error ?? failure),
      );
    },
  });
  return stream;
}
