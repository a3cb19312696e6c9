import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { expect } from 'chai';
import { Text } from 'ink';
import { useEffect } from 'react';
import { fullScreen } from '../../src/tui/screen.js';

const TAKEN = '\u001b[?1049h';
const GIVEN_BACK = '\u001b[?1049l';

describe('the full screen', () => {
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

  it('restores the terminal when the app leaves', async () => {
    await fullScreen((leave) => <Leaving onDrawn={leave} />);
    expect(written.startsWith(TAKEN)).to.equal(true);
    expect(written.split(TAKEN)).to.have.length(2);
    expectGivenBack();
  });

  it('restores the terminal when the app throws while rendering', async () => {
    const failure = await fullScreen(() => <Failing />).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'cannot be drawn');
    expectGivenBack();
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    it(`restores the terminal at ${signal}`, async () => {
      const before = process.listeners(signal);
      await fullScreen(() => <Leaving onDrawn={() => process.emit(signal, signal)} />);
      expectGivenBack();
      // one that Ink leaves for a moment after the test before may be gone
      expect(before).to.include.members(process.listeners(signal));
    });
  }

  for (const ending of ['SIGTERM', 'Ctrl+C']) {
    it(`ends at ${ending} while it waits for the terminal's answer about its background`, async () => {
      const modes: boolean[] = [];
      const keyboard = Object.assign(new PassThrough(), {
        isTTY: true,
        setRawMode: (raw: boolean) => modes.push(raw),
      });
      const stdin = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
      const { env } = process;
      process.env = { FORCE_COLOR: '1', COLORTERM: 'truecolor' };
      Object.defineProperty(process, 'stdin', { configurable: true, value: keyboard });
      const record = process.stdout.write;
      process.stdout.write = (chunk: string | Uint8Array) => {
        record.call(process.stdout, chunk);
        if (String(chunk).includes(']11;?')) {
          if (ending === 'SIGTERM') process.emit('SIGTERM', 'SIGTERM');
          else keyboard.write('\u0003');
        }
        return true;
      };
      try {
        await fullScreen(() => <Failing />);
      } finally {
        process.env = env;
        Object.defineProperty(process, 'stdin', stdin);
      }
      expect(modes).to.deep.equal([true, false]);
      expectGivenBack();
    });
  }

  it('restores the terminal before an exception is printed', async () => {
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

/** Reports its first render. */
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
