import type { Key } from 'ink';

/** Keyboard input: a key, typed text, or a paste. */
export type Press =
  /** The name of the key with its modifiers: `up`, `enter`, `alt+enter`, `ctrl+c`, `shift+tab`. */
  | { type: 'key'; key: string }
  /** Printable text; several characters if they arrived in one chunk. */
  | { type: 'text'; text: string }
  /** Pasted text, possibly of several lines. `guessed`: the terminal does not mark pastes, so fast typing looks the same. */
  | { type: 'paste'; text: string; guessed: boolean }
  /** A click, or one step of the wheel. Columns and rows begin at 0. */
  | { type: 'mouse'; action: 'click' | 'up' | 'down'; column: number; row: number };

const PASTE_BEGINS = '[200~';
const PASTE_ENDS = '[201~';
/** A line break with more text in the same chunk: a paste, because nobody types that fast. */
const BREAK_WITHIN = /[\r\n][^\r\n]/;
const CONTROL = /^\p{Cc}$/u;
/** The bell, which ends an answer of some terminals; the others end it with `ESC \`. */
const BELL = '\u0007';
/** A terminal's late answer about its background. Ink knows no such sequence and passes it on in pieces, without `ESC`. */
const COLOR_ANSWER = new RegExp(`^\\]11;rgb:[\\da-f]{1,4}(?:/[\\da-f]{1,4}){2}(${BELL}|$)`, 'i');

/** Turns Ink's input into presses. Stateful, one for each terminal: remembers an unfinished paste or answer. */
export class PressReader {
  /** The text of an unfinished paste. */
  #paste: string | undefined;
  /** `]` if it was read last: typed, or the begin of an answer. */
  #bracket = '';
  /** The next `\` ends an answer. */
  #isAnswer = false;

  read(input: string, key: Key): Press[] {
    if (this.#paste !== undefined && input !== PASTE_BEGINS) return this.#pasted(input, key, this.#paste);
    const whole = this.#bracket + input;
    const isEnd = this.#isAnswer && input === '\\';
    const answer = COLOR_ANSWER.exec(whole);
    this.#isAnswer = answer !== null && answer[1] !== BELL;
    if (answer) {
      this.#bracket = '';
      return split(whole.slice(answer[0].length));
    }
    const before = this.rest();
    if (isEnd) return before;
    if (input === ']') this.#bracket = input;
    else if (input === PASTE_BEGINS) this.#paste = '';
    else before.push(...typed(input, key));
    return before;
  }

  /** A `]` that was held back, because it could be the begin of an answer: to be called when no more input is there. */
  rest(): Press[] {
    const text = this.#bracket;
    this.#bracket = '';
    return text ? [{ type: 'text', text }] : [];
  }

  #pasted(input: string, key: Key, before: string): Press[] {
    this.#paste = undefined;
    if (input === PASTE_ENDS)
      return before === '' ? [] : [{ type: 'paste', text: lines(before), guessed: false }];
    if (key.ctrl && input === 'c') return [{ type: 'key', key: 'ctrl+c' }];
    this.#paste = before + (key.return ? '\n' : key.tab ? '\t' : key.ctrl ? '' : input);
    return [];
  }
}

const MOUSE = /^\[<(\d+);(\d+);(\d+)([Mm])$/;
/** A late answer about the kind of the terminal. */
const ANSWER = /^\[\?[\d;]*c$/;
const MOUSE_ACTIONS: Readonly<Record<string, 'click' | 'up' | 'down'>> = { 0: 'click', 64: 'up', 65: 'down' };

function mouseOf([, button = '', column, row, state]: readonly string[]): Press[] {
  const action = MOUSE_ACTIONS[button];
  if (!action || state !== 'M') return [];
  return [{ type: 'mouse', action, column: Number(column) - 1, row: Number(row) - 1 }];
}

function typed(input: string, key: Key): Press[] {
  const mouse = MOUSE.exec(input);
  if (mouse) return mouseOf(mouse);
  if (ANSWER.test(input)) return [];
  const name = nameOf(key);
  if (name) return [{ type: 'key', key: withModifiers(name, key) }];
  if (key.ctrl || key.meta) return input === '' ? [] : [{ type: 'key', key: withModifiers(input, key) }];
  if (BREAK_WITHIN.test(input)) return [{ type: 'paste', text: lines(input), guessed: true }];
  return split(input);
}

/** Splits a chunk of several keys. */
function split(input: string): Press[] {
  const presses: Press[] = [];
  for (const character of input) {
    const last = presses.at(-1);
    if (CONTROL.test(character)) presses.push({ type: 'key', key: controlName(character) });
    else if (last?.type === 'text') last.text += character;
    else presses.push({ type: 'text', text: character });
  }
  return presses;
}

function controlName(character: string): string {
  if (character === '\r') return 'enter';
  if (character === '\t') return 'tab';
  if (character === '\u007f' || character === '\b') return 'backspace';
  if (character === '\u001b') return 'escape';
  return `ctrl+${String.fromCharCode(character.charCodeAt(0) + 96)}`;
}

const NAMES: readonly (readonly [keyof Key, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageup'],
  ['pageDown', 'pagedown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['tab', 'tab'],
  ['backspace', 'backspace'],
  // most keyboards send this for Backspace; Ink uses one name for Backspace and Delete
  ['delete', 'backspace'],
];

function nameOf(key: Key): string | undefined {
  return NAMES.find(([flag]) => key[flag] === true)?.[1];
}

function withModifiers(name: string, key: Key): string {
  const isEscape = name === 'escape';
  // Ink sets `meta` for every Escape, and `shift` for every capital letter
  const meta = key.meta && !isEscape;
  const shift = key.shift && name.length > 1;
  return `${key.ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
