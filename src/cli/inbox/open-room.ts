import { CliError } from '../cli-error.js';
import { Coalesced } from './coalesced.js';
import { type InboxContext, isGone, isPassing, learnPhone, report, say } from './context.js';
import { loadingIs, type Newest, opening, withNewest, withOlder } from './conversation-changes.js';
import { fieldOf, textOf } from './fields.js';
import { messageItems } from './message-item.js';
import type { RoomItem } from './model.js';
import { fetchMessages, LARGEST_PAGE, type MessageRow, resetUnread } from './wire.js';

/** Messages of the first page. */
const FIRST_PAGE = 100;
/** Messages that are kept while they come by themselves, and while somebody pages back. */
const KEPT = 2_000;
const KEPT_WHEN_PAGED = 20_000;

/** The open conversation, kept as the daemon has it. */
export class OpenRoom {
  readonly room: RoomItem;
  readonly #context: InboxContext;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loading: Coalesced;
  /** Messages of which something changed; undefined where it may be any. */
  #touched: Set<string> | undefined = new Set();
  #older: Promise<boolean> | undefined;
  #limit = KEPT;

  constructor(context: InboxContext, room: RoomItem) {
    this.#context = context;
    this.room = room;
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#loading = new Coalesced({
      load: () => this.#load(),
      failed: (error) => this.#failed(error),
      clock: context.clock,
      signal: this.#signal,
    });
    context.box.update((state) => opening(state, room.chatRoomId));
    void this.#loading.request();
    if (room.unreadCount > 0) void this.#resetUnread();
  }

  /** Something changed: one message, or anything. Resolves when it has been read. */
  refresh(messageId?: string): Promise<void> {
    this.#touch(messageId);
    return this.#loading.request();
  }

  /** What was asked for is read at once. */
  hurry(): void {
    this.#loading.hurry();
  }

  /** Loads the page before the oldest message; false when there is none, or it failed. */
  loadOlder(): Promise<boolean> {
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = undefined;
    });
    return this.#older;
  }

  close(): void {
    this.#end.abort();
  }

  async #resetUnread(): Promise<void> {
    // the next reading of the rooms makes up for one that failed
    await resetUnread(this.#context.client, this.room.chatRoomId).catch(() => undefined);
  }

  #touch(messageId: string | undefined): void {
    if (messageId === undefined) this.#touched = undefined;
    else this.#touched?.add(messageId);
  }

  async #load(): Promise<void> {
    const touched = this.#touched;
    this.#touched = new Set();
    try {
      const newest = await this.#newest(touched);
      if (this.#signal.aborted) return;
      this.#context.box.update((state) => withNewest(state, newest, this.#limit));
    } catch (error) {
      for (const messageId of touched ?? [undefined]) this.#touch(messageId);
      throw error;
    }
  }

  /** Reads back until what is shown, or all of it where anything may have changed. */
  async #newest(touched: ReadonlySet<string> | undefined): Promise<Newest> {
    const rows = await this.#page({ limit: FIRST_PAGE });
    let fromBeginning = rows.length < FIRST_PAGE;
    while (!fromBeginning && rows.length < this.#limit && !this.#reaches(rows, touched)) {
      const page = await this.#page({ limit: LARGEST_PAGE, before: rows[0]?.messageId }).catch(notTheRoom);
      fromBeginning = page.length < LARGEST_PAGE;
      rows.unshift(...page);
    }
    return this.#read(rows, fromBeginning);
  }

  #reaches(rows: readonly MessageRow[], touched: ReadonlySet<string> | undefined): boolean {
    const shown = this.#context.box.state.conversation?.messages ?? [];
    const [oldest] = shown;
    if (!oldest) return true;
    const ids = new Set(rows.map(({ messageId }) => messageId));
    if (ids.has(oldest.messageId)) return true;
    const isAllThere = touched && [...touched].every((messageId) => ids.has(messageId));
    return isAllThere === true && shown.some(({ messageId }) => ids.has(messageId));
  }

  async #loadOlder(): Promise<boolean> {
    const { box } = this.#context;
    const { conversation } = box.state;
    const oldest = conversation?.messages[0];
    if (!conversation?.hasOlder || !oldest || this.#signal.aborted) return false;
    if (conversation.messages.length >= KEPT_WHEN_PAGED) return this.#tooFar(oldest.messageId);
    box.update((state) => loadingIs(state, true));
    try {
      const rows = await this.#page({ limit: LARGEST_PAGE, before: oldest.messageId });
      if (this.#signal.aborted) return false;
      this.#limit = Math.max(this.#limit, conversation.messages.length + rows.length);
      const older = this.#read(rows, rows.length < LARGEST_PAGE);
      box.update((state) => withOlder(state, older));
      return rows.length > 0;
    } catch (error) {
      if (!this.#signal.aborted) report(this.#context, error);
      return false;
    } finally {
      if (!this.#signal.aborted) box.update((state) => loadingIs(state, false));
    }
  }

  #tooFar(oldest: string): boolean {
    const text = `the inbox goes back ${KEPT_WHEN_PAGED.toLocaleString('en')} messages`;
    const clientId = this.#context.box.state.clientId ?? '';
    const suggestions = [`read on: switchboard messages list ${clientId} ${this.room.to} --before ${oldest}`];
    say(this.#context, { level: 'warning', text, suggestions });
    return false;
  }

  #page(page: { limit: number; before?: string }): Promise<MessageRow[]> {
    return fetchMessages(this.#context.client, this.#chatRoomId, page);
  }

  /** The id by now: a person whose LID became known has another one. */
  get #chatRoomId(): string {
    return this.#context.box.state.conversation?.chatRoomId ?? this.room.chatRoomId;
  }

  #read(rows: readonly MessageRow[], fromBeginning: boolean): Newest {
    const { state } = this.#context.box;
    const session = state.sessions.find(({ clientId }) => clientId === state.clientId);
    const chatRoomId = rows.at(-1)?.chatRoomId ?? this.#chatRoomId;
    const { name, isGroup } = this.room;
    for (const row of rows) this.#learnFrom(row);
    const messages = messageItems(rows, { chatRoomId, name, isGroup, ownJid: session?.jid ?? '' });
    return { chatRoomId, messages, fromBeginning };
  }

  /** Who wrote to a group may have a room too. */
  #learnFrom({ extras }: MessageRow): void {
    const sender = fieldOf(extras, 'group');
    learnPhone(this.#context, textOf(sender, 'participant'), textOf(sender, 'participantPhone'));
  }

  #failed(error: unknown): boolean {
    if (!isGone(error)) return isPassing(this.#context, error);
    report(this.#context, new CliError('not_found', `the conversation with ${this.room.name} is gone`));
    this.#context.box.update((state) => ({ ...state, conversation: undefined }));
    return false;
  }
}

/** The message before which it was to be read is gone, not the room. */
function notTheRoom(error: unknown): never {
  if (!isGone(error)) throw error;
  throw new CliError('failure', 'the conversation changed while it was read', { cause: error });
}
