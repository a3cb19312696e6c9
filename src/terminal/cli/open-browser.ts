import { spawn } from 'node:child_process';
import type { PairItem } from './pair.js';

/** Commands that open a URL in the browser, by platform. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  // not `cmd`, which would run the part of a URL after `&`
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Passes on the steps of a pairing, and opens its one-time address; a machine without a browser only shows it. */
export async function* opening(items: AsyncIterable<PairItem>): AsyncGenerator<PairItem, void> {
  for await (const item of items) {
    yield item;
    if (item.type === 'link') openInBrowser(item.url);
  }
}

/** Whether this machine can show a window to the operator, who may use another machine. */
export function hasDesktop(env: NodeJS.ProcessEnv = process.env): boolean {
  if (env.SSH_CONNECTION || env.SSH_TTY) return false;
  const isKnown = process.platform === 'darwin' || process.platform === 'win32';
  return isKnown || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
}

export function openInBrowser(url: string): void {
  if (!/^https?:\/\//.test(url)) return;
  const [command, ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
