import { createContext } from 'react';
import { wantsColor } from '../cli/output.js';
import type { Depth, Palette } from './theme.js';

/** A terminal: its streams, and the environment that tells its abilities. `process` is one. */
export interface TerminalStreams {
  stdin: NodeJS.ReadStream;
  stdout: NodeJS.WriteStream;
  env: NodeJS.ProcessEnv;
}

/** The abilities of the terminal. */
export interface TerminalAbilities extends Palette {
  color: boolean;
  /** Draws bold, dim and inverse text, which `NO_COLOR` does not forbid. */
  styles: boolean;
  /** Orders text by its direction, so other people's text must be isolated. */
  bidi: boolean;
  /** Supports links (OSC 8). */
  links: boolean;
}

export const PLAIN_TERMINAL: TerminalAbilities = {
  color: false,
  styles: false,
  bidi: false,
  links: false,
  depth: 16,
};

export const TerminalContext = createContext<TerminalAbilities>(PLAIN_TERMINAL);

/** Reads the abilities from the environment; assumes none if unknown. */
export function terminalAbilities(
  stdout: { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): TerminalAbilities {
  return {
    color: wantsColor(stdout, env),
    styles: wantsColor(stdout, env) || (Boolean(stdout.isTTY) && env.TERM !== 'dumb'),
    bidi: ordersText(env),
    links: knowsLinks(env),
    depth: depthOf(env),
    light: isLight(env),
  };
}

const ANY_COLOR: Depth = 16_777_216;

function depthOf({ COLORTERM = '', TERM = '', TERM_PROGRAM, WT_SESSION }: NodeJS.ProcessEnv): Depth {
  if (/truecolor|24bit/i.test(COLORTERM) || /direct/.test(TERM) || WT_SESSION) return ANY_COLOR;
  return TERM.includes('256') || TERM_PROGRAM === 'Apple_Terminal' ? 256 : 16;
}

/** Reads `COLORFGBG`, which some terminals set: `foreground;background` by the numbers of the 16 colours. */
function isLight({ COLORFGBG = '' }: NodeJS.ProcessEnv): boolean | undefined {
  const background = /;(\d+)$/.exec(COLORFGBG)?.[1];
  return background === undefined ? undefined : background === '7' || Number(background) > 8;
}

function ordersText(env: NodeJS.ProcessEnv): boolean {
  if (isInside(env)) return false;
  // VTE, the library of GNOME's and other terminals, supports bidi since 0.58
  return (
    Number(env.VTE_VERSION) >= 5_800 ||
    env.TERM_PROGRAM === 'Apple_Terminal' ||
    env.TERM?.startsWith('mlterm') === true
  );
}

const WITH_LINKS = new Set(['iTerm.app', 'WezTerm', 'vscode', 'ghostty']);

/** Since 3.4 tmux passes links on to terminals that support them, and drops them for others. */
function isTmuxWithLinks(version: string): boolean {
  const [, major = '0', minor = '0'] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 3 || (Number(major) === 3 && Number(minor) >= 4);
}

function knowsLinks(env: NodeJS.ProcessEnv): boolean {
  const { TMUX, TERM_PROGRAM, TERM_PROGRAM_VERSION = '' } = env;
  if (TMUX && TERM_PROGRAM === 'tmux') return isTmuxWithLinks(TERM_PROGRAM_VERSION);
  if (isInside(env)) return false;
  const known = WITH_LINKS.has(env.TERM_PROGRAM ?? '') || 'KITTY_WINDOW_ID' in env || 'WT_SESSION' in env;
  return known || Number(env.VTE_VERSION) >= 5_000;
}

/** True in tmux or screen: they draw the output themselves. */
function isInside(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env.TMUX || env.STY);
}
