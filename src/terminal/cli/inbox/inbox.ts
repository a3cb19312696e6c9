import type { RoomSignal } from '../../../contract/events/stream-entry.js';
import { type Clock, systemClock } from '../../../domain/clock.js';
import { KeyedLock } from '../../../domain/keyed-lock.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';
import { StateBox } from '../state-box.js';
import {
  type ActionContext,
  edit,
  keepHistory,
  markRead,
  type OpenChat,
  react,
  remove,
  sendFile,
  sendText,
  startChat,
} from './actions.js';
import { isGone, report } from './context.js';
import { openFile, saveFile } from './files.js';
import { followLive } from './live.js';
import type { Hit, InboxModel, InboxState, MessageItem, OtherRoom, RoomItem } from './model.js';
import { OpenRoom, renamed } from './open-room.js';
import { OnceSender, Outgoing } from './outgoing.js';
import { Phones } from './room-item.js';
import { RoomList } from './room-list.js';
import { nearestWith, roomsOfOthers, roomsWith, searchRooms } from './search.js';
import { SessionBoard, showing } from './session-list.js';

export interface InboxOptions {
  /** Session to select first; default: a connected one. */
  clientId?: string;
  clock?: Clock;
  /** Closes the inbox. */
  signal?: AbortSignal;
}

const EMPTY: InboxState = {
  connection: { state: 'connecting' },
  sessions: [],
  loadingSessions: true,
  clientId: undefined,
  rooms: [],
  loadingRooms: true,
  conversation: undefined,
  outgoing: [],
  notice: undefined,
};

/** Creates the model of the inbox screen and starts following the live stream. */
export function createInboxModel(client: DaemonClient, options: InboxOptions = {}): InboxModel {
  return new Inbox(client, options);
}

class Inbox implements InboxModel {
  readonly #end = new AbortController();
  readonly #acting: ActionContext;
  readonly #sessions: SessionBoard;
  #rooms: RoomList | undefined;
  #open: OpenRoom | undefined;

