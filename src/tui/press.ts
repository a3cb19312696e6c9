import type { Key } from 'ink';

/** Something that the operator did at the keyboard. */
export type Press =
  /** A key by its name, with its modifiers: `up`, `enter`, `alt+enter`, `ctrl+c`, `shift+tab`. */
  | { type: 'key'; key: string }
  /** Something printable; several characters when they were typed faster than they are read. */
  | { type: 'text'; text: string }
  /** Several lines, possibly, at once. Where the terminal does not say so (`guessed`) they may have been typed fast as well. */
  | { type: 'paste'; text: string; guessed: boolean };

const PASTE_BEGINS = '[200~';
const PASTE_ENDS = '[201~';
/** A line break that is followed by more: nobody types so fast. */
const BREAK_WITHIN = /[\r\n][^\r\n]/;
const CONTROL = /^\p{Cc}$/u;

/** Reads presses out of what Ink makes of the terminal's input. One for each terminal: it knows whether a paste is under way. */
export class PressReader {
  /** What has come of a paste. */
  #paste: string | undefined;

  read(input: string, key: Key): Press[] {
    if (input === PASTE_BEGINS) this.#paste = '';
    else if (this.#paste !== undefined) return this.#pasted(input, key, this.#paste);
    else return typed(input, key);
    return [];
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

function typed(input: string, key: Key): Press[] {
  const name = nameOf(key);
  if (name) return [{ type: 'key', key: withModifiers(name, key) }];
  if (key.ctrl || key.meta) return input === '' ? [] : [{ type: 'key', key: withModifiers(input, key) }];
  if (BREAK_WITHIN.test(input)) return [{ type: 'paste', text: lines(input), guessed: true }];
  return split(input);
}

/** Keys that were typed so fast that they came as one text. */
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
  // what most keyboards send for the key above Enter; Ink has one name for it and for Delete
  ['delete', 'backspace'],
];

function nameOf(key: Key): string | undefined {
  return NAMES.find(([flag]) => key[flag] === true)?.[1];
}

function withModifiers(name: string, key: Key): string {
  const isEscape = name === 'escape';
  // Ink calls every escape a meta key, and every capital letter a shifted one
  const meta = key.meta && !isEscape;
  const shift = key.shift && name.length > 1;
  return `${key.ctrl ? 'ctrl+' : ''}${meta ? 'alt+' : ''}${shift ? 'shift+' : ''}${name}`;
}

function lines(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
