import { open, readFile, stat } from 'node:fs/promises';
import { errorMessage } from '../../../../domain/errors.js';

/** Bytes at the start of a file from which its type is read: enough for the first entries of a ZIP-based document. */
const HEAD_BYTES = 64 * 1024;
/** Bytes of the largest PDF whose pages are counted; it is held in memory as a whole. */
const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const SILENT = 0;

/**
 * The program of a decoder process. Strangers send files, so they are decoded in a process of its own: it can be killed
 * at any time, its memory is freed with it, and it holds no secrets. Libraries are loaded when they are first needed.
 */
const tasks = {
  detect,
  pages,
  image: async (order: { path: string }) => (await import('./pictures.js')).image(order),
  portrait: async (order: { path: string }) => (await import('./pictures.js')).portrait(order),
  sticker: async (order: { path: string; target: string }) => (await import('./pictures.js')).sticker(order),
  audio: async (order: { path: string; waveform: boolean }) => (await import('./audio.js')).audio(order),
  clip: async (order: { path: string }) => (await import('./video.js')).clip(order),
};

/** The tasks of a decoder, by name. */
export type Tasks = typeof tasks;

/** The message that gives a decoder a task. */
export interface Task {
  name: string;
  order: unknown;
}

const byName: Record<string, { run(order: unknown): Promise<unknown> }['run']> = tasks;

process.on('message', async (task: Task) => process.send?.(await answer(task)));
process.on('disconnect', () => process.exit());

async function answer({ name, order }: Task): Promise<{ result?: unknown; error?: string }> {
  try {
    return { result: await byName[name]?.(order) };
  } catch (error) {
    return { error: errorMessage(error) };
  }
}

/** The MIME type that a file's first bytes show; empty when they show none, as with all kinds of text. */
async function detect({ path }: { path: string }): Promise<string> {
  const { fileTypeFromBuffer } = await import('file-type');
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return (await fileTypeFromBuffer(buffer.subarray(0, bytesRead)))?.mime ?? '';
  } finally {
    await file.close();
  }
}

/** Counts the pages of a PDF; undefined when it is too large. @throws when it is no PDF or is locked */
async function pages({ path }: { path: string }): Promise<number | undefined> {
  const { size } = await stat(path);
  if (size > MAX_DOCUMENT_BYTES) return undefined;
  const { getDocumentProxy } = await import('unpdf');
  const document = await getDocumentProxy(new Uint8Array(await readFile(path)), { verbosity: SILENT });
  try {
    return document.numPages;
  } finally {
    await document.destroy();
  }
}
