import { WriteStream } from 'node:tty';
import { expect } from 'chai';
import { Progress } from '../../src/cli/progress.js';

const MEGABYTE = 1024 * 1024;

/** A terminal of that width, or a pipe, that keeps what was written. */
function stream(columns: number | undefined): { written: string[]; stream: WriteStream } {
  const written: string[] = [];
  const stream: WriteStream = Object.create(WriteStream.prototype, {
    isTTY: { value: columns !== undefined },
    columns: { value: columns },
    write: { value: (text: string) => written.push(text) > 0 },
  });
  return { written, stream };
}

/** What stands on the line after a text was written. */
function shown(text: string | undefined): string {
  return (text ?? '').replace('\r\u001b[K', '');
}

describe('the progress of an upload', () => {
  it('is a bar with how much has gone', () => {
    const { written, stream: terminal } = stream(100);
    new Progress('film.mp4', 10 * MEGABYTE, terminal).add(5 * MEGABYTE);
    expect(shown(written.at(-1))).to.equal(
      `film.mp4  ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  5.0 of 10.0 MB`,
    );
  });

  it('never wraps, however long the name and however narrow the terminal', () => {
    for (const columns of [20, 60, 80]) {
      const { written, stream: terminal } = stream(columns);
      const progress = new Progress('a'.repeat(200), 10 * MEGABYTE, terminal);
      progress.add(MEGABYTE);
      progress.add(9 * MEGABYTE);
      expect(written).to.have.length(2);
      for (const text of written) expect(shown(text).length, text).to.be.below(columns);
    }
  });

  it('says when everything has gone, and takes itself away', () => {
    const { written, stream: terminal } = stream(80);
    const progress = new Progress('film.mp4', MEGABYTE, terminal);
    progress.add(MEGABYTE);
    expect(shown(written.at(-1))).to.equal('film.mp4  sent, waiting for the answer');
    progress.end();
    expect(written.at(-1)).to.equal('\r\u001b[K');
  });

  it('is silent in a pipe', () => {
    const { written, stream: pipe } = stream(undefined);
    const progress = new Progress('film.mp4', MEGABYTE, pipe);
    progress.add(MEGABYTE);
    progress.end();
    expect(written).to.deep.equal([]);
  });
});
