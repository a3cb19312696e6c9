import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance, Dicer } from '@fastify/busboy';
import { GatewayError } from '../../domain/errors.js';

/** The part that holds the file. */
const FILE = 'file';
const MAX_PARTS = 20;
/** Bytes of a field, and of the headers of a part. */
const MAX_FIELD_BYTES = 256 * 1024;
const MAX_HEADER_BYTES = 8 * 1024;
/** Bytes of the file that are buffered: fewer pauses make the upload faster. */
const BUFFER_BYTES = 256 * 1024;
/** Characters of a part's name that an error repeats. */
const SHOWN_NAME = 64;
const ONCE = 'must occur exactly once';
const REPLACEMENT = '\ufffd';
const TEXT_ONLY = 'must be valid UTF-8, without the replacement character U+FFFD';

/** A file of a form, kept until it is discarded. */
interface Taken {
  discard(): Promise<void>;
}

/** A form with one file, read to its end. */
export interface Form<File extends Taken> {
  /** All other parts, by name. */
  fields: Map<string, string>;
  file: File;
  /** File name of the file's part; may be empty. */
  fileName: string;
  /** The part's Content-Type without parameters; empty when it has none. */
  mimeType: string;
}

/**
 * Reads a form while it streams, with back-pressure; parts may come in any order.
 * @param take consumes the part named `file`, which must occur exactly once
 * @throws invalid_request, or what `take` throws. The rest of the body is then read and dropped, so that the client gets
 * its answer, and the file is discarded.
 */
export async function readForm<File extends Taken>(
  source: Readable,
  headers: IncomingHttpHeaders,
  take: (stream: Readable) => Promise<File>,
): Promise<Form<File>> {
  const reading = new FormReading(source, parserFor(headers), untypedFileIn(source, headers), take);
  try {
    return await reading.form();
  } catch (error) {
    await reading.forget();
    throw error;
  }
}

/** A form in flight. */
class FormReading<File extends Taken> {
  readonly #source: Readable;
  readonly #parser: BusboyInstance;
  readonly #isUntyped: () => boolean;
  readonly #take: (stream: Readable) => Promise<File>;
  readonly #fields = new Map<string, string>();
  #file?: { taken: Promise<File>; stream: Readable; fileName: string; mimeType: string };
  #fail: (error: unknown) => void = () => undefined;

  constructor(
    source: Readable,
    parser: BusboyInstance,
    isUntyped: () => boolean,
    take: (stream: Readable) => Promise<File>,
  ) {
    this.#source = source;
    this.#parser = parser;
    this.#isUntyped = isUntyped;
    this.#take = take;
  }

  async form(): Promise<Form<File>> {
    await this.#parse();
    if (!this.#file) throw invalid(`${FILE} is required`);
    const { taken, fileName, mimeType } = this.#file;
    return { fields: this.#fields, file: await taken, fileName, mimeType };
  }

  /** Stops reading and discards the file. */
  async forget(): Promise<void> {
    this.#source.unpipe(this.#parser);
    this.#source.resume();
    this.#file?.stream.destroy(new Error('the form is refused'));
    const taken = await this.#file?.taken.catch(() => undefined);
    await taken?.discard();
  }

  /** Resolves at the form's end. */
  #parse(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#parser
        .on('file', (name, stream, fileName, _, mimeType) => this.#onFile(name, stream, fileName, mimeType))
        .on('field', (name, text, _, isCut) => this.#onField(name, text, isCut))
        .on('partsLimit', () => reject(invalid(`a form takes ${MAX_PARTS} parts at most`)))
        .on('error', () => reject(broken()))
        .on('finish', resolve);
      this.#source
        .once('error', () => reject(broken()))
        .once('close', () => this.#source.readableEnded || reject(broken()))
        .pipe(this.#parser);
    });
  }

  #onFile(name: string | undefined, stream: Readable, fileName: string | undefined, mimeType: string): void {
    // without a listener the parser's error for a broken form would be unhandled
    stream.on('error', () => undefined);
    if (name === FILE && !this.#file) {
      const taken = this.#take(stream);
      taken.catch(this.#fail);
      // browsers encode a quote in a file name this way (WHATWG HTML, multipart form data)
      const name = (fileName ?? '').replaceAll('%22', '"');
      this.#file = { taken, stream, fileName: name, mimeType: this.#isUntyped() ? '' : mimeType };
    } else {
      stream.resume();
      const rule = name === FILE ? ONCE : `takes no file; the part for it is named ${FILE}`;
      this.#fail(invalid(`${partName(name)} ${rule}`));
    }
  }

  #onField(name: string | undefined, text: string, isCut: boolean): void {
    if (name === undefined) this.#fail(invalid('every part needs a name'));
    else if (this.#fields.has(name)) this.#fail(invalid(`${partName(name)} ${ONCE}`));
    else if (isCut) this.#fail(invalid(`${partName(name)} must have ${MAX_FIELD_BYTES} bytes at most`));
    // the parser writes this character for bytes that are invalid in the part's charset
    else if (text.includes(REPLACEMENT)) this.#fail(invalid(`${partName(name)} ${TEXT_ONLY}`));
    else this.#fields.set(name, text);
  }
}

const BOUNDARY = /boundary=(?:"([^"]+)"|([^;]+))/i;
const NAMES_FILE = /[;\s]name="?file"?\s*(?:;|$)/i;

/**
 * Reads the headers of the parts up to the file: the parser reports `text/plain` also for a part without a type.
 * @returns whether the file's part has no type; call it once the parser has reached that part
 */
function untypedFileIn(source: Readable, headers: IncomingHttpHeaders): () => boolean {
  const [, quoted, plain = ''] = BOUNDARY.exec(headers['content-type'] ?? '') ?? [];
  let isUntyped = false;
  const heads = new Dicer({ boundary: quoted ?? plain.trim(), maxHeaderPairs: MAX_PARTS });
  const read = (chunk: Buffer) => heads.write(chunk);
  const end = () => source.off('data', read);
  heads.on('error', end).on('part', (part) => {
    part.on('error', end).resume();
    part.on('header', (header) => {
      const fields = new Map<string, unknown>(Object.entries(header));
      if (!NAMES_FILE.test(String(fields.get('content-disposition')))) return;
      isUntyped = !fields.has('content-type');
      end();
    });
  });
  // listen before the parser, which reports the file from the same bytes
  source.on('data', read);
  return () => isUntyped;
}

function parserFor(headers: IncomingHttpHeaders): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: { parts: MAX_PARTS, fieldSize: MAX_FIELD_BYTES, headerSize: MAX_HEADER_BYTES },
      fileHwm: BUFFER_BYTES,
      isPartAFile: (name, _type, fileName) => name === FILE || fileName !== undefined,
    });
  } catch (cause) {
    throw new GatewayError('invalid_request', 'Content-Type must name the boundary of the form', { cause });
  }
}

function broken(): GatewayError {
  return invalid('the form is broken, or ends too early');
}

function invalid(message: string): GatewayError {
  return new GatewayError('invalid_request', message);
}

function partName(name = 'a part without a name'): string {
  return name.slice(0, SHOWN_NAME);
}
