import type { StoredMessage } from '../../../contract/index.js';
import { CliError } from '../errors.js';
import { fetchMessages, LARGEST_PAGE } from '../history.js';
import { CoalescedLoad } from './coalesced.js';
import { type InboxContext, isGone, isPassing, learnPhone, report, say } from './context.js';
import { fieldOf, messageItems, textOf } from './message-item.js';
import type { Conversation, InboxState, MessageItem, OutgoingItem, RoomItem } from './model.js';
import { requestOlder } from './phone-history.js';

/** Messages of the first page. */
const FIRST_PAGE = 100;
/** Messages kept in memory, and when paging back. */
const KEPT = 2_000;
const KEPT_WHEN_PAGED = 20_000;

/** Keeps the open conversation in sync with the daemon. */
export class OpenRoom {
  readonly room: RoomItem;
  readonly #context: InboxContext;
  readonly #end = new AbortController();
  readonly #signal: AbortSignal;
  readonly #loading: CoalescedLoad;
  /** Ids of changed messages; undefined if any may have changed. */
  #touched: Set<string> | undefined = new Set();
  #older: Promise<boolean> | undefined;
  #limit = KEPT;
  readonly #first: Promise<void>;
  /** Unread messages to mark after the first load. */
  #unread: number;

  constructor(context: InboxContext, room: RoomItem) {
    this.#context = context;
    this.room = room;
    this.#unread = room.unreadCount;
    this.#signal = AbortSignal.any([context.signal, this.#end.signal]);
    this.#loading = new CoalescedLoad({
      load: () => this.#load(),
      failed: (error) => this.#failed(error),
      clock: context.clock,
      signal: this.#signal,
    });
    context.box.update((state) => opening(state, room.chatRoomId));
    this.#first = this.#loading.request();
    if (room.unreadCount > 0) void this.#resetUnread();
  }

  /** Reloads after a change of one message, or of any. */
  refresh(messageId?: string): Promise<void> {
    this.#touch(messageId);
    return this.#loading.request();
  }

  /** Resolves after the first load. */
  loaded(): Promise<void> {
    return this.#first;
  }

  /** Skips the pause before the next load. */
  hurry(): void {
    this.#loading.hurry();
  }

  /** Loads the page before the oldest message. @returns false if there is none, or on failure */
  loadOlder(): Promise<boolean> {
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = undefined;
    });
    return this.#older;
  }

  /** Asks the phone for messages older than the stored ones, and loads them. @returns false if none came */
  async requestOlder(): Promise<boolean> {
    const { conversation } = this.#context.box.state;
    if (!conversation || conversation.hasOlder || this.#signal.aborted) return false;
    const hasCome = await requestOlder(this.#context, this.#signal);
    return hasCome && this.loadOlder();
  }

  close(): void {
    this.#end.abort();
  }

  async #resetUnread(): Promise<void> {
    // after a failure, the next load of the rooms retries
    const { chatRoomId } = this.room;
    await this.#context.client.resetUnread({ chatRoomId }).catch(() => undefined);
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
      const unreadFrom = firstUnread(newest.messages, this.#unread);
      this.#unread = 0;
      this.#context.box.update((state) => withUnread(withNewest(state, newest, this.#limit), unreadFrom));
    } catch (error) {
      for (const messageId of touched ?? [undefined]) this.#touch(messageId);
      throw error;
    }
  }

  /** Loads back to the shown messages, or all of them if any may have changed. */
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

  #reaches(rows: readonly StoredMessage[], touched: ReadonlySet<string> | undefined): boolean {
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

  #page(page: { limit: number; before?: string }): Promise<StoredMessage[]> {
    return fetchMessages(this.#context.client, this.#chatRoomId, page);
  }

  /** The current id, which changes when the LID of a person becomes known. */
  get #chatRoomId(): string {
    return this.#context.box.state.conversation?.chatRoomId ?? this.room.chatRoomId;
  }

  #read(rows: readonly StoredMessage[], fromBeginning: boolean): Newest {
    const { state } = this.#context.box;
    const session = state.sessions.find(({ clientId }) => clientId === state.clientId);
    const chatRoomId = rows.at(-1)?.chatRoomId ?? this.#chatRoomId;
    const { name, isGroup } = this.room;
    for (const row of rows) this.#learnFrom(row);
    const messages = messageItems(rows, { chatRoomId, name, isGroup, ownJid: session?.jid ?? '' });
    return { chatRoomId, messages, fromBeginning };
  }

  /** Learns phone numbers from authors in groups, who may have a room of their own. */
  #learnFrom({ extras }: StoredMessage): void {
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

/** Converts "not found" for an anchor message, so that it is not taken for a deleted room. */
function notTheRoom(error: unknown): never {
  if (!isGone(error)) throw error;
  throw new CliError('failure', 'the conversation changed while it was read', { cause: error });
}

