import { folded } from '../../cli/inbox/search.js';
import { graphemes } from './graphemes.js';
import type { Line, Span } from './line.js';

/** Splits a span, and marks each occurrence of one of the words; case and accents do not matter. */
export function withMatches(span: Span, words: readonly string[]): Line {
  const wanted = words.filter((word) => word !== '');
  if (wanted.length === 0) return [span];
  const parts = graphemes(span.text).map(({ text }) => ({ text, plain: folded(text) }));
  const plain = parts.map((part) => part.plain).join('');
  const marked = markedPlaces(plain, wanted);
  if (marked.size === 0) return [span];
  const spans: Span[] = [];
  let at = 0;
  for (const part of parts) {
    const isMatch = marked.has(at);
    const last = spans.at(-1);
    if (last && isMatch === (last.back === 'match')) last.text += part.text;
    else
      spans.push({
        ...span,
        text: part.text,
        ...(isMatch && { back: 'match', bold: true, underline: true }),
      });
    at += part.plain.length;
  }
  return spans;
}

/** The places of all characters that belong to an occurrence. */
function markedPlaces(text: string, words: readonly string[]): Set<number> {
  const places = new Set<number>();
  for (const word of words) {
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
      for (let place = at; place < at + word.length; place += 1) places.add(place);
    }
  }
  return places;
}
