import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { FormData, Response } from 'undici';
import { CliError } from './cli-error.js';

/** A form with a file, as a stream. */
export interface Upload {
  contentType: string;
  body: Readable;
  /** Bytes of the file. */
  size: number;
}

/**
 * A multipart form that is read from disk while it is sent.
 * @param fields undefined ones are left out
 * @param onBytes is told of every piece that leaves
 * @param name under which the file arrives
 * @throws CliError `usage` when the file cannot be read
 */
export async function openUpload(
  path: string,
  mimeType: string,
  fields: Readonly<Record<string, string | undefined>>,
  onBytes: (bytes: number) => void,
  name: string = basename(path),
): Promise<Upload> {
  const size = await fileSize(path);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value);
  form.append('file', await openAsBlob(path, { type: mimeType }), name);
  const { body, headers } = new Response(form);
  if (!body) throw new Error('a form has a body');
  return {
    contentType: headers.get('content-type') ?? '',
    body: counted(Readable.fromWeb(body), onBytes),
    size,
  };
}

function counted(source: Readable, onBytes: (bytes: number) => void): Readable {
  return Readable.from(
    (async function* () {
      for await (const chunk of source) {
        onBytes(chunk.length);
        yield chunk;
      }
    })(),
  );
}

/** Bytes. @throws CliError `usage` when it cannot be read or is no file */
export async function fileSize(path: string): Promise<number> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError('usage', `${path} cannot be read`, { cause: error });
  });
  if (found.isFile()) return found.size;
  throw new CliError('usage', `${path} is no file`);
}
