/** A URL without user, password, query and hash, which may contain secrets. */
export function shownUrl(address: string): string {
  if (!URL.canParse(address)) return address;
  const { pathname, username, password, search, hash } = new URL(address);
  return username || password || search || hash ? originOf(address) + pathname : address;
}

/** Scheme, host and port of a URL: paths and queries may contain secrets. Empty if the text is no URL. */
export function originOf(address: string): string {
  if (!URL.canParse(address)) return '';
  const { origin, protocol, host } = new URL(address);
  // for unknown schemes, such as those of brokers, `origin` is "null"
  return origin === 'null' ? `${protocol}//${host}` : origin;
}

/**
 * Characters to replace: control characters and marks that change the direction of text. A message must not move the
 * cursor, change colours or fake a line of output.
 */
export const UNPRINTABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const LINE_BREAKS = /\r\n|[\r\n\u2028\u2029]/g;

/** Cleans foreign text to one line: line breaks become `⏎`, other control characters `�`. */
export function singleLine(text: string): string {
  return text.replace(LINE_BREAKS, ' ⏎ ').replace(UNPRINTABLE, '\ufffd');
}

/** Cleans foreign text but keeps its line breaks: tabs become spaces, other control characters are dropped. */
export function plainLines(text: string): string {
  return text
    .replace(LINE_BREAKS, '\n')
    .replace(/\t/g, '  ')
    .replace(UNPRINTABLE, (mark) => (mark === '\n' ? mark : ''));
}

/** Like `plainLines`, on one line: for names and previews. */
export function plainLine(text: string): string {
  return plainLines(text)
    .trim()
    .replace(/\s*\n\s*/g, ' ⏎ ');
}

/**
 * One character: a flag, an emoji with its modifiers and joined ones, a line break, or a letter with its marks.
 * `Intl.Segmenter` would block the event loop for seconds for a long text.
 */
const CHARACTERS =
  /\p{RI}\p{RI}|\p{Emoji}(?:\p{EMod}|\p{M}|[\u{E0020}-\u{E007F}])*(?:\u200D\p{Emoji}(?:\p{EMod}|\p{M})*)*|\r\n|\P{M}\p{M}*|\p{M}+/gu;
/** UTF-16 units of a character that combines many, such as a flag of a region. Marks without an end count as more than one. */
const UNITS_OF_ONE = 16;

/** Whether a text has more characters than a limit, as people count them: an emoji, or a letter with its accents, is one. */
export function isLongerThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * UNITS_OF_ONE) return true;
  CHARACTERS.lastIndex = 0;
  for (let count = 0; CHARACTERS.test(text); ) if (++count > limit) return true;
  return false;
}
