import type { RoomSignal } from '../../delivery/tail.js';
import { type Clock, systemClock } from '../../domain/clock.js';
import { KeyedLock } from '../../domain/keyed-lock.js';
import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';
import { StateBox } from '../state-box.js';
import type { Acting, OpenChat } from './actions/acting.js';
import { edit, react, remove } from './actions/change-message.js';
import { keepHistory } from './actions/keep-history.js';
import { markRead } from './actions/mark-read.js';
import { sendFile } from './actions/send-file.js';
import { sendText } from './actions/send-text.js';
import { startChat } from './actions/start-chat.js';
import { isGone, report } from './context.js';
import { renamed } from './conversation-changes.js';
import { followLive } from './live.js';
import type { InboxModel, InboxState, MessageItem, RoomItem } from './model.js';
import { OnceSender } from './once-sender.js';
import { OpenRoom } from './open-room.js';
import { Outgoing } from './outgoing.js';
import { Phones } from './phones.js';
import { RoomList } from './room-list.js';
import { newestWith, roomsWith } from './search.js';
import { SessionBoard } from './session-board.js';
import { showing } from './session-changes.js';

export interface InboxOptions {
  /** The session whose rooms are shown first; without it one that is connected. */
  clientId?: string;
  clock?: Clock;
  /** Closes it. */
  signal?: AbortSignal;
}

const EMPTY: InboxState = {
  connection: { state: 'connecting' },
  sessions: [],
  clientId: undefined,
  rooms: [],
  loadingRooms: true,
  conversation: undefined,
  outgoing: [],
  notice: undefined,
};

/** The terminal inbox of a daemon, live from the moment it is made. */
export function createInboxModel(client: DaemonClient, options: InboxOptions = {}): InboxModel {
  return new Inbox(client, options);
}

class Inbox implements InboxModel {
  readonly #end = new AbortController();
  readonly #acting: Acting;
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
    box.subscribe(() => this.#keepUp());
    this.#keepUp();
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

  async findMessage(words: string, { before }: { before?: string } = {}): Promise<MessageItem | undefined> {
    const room = this.#open;
    while (room && room === this.#open) {
      const messages = this.state.conversation?.messages ?? [];
      const found = newestWith(messages, words, before);
      if (found || !(await room.loadOlder())) return found;
    }
    return undefined;
  }

  dismissNotice(): void {
    this.#acting.box.update((state) => (state.notice ? { ...state, notice: undefined } : state));
  }

  /** Has the parts look after what the state shows by now. */
  #keepUp(): void {
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
    // a signal that any room may have changed follows; what waits after failures need not wait for it
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

  /** Carries an action out; what goes wrong becomes the notice, in place of what was said of an earlier one. */
  async #attempt(action: () => Promise<void>): Promise<boolean> {
    if (this.#acting.signal.aborted) return false;
    this.dismissNotice();
    try {
      await action();
      return true;
    } catch (error) {
      report(this.#acting, error);
      // nobody tells of a session that was deleted
      if (isGone(error)) void this.#sessions.refresh();
      return false;
    }
  }
}