interface Newest {
  /** Current id of the room. */
  chatRoomId: string;
  messages: readonly MessageItem[];
  /** True if there are no older messages. */
  fromBeginning: boolean;
}

/** Replaces the rooms. The open one has no unread messages. */
export function withRooms(state: InboxState, rooms: readonly RoomItem[]): InboxState {
  const open = state.conversation?.chatRoomId;
  const shown = rooms.map((room) => (room.chatRoomId === open ? { ...room, unreadCount: 0 } : room));
  return { ...state, rooms: shown, loadingRooms: false };
}

/** The state with a conversation whose messages are loading. */
function opening(state: InboxState, chatRoomId: string): InboxState {
  const conversation: Conversation = {
    ...{ chatRoomId, messages: [], hasOlder: false, loading: true, onPhone: 'unknown' },
  };
  return withRooms({ ...state, conversation }, state.rooms);
}

/**
 * Replaces the newest messages and keeps the older ones.
 * @param limit maximum number of messages to keep
 */
function withNewest(state: InboxState, newest: Newest, limit: number): InboxState {
  const { conversation } = state;
  if (!conversation) return state;
  const earlier = newest.fromBeginning ? [] : shownBefore(conversation.messages, newest.messages);
  const all = [...earlier, ...newest.messages];
  const messages = all.slice(-limit);
  const { chatRoomId, fromBeginning } = newest;
  const hasOlder =
    messages.length < all.length || (earlier.length > 0 ? conversation.hasOlder : !fromBeginning);
  const outgoing = conversation.loading ? state.outgoing : withoutArrived(state, newest);
  return renamed(
    { ...state, outgoing, conversation: { ...conversation, messages, hasOlder, loading: false } },
    conversation.chatRoomId,
    chatRoomId,
  );
}

/** The oldest of the newest `count` messages of others. */
function firstUnread(messages: readonly MessageItem[], count: number): string | undefined {
  if (count === 0) return undefined;
  const others = messages.filter(({ fromMe, type }) => !fromMe && type !== 'vote_update');
  return others.at(-Math.min(count, others.length))?.messageId;
}

function withUnread(state: InboxState, unreadFrom: string | undefined): InboxState {
  const { conversation } = state;
  return conversation && unreadFrom ? { ...state, conversation: { ...conversation, unreadFrom } } : state;
}

/** Prepends a page of older messages. */
function withOlder(state: InboxState, older: Newest): InboxState {
  const { conversation } = state;
  if (!conversation) return state;
  const shown = new Set(conversation.messages.map(({ messageId }) => messageId));
  const added = older.messages.filter(({ messageId }) => !shown.has(messageId));
  const messages = [...added, ...conversation.messages];
  return {
    ...state,
    conversation: { ...conversation, messages, hasOlder: !older.fromBeginning, loading: false },
  };
}

function loadingIs(state: InboxState, loading: boolean): InboxState {
  const { conversation } = state;
  if (!conversation || conversation.loading === loading) return state;
  return { ...state, conversation: { ...conversation, loading } };
}

/** Changes the id of a room. */
export function renamed(state: InboxState, from: string, to: string): InboxState {
  if (from === to) return state;
  const moved = <Item extends { chatRoomId: string }>(item: Item): Item =>
    item.chatRoomId === from ? { ...item, chatRoomId: to } : item;
  return {
    ...state,
    conversation: state.conversation && moved(state.conversation),
    outgoing: state.outgoing.map(moved),
  };
}

/** The shown messages older than an overlapping page; none if the page does not overlap. */
function shownBefore(shown: readonly MessageItem[], page: readonly MessageItem[]): readonly MessageItem[] {
  const [first] = page;
  if (!first) return [];
  const place = shown.findIndex(({ messageId }) => messageId === first.messageId);
  if (place >= 0) return shown.slice(0, place);
  const ids = new Set(page.map(({ messageId }) => messageId));
  if (!shown.some(({ messageId }) => ids.has(messageId))) return [];
  return shown.filter(({ messageId, sentAt }) => sentAt < first.sentAt && !ids.has(messageId));
}

/** Removes one outgoing item for each new own message of the page. */
function withoutArrived({ conversation, outgoing }: InboxState, page: Newest): readonly OutgoingItem[] {
  if (outgoing.length === 0) return outgoing;
  const known = new Set(conversation?.messages.map(({ messageId }) => messageId));
  const left = [...outgoing];
  for (const message of page.messages) {
    if (!message.fromMe || known.has(message.messageId)) continue;
    const place = left.findIndex((item) => isSame(item, message, page.chatRoomId));
    if (place >= 0) left.splice(place, 1);
  }
  return left;
}

function isSame(item: OutgoingItem, message: MessageItem, chatRoomId: string): boolean {
  if (item.chatRoomId !== chatRoomId) return false;
  return item.progress ? item.label === message.attachment?.fileName : item.label === message.body;
}
