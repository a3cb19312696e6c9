import { plainLine, plainLines } from '../../cli/plain-text.js';
import { graphemes } from './graphemes.js';

const PLAIN = /^[\u0020-\u007e\n]*$/;

/**
 * What others wrote, harmless and with `\n` as the only line break. What takes no column of its own goes too, since it
 * would shift what follows.
 */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  return plainLines(text).split('\n').map(visible).join('\n');
}

/** The same in one line. */
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

/** A text whose direction cannot reorder what stands beside it, for terminals that order text by its direction. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text;
}
