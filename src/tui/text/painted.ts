import { inspect } from 'node:util';
import type { Look } from '../look.js';
import { isolate } from './foreign.js';
import type { Line, Span } from './line.js';

/** A line as a terminal is to get it. Without colours it has no styles either, but for the cursor. */
export function painted(line: Line, look: Look): string {
  return line.map((span) => paintedSpan(span, look)).join('');
}

function paintedSpan(span: Span, look: Look): string {
  const isolated = span.foreign && look.bidi ? isolate(span.text) : span.text;
  const text = span.link && look.links ? linked(isolated, span.link) : isolated;
  if (text === '') return text;
  return stylesOf(span, look).reduce((inner, style) => styled(inner, style), text);
}

const STYLES = ['bold', 'dim', 'italic', 'underline', 'strikethrough', 'inverse'] as const;

function stylesOf(span: Span, { color }: Look): string[] {
  const cursor = span.cursor ? ['inverse'] : [];
  if (!color) return cursor;
  return [...STYLES.filter((style) => span[style]), ...(span.color ? [span.color] : []), ...cursor];
}

function styled(text: string, style: string): string {
  const [open, close] = inspect.colors[style] ?? [0, 0];
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

function linked(text: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address).href : undefined;
  return url ? `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007` : text;
}
