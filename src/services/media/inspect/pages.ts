import { readFile, stat } from 'node:fs/promises';
import { getDocumentProxy } from 'unpdf';

/** Bytes of a document that is read; it is held in memory as a whole. */
const MAX_BYTES = 16 * 1024 * 1024;
const SILENT = 0;

/** Counts the pages of a PDF; undefined when it is too large. @throws when it is none or is locked */
export async function pages({ path }: { path: string }): Promise<number | undefined> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) return undefined;
  const document = await getDocumentProxy(new Uint8Array(await readFile(path)), { verbosity: SILENT });
  try {
    return document.numPages;
  } finally {
    await document.destroy();
  }
}