  constructor(client: DaemonClient, { clientId, clock = systemClock, signal }: InboxOptions) {
    const box = new StateBox<InboxState>({ ...EMPTY, clientId });
    const ended = signal ? AbortSignal.any([signal, this.#end.signal]) : this.#end.signal;
    const context = { client, clock, box, phones: new Phones(), signal: ended };
    this.#sessions = new SessionBoard(context);
    this.#acting = {
      ...context,
      once: new OnceSender(context),
      outgoing: new Outgoing(box),
      order: new KeyedLock(),
      chat: () => this.#chat(),
      refreshConversation: (messageId) => this.#refreshConversation(messageId),
      refreshRooms: () => this.#refreshRooms(),
      refreshSessions: () => this.#sessions.refresh(),
      openRoom: (chatRoomId) => this.openRoom(chatRoomId),
    };
    ended.addEventListener('abort', () => box.close(), { once: true });
    box.subscribe(() => this.#syncParts());
    this.#syncParts();
    void followLive(context, {
      opened: () => this.#opened(),
      statusChanged: (event) => this.#sessions.statusChanged(event),
      roomChanged: (change) => this.#roomChanged(change),
    });
  }

  get state(): InboxState {
    return this.#acting.box.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#acting.box.subscribe(listener);
  }

  close(): void {
    this.#end.abort();
  }

  selectSession(clientId: string): void {
    this.#acting.box.update((state) => showing(state, clientId));
  }

  openRoom(chatRoomId: string): void {
    if (this.state.conversation?.chatRoomId === chatRoomId) return;
    const room = this.state.rooms.find((candidate) => candidate.chatRoomId === chatRoomId);
    if (room) {
      this.#open?.close();
      this.#open = new OpenRoom(this.#acting, room);
    } else {
      report(this.#acting, new CliError('not_found', `there is no room ${chatRoomId}`));
    }
  }

  closeRoom(): void {
    this.#acting.box.update((state) => (state.conversation ? { ...state, conversation: undefined } : state));
  }

  async loadOlder(): Promise<boolean> {
    return (await this.#open?.loadOlder()) ?? false;
  }

  async requestOlder(): Promise<boolean> {
    return (await this.#open?.requestOlder()) ?? false;
  }

  send(text: string, options: { quotedMessageId?: string } = {}): Promise<boolean> {
    return this.#attempt(() => sendText(this.#acting, text, options.quotedMessageId));
  }

  sendFile(path: string, options: { caption?: string; quotedMessageId?: string } = {}): Promise<boolean> {
    return this.#attempt(() => sendFile(this.#acting, { path, ...options }));
  }

  react(messageId: string, emoji: string): Promise<boolean> {
    return this.#attempt(() => react(this.#acting, messageId, emoji));
  }

  edit(messageId: string, text: string): Promise<boolean> {
    return this.#attempt(() => edit(this.#acting, messageId, text));
  }

  remove(messageId: string): Promise<boolean> {
    return this.#attempt(() => remove(this.#acting, messageId));
  }

  startChat(to: string, text: string): Promise<boolean> {
    return this.#attempt(() => startChat(this.#acting, to, text));
  }

  markRead(): Promise<boolean> {
    return this.#attempt(() => markRead(this.#acting));
  }

  keepHistory(clientId: string, orgId: string): Promise<boolean> {
    return this.#attempt(() => keepHistory(this.#acting, clientId, orgId));
  }

  findRooms(words: string): readonly RoomItem[] {
    return roomsWith(this.state.rooms, words);
  }

  async findMessage(
    words: string,
    options: { before?: string; after?: string } = {},
  ): Promise<MessageItem | undefined> {
    const room = this.#open;
    await room?.loaded();
    while (room && room === this.#open) {
      const messages = this.state.conversation?.messages ?? [];
      const found = nearestWith(messages, words, options);
      if (found || options.after !== undefined || !(await room.loadOlder())) return found;
    }
    return undefined;
  }

  async reveal(messageId: string): Promise<boolean> {
    const room = this.#open;
    const isThere = () =>
      this.state.conversation?.messages.some((message) => message.messageId === messageId) === true;
    await room?.loaded();
    while (room && room === this.#open && !isThere()) if (!(await room.loadOlder())) break;
    return room !== undefined && room === this.#open && isThere();
  }

  roomsOfOthers(): Promise<readonly OtherRoom[]> {
    return roomsOfOthers(this.#acting);
  }

  searchRooms(words: string, signal: AbortSignal): Promise<readonly Hit[]> {
    return searchRooms(this.#acting, words, signal);
  }

  async openRoomOf(clientId: string, chatRoomId: string): Promise<boolean> {
    this.selectSession(clientId);
    const { box, signal } = this.#acting;
    await box.until((state) => state.clientId !== clientId || !state.loadingRooms, signal);
    if (this.state.clientId !== clientId || signal.aborted) return false;
    this.openRoom(chatRoomId);
    return true;
  }

  openFile(url: string): Promise<boolean> {
    return this.#attempt(async () => openFile(this.#acting, url));
  }

  saveFile(url: string, path: string): Promise<boolean> {
    return this.#attempt(() => saveFile(this.#acting, url, path));
  }

  dismissNotice(): void {
    this.#acting.box.update((state) => (state.notice ? { ...state, notice: undefined } : state));
  }

  /** Creates and closes room list and conversation to match the state. */
  #syncParts(): void {
    const { clientId, conversation } = this.state;
    if (this.#open && !conversation) {
      this.#open.close();
      this.#open = undefined;
    }
    if (this.#rooms?.clientId === clientId) return;
    this.#rooms?.close();
    this.#rooms = clientId === undefined ? undefined : this.#roomsOf(clientId);
    void this.#rooms?.refresh();
  }

  #roomsOf(clientId: string): RoomList {
    return new RoomList(this.#acting, clientId, () => void this.#sessions.refresh());
  }

  #opened(): void {
    void this.#sessions.refresh();
    // a signal for all rooms follows; skip the retry pauses
    this.#rooms?.hurry();
    this.#open?.hurry();
  }

  async #refreshRooms(): Promise<void> {
    this.#rooms?.hurry();
    await this.#rooms?.refresh();
  }

  async #refreshConversation(messageId?: string): Promise<void> {
    this.#open?.hurry();
    await this.#open?.refresh(messageId);
  }

  #roomChanged({ clientId, chatRoomId, messageId, formerId }: RoomSignal): void {
    if (clientId && clientId !== this.state.clientId) return;
    void this.#rooms?.changed(chatRoomId);
    if (formerId) this.#acting.box.update((state) => renamed(state, formerId, chatRoomId));
    const shown = this.state.conversation?.chatRoomId;
    if (!chatRoomId || chatRoomId === shown) void this.#open?.refresh(messageId);
  }

  #chat(): OpenChat {
    const { clientId, conversation, rooms } = this.state;
    if (clientId === undefined || !conversation || !this.#open) {
      throw new CliError('usage', 'open a conversation first');
    }
    const { chatRoomId } = conversation;
    const room = rooms.find((candidate) => candidate.chatRoomId === chatRoomId) ?? this.#open.room;
    return { clientId, chatRoomId, to: room.to };
  }

  /** Runs an action; an error becomes the notice. */
  async #attempt(action: () => Promise<void>): Promise<boolean> {
    if (this.#acting.signal.aborted) return false;
    this.dismissNotice();
    try {
      await action();
      return true;
    } catch (error) {
      report(this.#acting, error);
      // no event reports a deleted session
      if (isGone(error)) void this.#sessions.refresh();
      return false;
    }
  }
}
