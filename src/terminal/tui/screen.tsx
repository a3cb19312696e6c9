import { type Instance, render, useInput, useStdout } from 'ink';
import {
  createContext,
  Fragment,
  type ReactElement,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { askBackground } from './background.js';
import { Painter } from './painter.js';
import { type Press, PressReader } from './press.js';
import {
  type TerminalAbilities,
  TerminalContext,
  type TerminalStreams,
  terminalAbilities,
} from './terminal.js';
import type { Line } from './text/line.js';

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[H';
const NORMAL_SCREEN = '\u001b[?1049l';
/** Bracketed paste: marks pasted text, so that its line breaks are not read as Enter. */
const MARK_PASTES = '\u001b[?2004h';
const DO_NOT_MARK_PASTES = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
/** A row that is drawn too wide is cut: a new row would scroll the whole screen. */
const NO_AUTOWRAP = '\u001b[?7l';
const AUTOWRAP = '\u001b[?7h';
/** Presses, the wheel, and coordinates beyond column 223. */
const MOUSE = '\u001b[?1000h\u001b[?1006h';
const NO_MOUSE = '\u001b[?1006l\u001b[?1000l';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The painter of the full screen. */
const PainterContext = createContext<Painter | undefined>(undefined);

export interface FullScreenOptions {
  /** Reports clicks and the wheel; the terminal then selects text only with Shift. */
  mouse?: boolean;
  /** `auto` asks the terminal. `plain` uses only the 16 colours of the terminal's own theme. */
  theme?: 'auto' | 'dark' | 'light' | 'plain';
}

/**
 * Draws an app on the whole terminal until the app calls `leave` or the process gets a signal. Always restores the
 * terminal's former content. Ink runs the app and reads the keyboard; only the painter of `Screen` draws, so the app
 * renders none of Ink's elements.
 * @throws the errors that the app throws while rendering
 */
export async function fullScreen(
  app: (leave: () => void) => ReactElement,
  { mouse = false, theme = 'auto' }: FullScreenOptions = {},
  { stdin, stdout, env }: TerminalStreams = process,
): Promise<void> {
  const restore = takeScreen(stdout, mouse);
  const showWarnings = holdWarnings();
  const left = new AbortController();
  let screen: Instance | undefined;
  const leave = () => {
    left.abort();
    screen?.unmount();
  };
  for (const signal of SIGNALS) process.on(signal, leave);
  try {
    const ask = () => askBackground(stdin, (text) => stdout.write(text), left);
    const look = await themed(terminalAbilities(stdout, env), theme, ask);
    if (left.signal.aborted) return;
    const painter = new Painter(stdout, look);
    // renders without the app first: Ink drops errors that are thrown before `waitUntilExit` is called
    screen = render(<Fragment />, { stdin, stdout, exitOnCtrlC: false });
    const ended = screen.waitUntilExit();
    screen.rerender(
      <TerminalContext value={look}>
        <PainterContext value={painter}>{app(leave)}</PainterContext>
      </TerminalContext>,
    );
    await ended;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    screen?.unmount();
    restore();
    showWarnings();
  }
}

/** Holds warnings of Node back, because they would scroll the screen. The returned function prints them. */
function holdWarnings(): () => void {
  const printers = process.listeners('warning');
  const held: Error[] = [];
  const hold = (warning: Error) => {
    held.push(warning);
  };
  process.removeAllListeners('warning');
  process.on('warning', hold);
  return () => {
    process.off('warning', hold);
    for (const print of printers) {
      process.on('warning', print);
      for (const warning of held) print(warning);
    }
  };
}

async function themed(
  look: TerminalAbilities,
  theme: NonNullable<FullScreenOptions['theme']>,
  askWhetherLight: () => Promise<boolean | undefined>,
): Promise<TerminalAbilities> {
  if (theme === 'plain') return { ...look, depth: 16 };
  if (theme !== 'auto') return { ...look, light: theme === 'light' };
  if (!look.color || look.depth === 16 || look.light !== undefined) return look;
  return { ...look, light: await askWhetherLight() };
}

/** Switches to the alternate screen. The returned function, or the end of the process, restores the screen once. */
function takeScreen(stdout: NodeJS.WriteStream, mouse: boolean): () => void {
  let isTaken = true;
  const restore = () => {
    process.off('exit', restore);
    process.off('uncaughtExceptionMonitor', restore);
    if (isTaken)
      stdout.write((mouse ? NO_MOUSE : '') + AUTOWRAP + DO_NOT_MARK_PASTES + SHOW_CURSOR + NORMAL_SCREEN);
    isTaken = false;
  };
  process.once('exit', restore);
  // the exception is printed after this, on the normal screen
  process.once('uncaughtExceptionMonitor', restore);
  stdout.write(ALTERNATE_SCREEN + NO_AUTOWRAP + MARK_PASTES + (mouse ? MOUSE : ''));
  return restore;
}

/** A whole screen of lines. Shows the terminal's cursor at the span with `cursor`. */
export function Screen({ lines }: { lines: readonly Line[] }) {
  const painter = useContext(PainterContext);
  if (!painter) throw new Error('a screen is drawn only by fullScreen');
  useLayoutEffect(() => painter.paint(lines), [painter, lines]);
  useInput((input, key) => {
    if (key.ctrl && input === 'l') painter.repaint();
  });
  return null;
}

/** Calls `onPress` for each key, typed text and paste. */
export function usePresses(onPress: (press: Press) => void, options: { isActive?: boolean } = {}): void {
  const reader = useRef<PressReader>(undefined);
  reader.current ??= new PressReader();
  const report = (presses: readonly Press[] = []) => {
    for (const press of presses) onPress(press);
  };
  useInput((input, key) => {
    report(reader.current?.read(input, key));
    // a terminal sends the whole of an answer at once
    setImmediate(() => report(reader.current?.rest()));
  }, options);
}

/** An observable value: each change makes a new `state`. */
export interface Store<State> {
  readonly state: State;
  /** Calls `listener` after every change; the returned function unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** Returns the store's state, and renders again after each change. */
export function useStore<State>(store: Store<State>): State {
  return useSyncExternalStore(
    (listener) => store.subscribe(listener),
    () => store.state,
  );
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/** The size of a terminal that reports none. */
const USUAL: TerminalSize = { columns: 80, rows: 24 };

/** Returns the terminal's size, and renders again after each change. */
export function useTerminalSize(): TerminalSize {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const update = () => setSize(sizeOf(stdout));
    stdout.on('resize', update);
    return () => {
      stdout.off('resize', update);
    };
  }, [stdout]);
  return size;
}

function sizeOf(stdout: { columns?: number; rows?: number }): TerminalSize {
  return { columns: stdout.columns || USUAL.columns, rows: stdout.rows || USUAL.rows };
}
