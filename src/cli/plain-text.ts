/**
 * Controls, and the marks that change the direction of the text around them: a message must not be able to move the
 * cursor, recolour the terminal or forge a line.
 */
const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/** Foreign text as one harmless line: line breaks become `⏎`, other controls `�`. */
export function singleLine(text: string): string {
  return text.replace(LINE_BREAKS, ' ⏎ ').replace(UNPRINTABLE, '\ufffd');
}

/** Foreign text with its line breaks and nothing else that a terminal would act on: tabs become spaces, the rest goes. */
export function plainLines(text: string): string {
  return text
    .replace(LINE_BREAKS, '\n')
    .replace(/\t/g, '  ')
    .replace(UNPRINTABLE, (mark) => (mark === '\n' ? mark : ''));
}

/** The same as one line: for names, and for the beginnings of messages. */
export function plainLine(text: string): string {
  return plainLines(text)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ');
}

/** The first `length` characters, with `…` where something is missing. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
