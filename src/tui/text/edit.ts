import { boundaries } from './graphemes.js';

/** A text that is being written. */
export interface Edit {
  text: string;
  /** A UTF-16 offset between two characters as readers see them. */
  cursor: number;
}

export const EMPTY_EDIT: Edit = { text: '', cursor: 0 };

/** A text with the cursor at its end. */
export function editOf(text: string): Edit {
  return { text, cursor: text.length };
}

const UNTYPABLE = /(?!\n)\p{Cc}/gu;
const LINE_BREAKS = /\r\n|[\r\u2028\u2029]/g;

/** Puts a text in at the cursor, without its control characters. */
export function insert({ text, cursor }: Edit, typed: string): Edit {
  const inserted = typed.replace(LINE_BREAKS, '\n').replaceAll('\t', '    ').replace(UNTYPABLE, '');
  return { text: text.slice(0, cursor) + inserted + text.slice(cursor), cursor: cursor + inserted.length };
}

/** What each key does to a text in one line or many. Up and down depend on its picture (`moveRow`). */
const KEYS: Readonly<Record<string, (edit: Edit) => Edit>> = {
  left: (edit) => at(edit, before(edit)),
  right: (edit) => at(edit, after(edit)),
  'ctrl+b': (edit) => at(edit, before(edit)),
  'ctrl+f': (edit) => at(edit, after(edit)),
  'ctrl+left': (edit) => at(edit, wordBefore(edit)),
  'ctrl+right': (edit) => at(edit, wordAfter(edit)),
  'alt+left': (edit) => at(edit, wordBefore(edit)),
  'alt+right': (edit) => at(edit, wordAfter(edit)),
  'alt+b': (edit) => at(edit, wordBefore(edit)),
  'alt+f': (edit) => at(edit, wordAfter(edit)),
  home: (edit) => at(edit, lineStart(edit)),
  end: (edit) => at(edit, lineEnd(edit)),
  'ctrl+a': (edit) => at(edit, lineStart(edit)),
  'ctrl+e': (edit) => at(edit, lineEnd(edit)),
  backspace: (edit) => without(edit, before(edit), edit.cursor),
  'ctrl+h': (edit) => without(edit, before(edit), edit.cursor),
  'ctrl+d': (edit) => without(edit, edit.cursor, after(edit)),
  'ctrl+w': (edit) => without(edit, wordBefore(edit), edit.cursor),
  'alt+backspace': (edit) => without(edit, wordBefore(edit), edit.cursor),
  'alt+d': (edit) => without(edit, edit.cursor, wordAfter(edit)),
  'ctrl+u': (edit) => without(edit, lineStart(edit), edit.cursor),
  'ctrl+k': (edit) => without(edit, edit.cursor, lineEnd(edit)),
};

/** The text after a key, or undefined when the key means nothing to a text. */
export function pressed(edit: Edit, key: string): Edit | undefined {
  return KEYS[key]?.(edit);
}

function at({ text }: Edit, cursor: number): Edit {
  return { text, cursor };
}

function without({ text }: Edit, from: number, to: number): Edit {
  return { text: text.slice(0, from) + text.slice(to), cursor: from };
}

function before({ text, cursor }: Edit): number {
  return boundaries(text).findLast((offset) => offset < cursor) ?? 0;
}

function after({ text, cursor }: Edit): number {
  return boundaries(text).find((offset) => offset > cursor) ?? text.length;
}

/** Spaces, then the word before them. */
function wordBefore({ text, cursor }: Edit): number {
  return cursor - (/\S*\s*$/.exec(text.slice(0, cursor))?.[0].length ?? 0);
}

function wordAfter({ text, cursor }: Edit): number {
  return cursor + (/^\s*\S*/.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Edit): number {
  return text.slice(0, cursor).lastIndexOf('\n') + 1;
}

function lineEnd({ text, cursor }: Edit): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}
