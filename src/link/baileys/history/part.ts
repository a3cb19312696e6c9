import type { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import { GatewayError } from '../../../domain/errors.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import type { Logger } from '../../../log.js';
import type { HistoryPart } from '../../port/history.js';
import { download } from '../media/download.js';
import type { MediaRoute } from '../media/route.js';
import { type HistoryNotice, noticeOf } from './notice.js';
import { readHistory } from './read.js';

/** Compressed bytes of a part, all of which are held while it is read; phones make them far smaller. */
const MAX_COMPRESSED_BYTES = 32 * 1024 * 1024;
/** Bytes of a part when it is read: more is no history, but an attack on this machine. */
const MAX_BYTES = 1024 * 1024 * 1024;
/** Bytes that are decompressed at once. */
const PIECE_BYTES = 64 * 1024;
const COMPLETE = 100;

/** The part of an account's past that a journal entry announces; undefined when it announces none. */
export function historyPartOf(entry: JournalEntry, media: MediaRoute, log: Logger): HistoryPart | undefined {
  const announced = noticeOf(entry);
  if (!announced) return undefined;
  const { notice, account } = announced;
  let skipped = 0;
  return {
    progress: Math.min(notice.progress ?? 0, COMPLETE),
    account,
    async *batches(signal) {
      const compressed = await bytesOf(notice, media, signal);
      yield* readHistory(
        () => inflated(compressed),
        () => skipped++,
      );
      if (skipped > 0) log.warn({ skipped }, 'messages of the history could not be read');
    },
  };
}

/** Small parts come within their notice. @throws GatewayError `media_gone`, `media_unfetchable` */
async function bytesOf(notice: HistoryNotice, media: MediaRoute, signal: AbortSignal): Promise<Uint8Array> {
  if (notice.initialHistBootstrapInlinePayload?.length) return notice.initialHistBootstrapInlinePayload;
  const none = new Uint8Array();
  const source = {
    mediaType: 'md-msg-hist' as const,
    url: '',
    directPath: notice.directPath ?? '',
    mediaKey: notice.mediaKey ?? none,
    fileSha256: notice.fileSha256 ?? none,
    fileEncSha256: notice.fileEncSha256 ?? none,
  };
  return collect(await download(media, source, signal));
}

async function collect(stream: Readable): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > MAX_COMPRESSED_BYTES) {
      const limit = `${MAX_COMPRESSED_BYTES / 1024 / 1024} MB`;
      throw new GatewayError('media_gone', `A part of the history is larger than ${limit} and is left out.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function* inflated(compressed: Uint8Array): AsyncGenerator<Buffer> {
  const inflate = createInflate({ chunkSize: PIECE_BYTES });
  let bytes = 0;
  try {
    inflate.end(compressed);
    for await (const piece of inflate) {
      bytes += piece.length;
      if (bytes > MAX_BYTES) throw new Error('a history is larger than any can be');
      yield piece;
    }
  } finally {
    inflate.destroy();
  }
}
