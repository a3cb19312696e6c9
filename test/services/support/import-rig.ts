import { proto } from '@whiskeysockets/baileys';
import { pino } from 'pino';
import type { HistoricMessage, HistoryBatch, HistoryPart } from '../../../src/link/port/history.js';
import { Contacts } from '../../../src/services/contacts.js';
import { HistoryImports } from '../../../src/services/inbox/imports.js';
import { Recorder } from '../../../src/services/inbox/recorder.js';
import { StoreSteps } from '../../../src/services/store-steps.js';
import { openStore } from '../../../src/store/open.js';
import type { ExpectedFile, HistoryMessage, SessionRecord, Store } from '../../../src/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';
import { HOSTED, ROOM, SENT_AT } from '../receive-rig.js';
import { identitiesOver } from './identities.js';

export const BOB = { lid: '90000000000002', pn: '15550000002' };
export const BOB_JID = `${BOB.lid}@lid`;
export const DAY_MS = 24 * 60 * 60_000;

/** What a part of a past says; whose it is and how far the whole has come are added. */
export type PlayedPart = Partial<HistoryPart> & Pick<HistoryPart, 'batches'>;

/** The import of the past into a real store; the parts are written by hand. */
export class ImportRig {
  readonly store: Store;
  readonly clock = new ManualClock(SENT_AT + DAY_MS);
  /** The session whose past it is. */
  readonly record: SessionRecord = { ...HOSTED };
  /** Files that are to be stored. */
  readonly expected: Omit<ExpectedFile, 'since'>[] = [];
  readonly #parts = new Map<string, PlayedPart>();
  readonly #folder: TempDir;
  readonly #steps: StoreSteps;
  recorder: Recorder;
  imports: HistoryImports;

  private constructor(store: Store, folder: TempDir) {
    this.store = store;
    this.#folder = folder;
    this.#steps = new StoreSteps(store, this.clock);
    this.recorder = this.#newRecorder();
    this.imports = this.#newImports();
  }

  static async start(): Promise<ImportRig> {
    const folder = await makeTempDir();
    const store = await openStore({
      url: 'sqlite',
      dataDir: folder.path,
      encryptionKey: new Uint8Array(32),
    });
    const rig = new ImportRig(store, folder);
    await store.sessions.create(rig.record);
    return rig;
  }

  /** What a daemon has that was started again. */
  restart(): void {
    this.recorder = this.#newRecorder();
    this.imports = this.#newImports();
  }

  /** Journals the announcement of a part. */
  async journal(id: string, part: PlayedPart, clientId = 'acme'): Promise<void> {
    this.#parts.set(id, part);
    const bytes = new Uint8Array(1);
    const entry = { id, messageId: id, plain: bytes, stanza: bytes, receivedAt: SENT_AT };
    await this.store.keys.commit(clientId, { journal: [entry] });
  }

  /** Journals the announcement of a part, and begins to take it in. */
  async announce(id: string, part: PlayedPart, record = this.record): Promise<void> {
    await this.journal(id, part, record.clientId);
    this.imports.take({ clientId: record.clientId, record }, id);
  }

  /** Takes in what an earlier run of the daemon left open. */
  resume(id: string): void {
    this.imports.take({ clientId: 'acme', record: this.record }, id, true);
  }

  /** Takes a part in that says this. */
  async take(messages: HistoricMessage[], people: HistoryBatch['people'] = []): Promise<void> {
    await this.announce(`J${this.#parts.size}`, saying({ people, messages }));
    await this.imports.idle();
  }

  rows(room = ROOM): Promise<HistoryMessage[]> {
    return this.store.history.messages('acme', room, { limit: 200 });
  }

  async bodies(): Promise<string[]> {
    return (await this.rows()).map(({ body }) => body);
  }

  /** Ids of the journal entries that are open. */
  async open(): Promise<string[]> {
    return (await this.store.journal.open('acme')).map(({ id }) => id);
  }

  async stop(): Promise<void> {
    this.#steps.stop();
    await this.imports.stop();
    await this.store.close();
    await this.#folder.remove();
  }

  #newRecorder(): Recorder {
    const expectFile = async (file: Omit<ExpectedFile, 'since'>) => void this.expected.push(file);
    const rooms = identitiesOver(this.store, this.record);
    return new Recorder({ history: this.store.history, rooms, links: { encode }, expectFile });
  }

  #newImports(): HistoryImports {
    const { store, recorder, clock } = this;
    return new HistoryImports({
      store,
      recorder,
      clock,
      steps: this.#steps,
      contacts: new Contacts(store.contacts, clock),
      log: pino({ level: 'silent' }),
      links: {
        encode,
        history: ({ id }) => {
          const part = this.#parts.get(id);
          return part && { progress: 100, account: { pn: this.record.pn }, ...part };
        },
      },
    });
  }
}

/** A message that Bob wrote, unless said otherwise. */
export function past(messageId: string, more: Partial<HistoricMessage> = {}): HistoricMessage {
  return {
    messageId,
    chat: BOB_JID,
    subject: '',
    fromMe: false,
    pushName: more.fromMe ? '' : 'Bob',
    timestamp: SENT_AT,
    content: { conversation: messageId },
    deleted: false,
    reactions: [],
    unreadInChat: 0,
    ...more,
  };
}

export function saying({ people, messages }: HistoryBatch): PlayedPart {
  return {
    async *batches() {
      yield { people, messages: [] };
      yield { people: [], messages };
    },
  };
}

function encode(content: proto.IMessage): Uint8Array {
  return proto.Message.encode(content).finish();
}
