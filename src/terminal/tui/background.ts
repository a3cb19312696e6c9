/** Asks for the background colour, then for the kind of terminal, which every terminal answers. */
const QUESTIONS = '\u001b]11;?\u001b\\\u001b[c';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal answers with control characters
const LAST_ANSWER = /\u001b\[\?[\d;]*c/;
const COLOR = /\]11;rgb:([\da-f]{2})[\da-f]*\/([\da-f]{2})[\da-f]*\/([\da-f]{2})/i;
const CTRL_C = '\u0003';
const UNTIL_MS = 200;
/** The middle of the brightness of a colour, which is 0 to 255. */
const MIDDLE = 128;

interface Keyboard {
  isTTY?: boolean;
  setRawMode?(raw: boolean): unknown;
  on(event: 'readable', listener: () => void): unknown;
  off(event: 'readable', listener: () => void): unknown;
  read(): Buffer | string | null;
}

/**
 * Asks the terminal for its background, and waits for the answer for at most 200 ms.
 * @param left ends the waiting; aborted at Ctrl+C, which makes no signal in the terminal's raw mode
 * @returns whether it is light; undefined if the terminal does not tell
 */
export async function askBackground(
  keyboard: Keyboard,
  write: (text: string) => unknown,
  left: AbortController,
): Promise<boolean | undefined> {
  if (!keyboard.isTTY || !keyboard.setRawMode) return undefined;
  let answer = '';
  let done: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    done = resolve;
  });
  // as Ink reads: a keyboard that was paused once would stay silent
  const listen = () => {
    for (let data = keyboard.read(); data !== null; data = keyboard.read()) answer += data.toString();
    if (answer.includes(CTRL_C)) left.abort();
    if (LAST_ANSWER.test(answer)) done();
  };
  const timer = setTimeout(done, UNTIL_MS);
  left.signal.addEventListener('abort', done, { once: true });
  keyboard.setRawMode(true);
  keyboard.on('readable', listen);
  write(QUESTIONS);
  await answered;
  clearTimeout(timer);
  left.signal.removeEventListener('abort', done);
  keyboard.off('readable', listen);
  keyboard.setRawMode(false);
  return isLight(answer);
}

/** Reads the answer of a terminal. */
export function isLight(answer: string): boolean | undefined {
  const [, ...parts] = COLOR.exec(answer) ?? [];
  const [red, green, blue] = parts.map((part) => Number.parseInt(part, 16));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return 0.299 * red + 0.587 * green + 0.114 * blue > MIDDLE;
}
