import { open } from 'node:fs/promises';
import { fileTypeFromBuffer } from 'file-type';

/** Bytes of a file's head that are looked at: enough for the first entries of a packed document. */
const HEAD_BYTES = 64 * 1024;

/** The MIME type that a file's first bytes show; empty when they show none, as with all kinds of text. */
export async function detect({ path }: { path: string }): Promise<string> {
  const found = await fileTypeFromBuffer(await headOf(path));
  return found?.mime ?? '';
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
