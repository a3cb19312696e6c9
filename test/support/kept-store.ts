import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { encryptionKeyBytes } from '../../src/gateway/config/secrets.js';
import { openStore } from '../../src/gateway/store/open.js';
import type { HistoryMessage, Store } from '../../src/gateway/store/store.js';
import { message, newFile, roomUpdate, session } from '../contracts/store/harness.js';
import { type CommandResult, runCommand } from './run-command.js';
import { makeStorePlace, type StorePlace } from './store-place.js';
import { makeTempDir, type TempDir } from './temp-dir.js';

type Command = Parameters<typeof runCommand>[0];

/** A store that a daemon has left, with its key beside it, and commands that work on it. */
export class KeptStore {
  readonly #folder: TempDir;
  readonly #place: StorePlace;
  readonly #key = randomBytes(32).toString('hex');

  private constructor(folder: TempDir, place: StorePlace) {
    this.#folder = folder;
    this.#place = place;
  }

  /** With the sessions `acme` and `other`. */
  static async begin(): Promise<KeptStore> {
    const kept = new KeptStore(await makeTempDir(), await makeStorePlace());
    await writeFile(join(kept.dataDir, 'encryption-key'), `${kept.#key}\n`, { mode: 0o600 });
    await kept.open(async ({ sessions }) => {
      for (const clientId of ['acme', 'other']) await sessions.create(session(clientId));
    });
    return kept;
  }

  get dataDir(): string {
    return this.#folder.path;
  }

  /** Settings by which a daemon uses it. */
  get settings(): { dataDir: string; store: string; encryptionKey: string } {
    return { dataDir: this.dataDir, store: this.#place.setting, encryptionKey: this.#key };
  }

  /** Flags by which a command finds it. */
  get flags(): string[] {
    return ['--data-dir', this.dataDir, '--store', this.#place.setting];
  }

  async open<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const encryptionKey = encryptionKeyBytes(this.#key);
    const store = await openStore({ url: this.#place.setting, dataDir: this.dataDir, encryptionKey });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  }

  run(command: Command, ...argv: string[]): Promise<CommandResult> {
    const unset = { SWITCHBOARD_ENCRYPTION_KEY: undefined, SWITCHBOARD_STORE: undefined };
    return runCommand(command, [...argv, ...this.flags], unset);
  }

  async drop(): Promise<void> {
    await this.#place.drop();
    await this.#folder.remove();
  }
}

/** Records a message of somebody else. @returns it as it was recorded */
export async function keep(
  { history }: Store,
  messageId: string,
  fields: Partial<HistoryMessage> = {},
  clientId = 'acme',
): Promise<HistoryMessage> {
  const recorded = message(messageId, { fromMe: false, fileId: '', media: undefined, ...fields });
  const { chatRoomId, body } = recorded;
  await history.record(clientId, roomUpdate({ chatRoomId, lastMessage: body }), recorded);
  return recorded;
}

/** Records a message with a file. @returns the file's id */
export async function keepFile(
  store: Store,
  messageId: string,
  {
    fileName = 'a.txt',
    content = 'content',
    sentAt = 1_000,
    clientId = 'acme',
    chatRoomId = 'acme-1-2',
  } = {},
): Promise<string> {
  const id = randomUUID();
  await keep(store, messageId, { fileId: id, sentAt, chatRoomId }, clientId);
  const file = newFile({ id, clientId, chatRoomId, messageId, fileName, createdAt: sentAt });
  await store.files.write(file, Readable.from([Buffer.from(content)]));
  return id;
}
