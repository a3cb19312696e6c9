import { expect } from 'chai';
import { listenForInterrupt } from '../../src/cli/interrupt.js';

describe('an interrupt', () => {
  const wasTTY = process.stdout.isTTY;
  afterEach(() => {
    process.stdout.isTTY = wasTTY;
  });

  /** Whether a command on a terminal, or not, is told of a signal; what is left of its listeners is counted. */
  const isTold = (name: NodeJS.Signals, onTerminal: boolean) => {
    process.stdout.isTTY = onTerminal;
    const before = process.listenerCount(name);
    const { signal, release } = listenForInterrupt();
    process.emit(name, name);
    release();
    expect(process.listenerCount(name)).to.equal(before);
    return signal.aborted;
  };

  it('comes with a terminal that is closed, and not to what was started to outlive it', () => {
    expect(isTold('SIGHUP', true)).to.equal(true);
    expect(isTold('SIGHUP', false)).to.equal(false);
  });
});
