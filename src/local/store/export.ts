import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { HistoryMessage, RoomRecord, SessionRecord, Store } from '../../gateway/store/store.js';
import { CliError } from '../../terminal/cli/errors.js';
import type { CountLine } from '../../terminal/cli/progress.js';
import { PAGE, pagesOf } from './pages.js';

const ROOMS = 'rooms';
const MEDIA = 'media';
const INDEX = 'index.json';
/** Mode of the folder: only the owner may read the messages. */
const PRIVATE_DIR = 0o700;
const PRIVATE_FILE = 0o600;
/** Maximum length of a file name in characters. */
const NAME_LENGTH = 80;

/** Content of `index.json`. */
export interface ExportIndex {
  clientId: string;
  /** Phone number with `+`; empty before pairing. */
  number: string;
  name: string;
  orgId: string;
  /** RFC 3339. */
  exportedAt: string;
  messages: number;
  files: number;
  /** Files of messages that are not stored. */
  missingFiles: number;
  rooms: {
    chatRoomId: string;
    name: string;
    isGroup: boolean;
    remoteJid: string;
    unreadCount: number;
    messages: number;
    /** Path within the folder. */
    file: string;
  }[];
}

export interface ExportOptions {
  clientId: string;
  /** Target folder; created if missing. */
  to: string;
  /** RFC 3339. */
  exportedAt: string;
  /** Counts the written messages. */
  counted: Pick<CountLine, 'add'>;
}

type Exported = Pick<Store, 'sessions' | 'history' | 'files'>;

/**
 * Exports the history and the files of a session to a folder: one JSON Lines file per room, oldest message first. Writes
 * `index.json` last, so a folder without it is incomplete.
 *
 * @throws CliError `not_found` for an unknown session, `conflict` if the folder is not empty
 */
export async function exportSession(store: Exported, options: ExportOptions): Promise<ExportIndex> {
  const { clientId, to, exportedAt } = options;
  const session = await store.sessions.get(clientId);
  if (!session) throw new CliError('not_found', `there is no session ${clientId} in the store`);
  await makeEmptyFolder(to);
  const index = begin(session, exportedAt);
  const writer = new RoomWriter(store, options, index);
  for (const room of await store.history.rooms(clientId)) index.rooms.push(await writer.write(room));
  await writeFile(join(to, INDEX), `${JSON.stringify(index, null, 2)}\n`, { mode: PRIVATE_FILE, flag: 'wx' });
  return index;
}

async function makeEmptyFolder(to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: PRIVATE_DIR });
  if ((await readdir(to)).length > 0) {
    throw new CliError('conflict', `the folder ${to} is not empty`, {
      suggestions: ['choose another folder'],
    });
  }
  for (const folder of [ROOMS, MEDIA]) await mkdir(join(to, folder), { mode: PRIVATE_DIR });
}

function begin({ clientId, pn, name, orgId }: SessionRecord, exportedAt: string): ExportIndex {
  const counts = { messages: 0, files: 0, missingFiles: 0 };
  return { clientId, number: pn && `+${pn}`, name, orgId, exportedAt, ...counts, rooms: [] };
}

/** Writes rooms in turn, and counts messages and files. */
class RoomWriter {
  readonly #store: Exported;
  readonly #options: ExportOptions;
  readonly #index: ExportIndex;

  constructor(store: Exported, options: ExportOptions, index: ExportIndex) {
    this.#store = store;
    this.#options = options;
    this.#index = index;
  }

  async write({
    chatRoomId,
    name,
    isGroup,
    remoteJid,
    unreadCount,
  }: RoomRecord): Promise<ExportIndex['rooms'][number]> {
    const file = `${ROOMS}/${safe(chatRoomId)}.jsonl`;
    const lines = await open(join(this.#options.to, file), 'wx', PRIVATE_FILE);
    let messages = 0;
    try {
      for await (const page of oldestFirst(this.#store, this.#options.clientId, chatRoomId)) {
        await this.#writePage(lines, page);
        messages += page.length;
      }
    } finally {
      await lines.close();
    }
    this.#index.messages += messages;
    return { chatRoomId, name, isGroup, remoteJid, unreadCount, messages, file };
  }

  async #writePage(lines: FileHandle, page: readonly HistoryMessage[]): Promise<void> {
    let text = '';
    for (const message of page) {
      const file = message.fileId ? await this.#writeFile(message) : '';
      text += `${JSON.stringify(lineOf(message, file))}\n`;
    }
    await lines.appendFile(text);
    this.#options.counted.add(page.length);
  }

  /** @returns the path within the folder; empty if the file is not stored */
  async #writeFile({ fileId }: HistoryMessage): Promise<string> {
    const stored = await this.#store.files.open(fileId);
    if (!stored) {
      this.#index.missingFiles += 1;
      return '';
    }
    const { record, stream } = stored;
    const path = `${MEDIA}/${safe(record.id)}-${safe(record.fileName) || 'file'}`;
    const sink = createWriteStream(join(this.#options.to, path), { flags: 'wx', mode: PRIVATE_FILE });
    await pipeline(stream, sink);
    this.#index.files += 1;
    return path;
  }
}

/**
 * Yields messages oldest first. The store reads from new to old, so this remembers only where each page begins. A
 * running daemon may add and remove messages meanwhile.
 */
async function* oldestFirst(
  { history }: Exported,
  clientId: string,
  chatRoomId: string,
): AsyncGenerator<HistoryMessage[]> {
  const begins: (string | undefined)[] = [undefined];
  for await (const page of pagesOf({ history }, clientId, chatRoomId)) begins.push(page[0]?.messageId);
  let written: HistoryMessage[] = [];
  for (const before of begins.reverse()) {
    const page = await following(written, (limit) =>
      history.messages(clientId, chatRoomId, { limit, before }),
    );
    if (page.length === 0) continue;
    yield page;
    written = page;
  }
}

/** The page after `written`: reads back until the pages overlap, even if many messages were added. */
async function following(
  written: readonly HistoryMessage[],
  read: (limit: number) => Promise<HistoryMessage[]>,
): Promise<HistoryMessage[]> {
  const last = written.at(-1);
  const ids = new Set(written.map(({ messageId }) => messageId));
  const isWritten = ({ sentAt, messageId }: HistoryMessage) =>
    ids.has(messageId) || (last !== undefined && sentAt < last.sentAt);
  for (let limit = PAGE + 1; ; limit *= 2) {
    const found = await read(limit);
    const at = found.findLastIndex(isWritten);
    if (at >= 0 || found.length < limit) return found.slice(at + 1);
  }
}

/** A message without internal fields. */
function lineOf({ content, fileId, chatRoomId, extras, sentAt, ...message }: HistoryMessage, file: string) {
  const { reactionTimes, ...shown } = extras;
  return { ...message, sentAt: new Date(sentAt).toISOString(), extras: shown, file: file || undefined };
}

/** A safe file name, because senders choose names. */
function safe(name: string): string {
  const plain = name.normalize('NFC').replace(/[^\p{L}\p{N}._-]+/gu, '_');
  // keep the end, which has the extension
  const cut = [...plain].slice(-NAME_LENGTH).join('');
  return cut.replace(/^[._-]+|[._]+$/g, '');
}
