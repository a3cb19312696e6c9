import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { errorMessage } from '../../../domain/errors.js';
import { CliError } from '../errors.js';
import { hasDesktop, openInBrowser } from '../open-browser.js';
import { type InboxContext, say } from './context.js';

/** Opens a file with this machine's program for it. Without a desktop, such as over SSH, shows the link. */
export function openFile(context: InboxContext, url: string, env: NodeJS.ProcessEnv = process.env): void {
  if (hasDesktop(env)) {
    openInBrowser(url);
    say(context, { level: 'done', text: `opening ${fileNameOf(url)}`, suggestions: [] });
    return;
  }
  const suggestions = ['this machine has no desktop: open the link in your terminal, or save the file'];
  say(context, { level: 'warning', text: url, link: url, suggestions });
}

/**
 * Downloads a file that only its owner can read. Never replaces a file, and leaves nothing behind after a failure.
 * @param path a folder, or the name of the new file
 * @throws CliError
 */
export async function saveFile(context: InboxContext, url: string, path: string): Promise<void> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const target = isFolder ? join(path, fileNameOf(url)) : path;
  const draft = `${target}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const response = await fetch(url, { signal: context.signal });
    if (!response.ok || !response.body) throw new Error(`the daemon answered ${response.status}`);
    const file = createWriteStream(draft, { flags: 'wx', mode: 0o600 });
    // a stream may fail before its file is created: removed too early, the file would stay
    await pipeline(Readable.fromWeb(response.body), file).finally(() =>
      finished(file).catch(() => undefined),
    );
    // a link fails if the target exists; a rename would replace it
    await link(draft, target);
  } catch (error) {
    const reason = isThere(error) ? `${target} exists already` : errorMessage(error);
    throw new CliError('failure', `the file was not saved: ${reason}`, {
      suggestions: ['choose another path'],
      cause: error,
    });
  } finally {
    await rm(draft, { force: true });
  }
  say(context, { level: 'done', text: `saved to ${target}`, suggestions: [] });
}

function isThere(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

/** The last part of an address, safe as the name of a file. */
export function fileNameOf(url: string): string {
  const last = URL.canParse(url) ? new URL(url).pathname.split('/').at(-1) : undefined;
  const name = decoded(last ?? '')
    .replace(/[^\p{L}\p{N}._ -]/gu, '_')
    .replace(/^\.+/, '');
  return name || 'file';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
