import { createContext } from 'react';
import { wantsColor } from '../cli/paint.js';

/** What the terminal at hand can show. */
export interface Look {
  color: boolean;
  /** It orders text by its direction, so that what others wrote must be kept apart. */
  bidi: boolean;
  /** It knows links (OSC 8). */
  links: boolean;
}

export const PLAIN_LOOK: Look = { color: false, bidi: false, links: false };

export const LookContext = createContext<Look>(PLAIN_LOOK);

/** What is known of a terminal by its environment; in doubt it can do little. */
export function lookOf(stdout: { isTTY?: boolean }, env: NodeJS.ProcessEnv = process.env): Look {
  return { color: wantsColor(stdout, env), bidi: ordersText(env), links: knowsLinks(env) };
}

function ordersText(env: NodeJS.ProcessEnv): boolean {
  if (isInside(env)) return false;
  // VTE, which GNOME's and other terminals are made of, does so since 0.58
  return (
    Number(env.VTE_VERSION) >= 5_800 ||
    env.TERM_PROGRAM === 'Apple_Terminal' ||
    env.TERM?.startsWith('mlterm') === true
  );
}

const WITH_LINKS = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty']);

function knowsLinks(env: NodeJS.ProcessEnv): boolean {
  if (isInside(env)) return false;
  const known = WITH_LINKS.has(env.TERM_PROGRAM ?? '') || 'KITTY_WINDOW_ID' in env || 'WT_SESSION' in env;
  return known || Number(env.VTE_VERSION) >= 5_000;
}

/** In tmux or screen, whose own screen is what we write on. */
function isInside(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.TMUX || env.STY);
}
