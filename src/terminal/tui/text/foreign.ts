import { plainLine, plainLines } from '../../../domain/text.js';
import { graphemes } from './graphemes.js';

const PLAIN = /^[\u0020-\u007e\n]*$/;

/**
 * Makes other people's text safe: no control characters, and `\n` as the only line break. Also removes characters
 * without a column of their own, because they would shift the rest of the row.
 */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  return plainLines(text).split('\n').map(visible).join('\n');
}

/** The same as `clean`, in one line. */
export function cleanLine(text: string): string {
  return PLAIN.test(text) && !text.includes('\n') ? text : visible(plainLine(text));
}

function visible(line: string): string {
  return graphemes(line)
    .map((grapheme) => grapheme.text)
    .join('');
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** Isolates right-to-left text, so that a terminal with bidi support does not reorder its neighbours. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text;
}
