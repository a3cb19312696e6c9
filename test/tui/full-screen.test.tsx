import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { Text } from 'ink';
import { useEffect } from 'react';
import { fullScreen } from '../../src/tui/full-screen.js';

const TAKEN = '\u001b[?1049h';
const GIVEN_BACK = '\u001b[?1049l';

describe('the whole terminal', () => {
  const write = process.stdout.write;
  let written: string;

  beforeEach(() => {
    written = '';
    process.stdout.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
      written += String(chunk);
      for (const called of rest) if (typeof called === 'function') called();
      return true;
    };
  });
  afterEach(() => {
    process.stdout.write = write;
  });

  it('is taken, and given back when the app leaves', async () => {
    await fullScreen((leave) => <Leaving onDrawn={leave} />);
    expect(written.startsWith(TAKEN)).to.equal(true);
    expect(written.split(TAKEN)).to.have.length(2);
    expectGivenBack();
  });

  it('is given back when the app cannot be drawn', async () => {
    const failure = await fullScreen(() => <Failing />).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'cannot be drawn');
    expectGivenBack();
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    it(`is given back at ${signal}`, async () => {
      const before = process.listenerCount(signal);
      await fullScreen(() => <Leaving onDrawn={() => process.emit(signal, signal)} />);
      expectGivenBack();
      expect(process.listenerCount(signal)).to.equal(before);
    });
  }

  it('is given back before an exception is printed', async () => {
    let atException = '';
    await fullScreen((leave) => (
      <Leaving
        onDrawn={() => {
          EventEmitter.prototype.emit.call(process, 'uncaughtExceptionMonitor', new Error('elsewhere'));
          atException = written;
          leave();
        }}
      />
    ));
    expect(atException).to.contain(GIVEN_BACK);
    expect(written.split(GIVEN_BACK)).to.have.length(2);
  });

  function expectGivenBack(): void {
    expect(written.endsWith(GIVEN_BACK)).to.equal(true);
    expect(written.split(GIVEN_BACK)).to.have.length(2);
    expect(written).to.contain('\u001b[?25h');
    expect(written).to.contain('\u001b[?2004l');
  }
});

/** Says when it has been drawn. */
function Leaving({ onDrawn }: { onDrawn(): void }) {
  useEffect(() => {
    const turn = setImmediate(onDrawn);
    return () => clearImmediate(turn);
  }, [onDrawn]);
  return <Text>an app</Text>;
}

function Failing(): never {
  throw new Error('cannot be drawn');
}
