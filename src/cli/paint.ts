import { inspect } from 'node:util';

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'blue' | 'cyan' | 'magenta';

/** Puts a style around a text, or not. */
export type Paint = (style: Style, text: string) => string;

/** Colours only on a terminal; `NO_COLOR` forbids and `FORCE_COLOR` demands them (https://no-color.org). */
export function wantsColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return Boolean(stream.isTTY) && env.TERM !== 'dumb';
}

/** The brush for a stream. */
export function painter(stream: { isTTY?: boolean }, env?: NodeJS.ProcessEnv): Paint {
  return wantsColor(stream, env) ? paint : plain;
}

function paint(style: Style, text: string): string {
  const [open, close] = inspect.colors[style] ?? [0, 0];
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

function plain(_style: Style, text: string): string {
  return text;
}
