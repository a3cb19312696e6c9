import { proto } from '@whiskeysockets/baileys';
import type { HistoricMessage, HistoryBatch, HistoryPart } from '../../../src/gateway/link/history.js';
import { HistoryImports } from '../../../src/gateway/services/history/imports.js';
import { Recorder } from '../../../src/gateway/services/history/recorder.js';
import type { StoredRows } from '../../../src/gateway/services/history/stored-rows.js';
import { Contacts } from '../../../src/gateway/services/identities/contacts.js';
import { SessionParts } from '../../../src/gateway/services/sessions/session-parts.js';
import type { ExpectedFile, HistoryMessage, SessionRecord, Store } from '../../../src/gateway/store/store.js';
import type { ManualClock } from '../manual-clock.js';
import { HOSTED, ROOM, SENT_AT } from './receiving.js';
import type { Rig } from './rig.js';
import { NO_SETTINGS } from './room-settings.js';

export const BOB = { lid: '90000000000002', pn: '15550000002' };
export const BOB_JID = `${BOB.lid}@lid`;
export const DAY_MS = 24 * 60 * 60_000;

/** The content of a history part; account and progress are added. */
export type PlayedPart = Partial<HistoryPart> & Pick<HistoryPart, 'batches'>;

/** The import of the past into a real store; the parts are written by hand. */
export class PastImports {
  readonly store: Store;
  readonly clock: ManualClock;
  /** The session whose past it is. */
  readonly record: SessionRecord = { ...HOSTED };
  /** Files that are to be stored. */
  readonly expected: Omit<ExpectedFile, 'since'>[] = [];
  readonly #parts = new Map<string, PlayedPart>();
  readonly #base: Rig;
  readonly #rows: StoredRows;
  recorder: Recorder;
  imports: HistoryImports;

  private constructor(base: Rig) {
    this.#base = base;
    this.store = base.store;
    this.clock = base.clock;
    this.#rows = base.rowsOver({ encode, decode });
    this.recorder = this.#newRecorder();
    this.imports = this.#newImports();
  }

  static async over(base: Rig): Promise<PastImports> {
    const rig = new PastImports(base);
    await rig.store.sessions.create(rig.record);
    rig.#base.onClose(() => rig.imports.stop());
    return rig;
  }

  /** The services of a restarted daemon. */
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

  /** Imports the parts that an earlier run of the daemon left open. */
  resume(id: string): void {
    this.imports.take({ clientId: 'acme', record: this.record }, id, true);
  }

  /** Imports a part with this content. */
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

  stop(): Promise<void> {
    return this.#base.close();
  }

  #newRecorder(): Recorder {
    const expect = async (file: Omit<ExpectedFile, 'since'>) => void this.expected.push(file);
    const rooms = this.#base.roomsOf(this.record);
    const { store } = this;
    const rows = this.#rows;
    return new Recorder({
      store,
      rooms,
      rows,
      links: { encode, decode },
      files: { expect },
      roomSettings: NO_SETTINGS,
    });
  }

  #newImports(): HistoryImports {
    const { store, recorder, clock } = this;
    const { retry, log } = this.#base;
    return new HistoryImports({
      store,
      recorder,
      clock,
      retry,
      retentionDays: 0,
      contacts: new Contacts(store.contacts, clock),
      log,
      rows: this.#rows,
      parts: new SessionParts(),
      links: {
        encode,
        history: ({ id }) => {
          const part = this.#parts.get(id);
          const whole = { isWanted: async () => true, keepTokens: async () => undefined };
          return part && { progress: 100, account: { pn: this.record.pn }, ...whole, ...part };
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

function decode(content: Uint8Array): proto.IMessage {
  return proto.Message.decode(content);
}

function encode(content: proto.IMessage): Uint8Array {
  return proto.Message.encode(content).finish();
}
