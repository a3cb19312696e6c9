import { graphemes } from './graphemes.js';

const PLAIN = /^[\u0020-\u007e\n]*$/;
const LINE_BREAKS = /\r\n|[\r\n\u0085\u2028\u2029]/g;
/**
 * Controls, and the marks that change the direction of what is around them: a message must not be able to move the cursor,
 * recolour the terminal or forge a line. What takes no column of its own goes too, since it would shift what follows.
 */
const UNPRINTABLE = /[\p{Bidi_Control}\p{Surrogate}]|(?!\n)\p{Cc}/gu;

/** What others wrote, harmless and with `\n` as the only line break. */
export function clean(text: string): string {
  if (PLAIN.test(text)) return text;
  const printable = text.replace(LINE_BREAKS, '\n').replaceAll('\t', '    ').replace(UNPRINTABLE, '');
  return printable
    .split('\n')
    .map((line) =>
      graphemes(line)
        .map((grapheme) => grapheme.text)
        .join(''),
    )
    .join('\n');
}

/** The same in one line. */
export function cleanLine(text: string): string {
  return clean(text).replace(/\s*\n\s*/g, ' ⏎ ');
}

const RIGHT_TO_LEFT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP_ISOLATE = '\u2069';

/** A text whose direction cannot reorder what stands beside it, for terminals that order text by its direction. */
export function isolate(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text;
}
