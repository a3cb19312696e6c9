import { randomInt } from 'node:crypto';
import { inspect } from 'node:util';
import { singleLine } from '../../domain/text.js';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

export type Paint = (style: Style, text: string) => string;

/** Colours only on a terminal; `NO_COLOR` disables and `FORCE_COLOR` enables them (https://no-color.org). */
export function wantsColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return Boolean(stream.isTTY) && env.TERM !== 'dumb';
}

export function painter(stream: { isTTY?: boolean }, env?: NodeJS.ProcessEnv): Paint {
  return wantsColor(stream, env) ? paint : plain;
}

/** A random mark of this process, so that foreign text cannot contain a colour of `paint`. */
const OURS = randomInt(10 ** 9, 10 ** 12);
const COLORS = new RegExp(`\\u001b\\[(\\d+);${OURS}m`);

/** Marks colours; `Output` turns the marks into escape sequences. */
function paint(style: Style, text: string): string {
  const [open, close] = inspect.colors[style] ?? [0, 0];
  return `\u001b[${open};${OURS}m${text}\u001b[${close};${OURS}m`;
}

function plain(_style: Style, text: string): string {
  return text;
}

/** Changes the words of a text but keeps colours of `paint`. */
export function changeWords(text: string, change: (words: string) => string): string {
  const parts = text.split(COLORS);
  return parts.map((part, at) => (at % 2 === 0 ? change(part) : `\u001b[${part};${OURS}m`)).join('');
}

/** One line for a terminal: cleaned, with the colours of `paint`. */
export function terminalLine(text: string): string {
  const parts = text.split(COLORS);
  return parts.map((part, at) => (at % 2 === 0 ? singleLine(part) : `\u001b[${part}m`)).join('');
}

/** A text for a terminal: cleaned, with line breaks, tabs and the colours of `paint`. */
export function terminalBlock(text: string): string {
  const lines = text.split(/\r?\n/);
  return lines.map((line) => line.split('\t').map(terminalLine).join('\t')).join('\n');
}
