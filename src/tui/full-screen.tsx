import { render } from 'ink';
import { Fragment, type ReactElement } from 'react';
import { LookContext, lookOf } from './look.js';

const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[H';
const NORMAL_SCREEN = '\u001b[?1049l';
/** Pasted text comes between marks, so that its line breaks are not taken for Enter. */
const MARK_PASTES = '\u001b[?2004h';
const DO_NOT_MARK_PASTES = '\u001b[?2004l';
const SHOW_CURSOR = '\u001b[?25h';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Draws an app on the whole terminal until it calls `leave`, or the system asks the process to end. What was on the
 * terminal before is there again afterwards, whatever happened.
 * @param app its height must be less than the terminal's rows, or Ink clears the terminal for every frame.
 * @throws what the app throws while it is drawn.
 */
export async function fullScreen(app: (leave: () => void) => ReactElement): Promise<void> {
  const { stdout } = process;
  const restore = takeScreen(stdout);
  // drawn first without the app: Ink forgets what was thrown before anybody waits for the end
  const screen = render(<Fragment />, { exitOnCtrlC: false });
  const leave = () => screen.unmount();
  for (const signal of SIGNALS) process.on(signal, leave);
  try {
    const ended = screen.waitUntilExit();
    screen.rerender(<LookContext value={lookOf(stdout)}>{app(leave)}</LookContext>);
    await ended;
  } finally {
    for (const signal of SIGNALS) process.off(signal, leave);
    screen.unmount();
    restore();
  }
}

/** The returned function gives the screen back, once; so does the end of the process. */
function takeScreen(stdout: NodeJS.WriteStream): () => void {
  let isTaken = true;
  const restore = () => {
    process.off('exit', restore);
    process.off('uncaughtExceptionMonitor', restore);
    if (isTaken) stdout.write(DO_NOT_MARK_PASTES + SHOW_CURSOR + NORMAL_SCREEN);
    isTaken = false;
  };
  process.once('exit', restore);
  // what is printed of an exception belongs on the screen that stays
  process.once('uncaughtExceptionMonitor', restore);
  stdout.write(ALTERNATE_SCREEN + MARK_PASTES);
  return restore;
}
