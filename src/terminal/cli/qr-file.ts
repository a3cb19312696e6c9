import { randomBytes } from 'node:crypto';
import { link, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { CliError } from './errors.js';
import type { PairItem } from './pair.js';

/** Pixels of a module in a PNG. */
const SCALE = 8;

/** @throws CliError `usage` unless the path ends with .png or .svg, `conflict` if it exists */
export async function requireQrPath(path: string): Promise<void> {
  if (!['.png', '.svg'].includes(extname(path).toLowerCase()))
    throw new CliError('usage', `--qr-file ${path}: must end with .png or .svg`);
  const exists = await lstat(path).then(
    () => true,
    () => false,
  );
  if (exists) throw alreadyThere(path);
}

function alreadyThere(path: string, cause?: unknown): CliError {
  return new CliError('conflict', `--qr-file ${path}: the file exists already`, {
    suggestions: ['choose another path, or delete the file'],
    cause,
  });
}

/**
 * Passes on the steps of a pairing, and keeps the current QR code in a file. Only the file's owner can read it, because
 * whoever scans the code gets access to the number. Removes the file when the code expires. Never replaces or removes a
 * file that it did not write.
 * @throws CliError `failure` if the file cannot be written, `conflict` if it appeared before the first QR
 */
export async function* withQrFile(
  items: AsyncIterable<PairItem>,
  path: string,
): AsyncGenerator<PairItem, void> {
  let isOwn = false;
  try {
    for await (const item of items) {
      if (item.type === 'qr') {
        await writeQr(path, item.qr, isOwn);
        isOwn = true;
      }
      yield item;
    }
  } finally {
    if (isOwn) await rm(path, { force: true });
  }
}

/** @param isOwn true if the file at the path is an earlier QR code, which is replaced */
async function writeQr(path: string, text: string, isOwn: boolean): Promise<void> {
  const { default: qrcode } = await import('qrcode');
  const image =
    extname(path).toLowerCase() === '.svg'
      ? await qrcode.toString(text, { type: 'svg' })
      : await qrcode.toBuffer(text, { type: 'png', scale: SCALE });
  // write to a draft first, so that viewers never see half a file
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await writeFile(draft, image, { flag: 'wx', mode: 0o600 });
    // a link fails if the path exists; a rename would replace it
    await (isOwn ? rename(draft, path) : link(draft, path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw alreadyThere(path, error);
    throw new CliError('failure', `the QR cannot be written to ${path}`, { cause: error });
  } finally {
    await rm(draft, { force: true });
  }
}
