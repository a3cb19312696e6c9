import type { ReactElement } from 'react';
import {
  type FullScreenOptions,
  fullScreen,
  type TerminalSize,
} from '../../../../src/terminal/tui/screen.js';
import { VirtualTerminal, type VirtualTerminalOptions } from './virtual-terminal.js';

/** A screen on a simulated terminal. */
export interface Rendered {
  terminal: VirtualTerminal;
  /** What the terminal shows. @throws Error while output is on its way */
  frame(): string;
  /** Resolves with the first frame, the current one included, that has all these texts. */
  frameWith(...texts: string[]): Promise<string>;
  /** Resolves with the first frame, the current one included, that matches. */
  frameThat(fits: (frame: string) => boolean): Promise<string>;
  /** Types these keys, encoded as a terminal does. Resolves when all have been read, and their effects are drawn. */
  type(...inputs: string[]): Promise<void>;
  /** Resolves when changes are drawn, which takes React a tick or two. */
  drawn(): Promise<void>;
  /** Changes the size of the terminal. Resolves when the screen has followed. */
  resize(columns: number, rows: number): Promise<void>;
  unmount(): Promise<void>;
}

/** The terminal, and the settings of the screens. */
export interface Look extends VirtualTerminalOptions {
  theme?: FullScreenOptions['theme'];
}

/** Draws a full screen on a terminal of a given size. Resolves once it is drawn. */
export async function draw(
  app: ReactElement,
  size: TerminalSize,
  { theme, ...options }: Look = {},
): Promise<Rendered> {
  const terminal = new VirtualTerminal(size, options);
  let leave: () => void = () => undefined;
  const ended = fullScreen(
    (end) => {
      leave = end;
      return app;
    },
    { mouse: true, ...(theme && { theme }) },
    terminal,
  );
  await Promise.race([terminal.frameThat((frame) => frame.trim() !== ''), ended]);
  const rendered = onTerminal(terminal);
  await rendered.drawn();
  return {
    ...rendered,
    async unmount() {
      leave();
      await ended;
    },
  };
}

/** A program that draws on a terminal by itself. */
export function onTerminal(terminal: VirtualTerminal): Omit<Rendered, 'unmount'> {
  const frameThat = (fits: (frame: string) => boolean) => terminal.frameThat(fits);
  const drawn = async () => {
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await terminal.drawn();
  };
  return {
    terminal,
    frame: () => terminal.frame(),
    frameThat,
    frameWith: (...texts) => frameThat((candidate) => texts.every((text) => candidate.includes(text))),
    drawn,
    async type(...inputs) {
      for (const input of inputs) {
        terminal.stdin.push(input);
        await drawn();
      }
    },
    async resize(columns, rows) {
      terminal.resize({ columns, rows });
      await drawn();
    },
  };
}

/**
 * Turns of the event loop until React has drawn a change and its effects. Ink waits one to tell Escape from the start of an
 * escape sequence.
 */
const TURNS = 4;

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
