import type { Readable } from 'node:stream';
import { createInflate } from 'node:zlib';
import {
  type AuthenticationCreds,
  areJidsSameUser,
  type BinaryNodeAttributes,
  proto,
  unpadRandomMax16,
} from '@whiskeysockets/baileys';
import { type Person, personOf } from '../../../../domain/address.js';
import { GatewayError } from '../../../../domain/errors.js';
import type { JournalEntry } from '../../../../domain/signal-state.js';
import type { Logger } from '../../../log.js';
import type { HistoryPart } from '../../history.js';
import { decodeStanza } from '../incoming.js';
import { decodeCredentials } from '../keys.js';
import { download } from '../media/download.js';
import type { MediaRoute } from '../media/route.js';
import { readHistory } from './read.js';
import { keepTokens } from './tokens.js';

/** Most compressed bytes of a part, which are held in memory while it is read; phones send far smaller parts. */
const MAX_COMPRESSED_BYTES = 32 * 1024 * 1024;
/** Decompressed bytes of a part: more is an attack. */
const MAX_BYTES = 1024 * 1024 * 1024;
/** Bytes of one decompressed piece. */
const PIECE_BYTES = 64 * 1024;
const COMPLETE = 100;

/** The part of the account's history that a journal entry announces; undefined when it announces none. */
export function historyPartOf(entry: JournalEntry, media: MediaRoute, log: Logger): HistoryPart | undefined {
  const announced = noticeOf(entry);
  if (!announced) return undefined;
  const { notice, account } = announced;
  const isAnswer = notice.syncType === ON_DEMAND;
  let skipped = 0;
  let compressed: Promise<Uint8Array> | undefined;
  const open = async (signal: AbortSignal) => {
    compressed ??= bytesOf(notice, media, signal);
    return compressed.catch((error: unknown) => {
      compressed = undefined;
      throw error;
    });
  };
  return {
    progress: Math.min(notice.progress ?? 0, COMPLETE),
    account,
    ...(isAnswer && { answers: notice.peerDataRequestSessionId ?? '' }),
    isWanted: async (keys) => {
      if (isAnswer) return true;
      const creds = decodeCredentials(await keys.credentials());
      return creds !== undefined && isHistoryWanted(creds);
    },
    keepTokens: async (keys, signal) => keepTokens(keys, inflated(await open(signal))),
    async *batches(signal) {
      const bytes = await open(signal);
      yield* readHistory(
        () => inflated(bytes),
        () => skipped++,
      );
      if (skipped > 0) log.warn({ skipped }, 'messages of the history could not be read');
    },
  };
}

/** The bytes of a part; small parts are inside their notice. @throws GatewayError `media_gone`, `media_unfetchable` */
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
      if (bytes > MAX_BYTES) throw new Error(`a part of the history has more than ${MAX_BYTES} bytes`);
      yield piece;
    }
  } finally {
    inflate.destroy();
  }
}

const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type;
const { INITIAL_STATUS_V3, ON_DEMAND } = proto.HistorySync.HistorySyncType;

/** The linked phone's announcement of a part of its history: its place and its key. */
type HistoryNotice = proto.Message.IHistorySyncNotification;

/** The notice in a decrypted message of the own phone; undefined where there is none. */
export function noticeIn(attrs: BinaryNodeAttributes, plain: Uint8Array): HistoryNotice | undefined {
  if (attrs.category !== 'peer') return undefined;
  try {
    const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain));
    const notice = protocolMessage?.historySyncNotification;
    // status posts are no chats
    const isChats = notice?.syncType !== INITIAL_STATUS_V3;
    return protocolMessage?.type === HISTORY_SYNC_NOTIFICATION && isChats ? (notice ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** True when a stanza comes from a device of the account itself: history from others is not trusted. */
export function isFromOwn(
  attrs: BinaryNodeAttributes,
  me: { id?: string; lid?: string | undefined } | undefined,
): boolean {
  return areJidsSameUser(attrs.from, me?.id) || areJidsSameUser(attrs.from, me?.lid);
}

/** The notice in a journal entry, and the account; undefined where there is none. */
function noticeOf(entry: JournalEntry): { notice: HistoryNotice; account: Person } | undefined {
  try {
    const { attrs } = decodeStanza(entry.stanza);
    const notice = noticeIn(attrs, entry.plain);
    return notice && { notice, account: personOf(attrs.from) };
  } catch {
    // an incomplete or damaged entry has no notice
    return undefined;
  }
}

/**
 * Notes in the credentials of a new pairing that its history is wanted. Credentials and note are written in one step, so
 * that the decision for each later part survives any interruption.
 */
export function noteHistoryWanted(creds: AuthenticationCreds): void {
  creds.additionalData = { wantsHistory: true };
}

/** True if the credentials of the pairing say that its history is wanted. */
function isHistoryWanted(creds: AuthenticationCreds): boolean {
  const noted: unknown = creds.additionalData;
  return (
    typeof noted === 'object' && noted !== null && 'wantsHistory' in noted && noted.wantsHistory === true
  );
}
