import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { useEffect } from 'react';
import { type FullScreenOptions, fullScreen, Screen } from '../../../src/terminal/tui/screen.js';
import { VirtualTerminal } from './support/virtual-terminal.js';

const BEFORE = '$ switchboard inbox';
const LEFT = { isAlternate: false, marksPastes: false, reportsMouse: false, wraps: true };

describe('the full screen', () => {
  let terminal: VirtualTerminal;

  const begin = (env?: NodeJS.ProcessEnv) => {
    terminal = new VirtualTerminal({ columns: 40, rows: 5 }, env && { env });
    terminal.stdout.write(`${BEFORE}\r\n`);
  };
  beforeEach(() => begin());

  const show = (app: Parameters<typeof fullScreen>[0], options?: FullScreenOptions) =>
    fullScreen(app, options, terminal);

  it('takes the terminal, and restores it when the app leaves', async () => {
    let during: object = {};
    await show(
      (leave) => (
        <Leaving
          onDrawn={async () => {
            await terminal.drawn();
            during = { ...terminal.modes, frame: terminal.frame().trimEnd(), cursor: terminal.cursor };
            leave();
          }}
        />
      ),
      { mouse: true },
    );
    const modes = { isAlternate: true, marksPastes: true, reportsMouse: true, wraps: false };
    expect(during).to.deep.equal({ ...modes, frame: 'an app', cursor: undefined });
    await expectGivenBack();
  });

  it('restores the terminal when the app throws while rendering', async () => {
    const failure = await show(() => <Failing />).catch((error: unknown) => error);
    expect(failure).to.be.an('error').with.property('message', 'cannot be drawn');
    await expectGivenBack();
  });

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    it(`restores the terminal at ${signal}`, async () => {
      const before = process.listeners(signal);
      await show(() => <Leaving onDrawn={() => process.emit(signal, signal)} />);
      await expectGivenBack();
      // one that Ink leaves for a moment after the test before may be gone
      expect(before).to.include.members(process.listeners(signal));
    });
  }

  for (const ending of ['SIGTERM', 'Ctrl+C']) {
    it(`ends at ${ending} while it waits for the terminal's answer about its background`, async () => {
      begin({ TERM: 'xterm', COLORTERM: 'truecolor' });
      const shown = show(() => <Failing />);
      expect(terminal.written.at(-1)).to.contain(']11;?');
      if (ending === 'SIGTERM') process.emit('SIGTERM', 'SIGTERM');
      else terminal.stdin.push('\u0003');
      await shown;
      expect(terminal.stdin.rawModes).to.deep.equal([true, false]);
      await expectGivenBack();
    });
  }

  it('restores the terminal before an exception is printed', async () => {
    let atException: readonly string[] = [];
    await show((leave) => (
      <Leaving
        onDrawn={() => {
          EventEmitter.prototype.emit.call(process, 'uncaughtExceptionMonitor', new Error('elsewhere'));
          atException = [...terminal.written];
          leave();
        }}
      />
    ));
    const atExceptionShown = new VirtualTerminal({ columns: 40, rows: 5 });
    for (const text of atException) atExceptionShown.stdout.write(text);
    await expectGivenBack(atExceptionShown);
    await expectGivenBack();
  });

  async function expectGivenBack(given = terminal): Promise<void> {
    await given.drawn();
    expect(given.modes).to.deep.equal(LEFT);
    expect(given.frame().trimEnd()).to.equal(BEFORE);
    expect(given.cursor).to.deep.equal({ row: 1, column: 0 });
  }
});

const LINES = [[{ text: 'an app' }]];

/** Reports its first render. */
function Leaving({ onDrawn }: { onDrawn(): void }) {
  useEffect(() => {
    const turn = setImmediate(onDrawn);
    return () => clearImmediate(turn);
  }, [onDrawn]);
  return <Screen lines={LINES} />;
}

function Failing(): never {
  throw new Error('cannot be drawn');
}
