import { render } from 'ink-testing-library';
import { createElement, Fragment, type ReactElement } from 'react';

/** A screen on a simulated terminal. */
export interface Rendered {
  frame(): string;
  /** Resolves with the first frame, the current one included, that has all these texts. */
  frameWith(...texts: string[]): Promise<string>;
  /** Resolves with the first frame, the current one included, that matches. */
  frameThat(fits: (frame: string) => boolean): Promise<string>;
  /** Types these keys, encoded as a terminal does. Resolves when all have been read. */
  type(...inputs: string[]): Promise<void>;
  /** Changes the size of the terminal. */
  resize(columns: number, rows: number): void;
  unmount(): void;
}

/** Draws a screen on a terminal of a given size. */
export function draw(screen: ReactElement, size: { columns: number; rows: number }): Rendered {
  // the size is set before the first frame
  const instance = render(createElement(Fragment));
  const { stdout } = instance;
  const write = stdout.write;
  const waiters: { fits: (frame: string) => boolean; resolve: (frame: string) => void }[] = [];
  stdout.write = (frame: string) => {
    write(frame);
    for (const { fits, resolve } of waiters) if (fits(frame)) resolve(frame);
  };
  const resize = (columns: number, rows: number) => {
    Object.defineProperty(stdout, 'columns', { configurable: true, value: columns });
    Object.defineProperty(stdout, 'rows', { configurable: true, value: rows });
    stdout.emit('resize');
  };
  resize(size.columns, size.rows);
  instance.rerender(screen);
  const frame = () => instance.lastFrame() ?? '';
  const frameThat = (fits: (frame: string) => boolean): Promise<string> => {
    if (fits(frame())) return Promise.resolve(frame());
    return new Promise((resolve) => waiters.push({ fits, resolve }));
  };
  return {
    frame,
    frameThat,
    frameWith: (...texts) => frameThat((candidate) => texts.every((text) => candidate.includes(text))),
    async type(...inputs) {
      for (const input of inputs) {
        instance.stdin.write(input);
        // Ink waits one tick to tell Escape from the start of an escape sequence
        await new Promise((resolve) => setImmediate(resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    resize,
    unmount: instance.unmount,
  };
}

/** Escape sequences of keys without a character. */
export const KEYS = {
  enter: '\r',
  altEnter: '\u001b\r',
  escape: '\u001b',
  tab: '\t',
  shiftTab: '\u001b[Z',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  home: '\u001b[H',
  end: '\u001b[F',
  pageUp: '\u001b[5~',
  pageDown: '\u001b[6~',
  backspace: '\u007f',
  ctrlC: '\u0003',
  ctrlJ: '\n',
  ctrlU: '\u0015',
  ctrlW: '\u0017',
  pasteBegins: '\u001b[200~',
  pasteEnds: '\u001b[201~',
} as const;
