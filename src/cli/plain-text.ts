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

/** The first `length` characters, with `…` where something is missing. */
export function shorten(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}
