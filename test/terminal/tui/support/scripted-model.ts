import type {
  Conversation,
  Hit,
  InboxModel,
  InboxState,
  MessageItem,
  OtherRoom,
  RoomItem,
  SessionItem,
} from '../../../../src/terminal/cli/inbox/model.js';

/** An inbox with a state set by the test. Records the calls of its actions. */
export class ScriptedModel implements InboxModel {
  /** The recorded calls, with their arguments, in order. */
  readonly asked: unknown[][] = [];
  /** The result of all actions. */
  succeeds = true;
  /** The result of `findMessage`. */
  found: MessageItem | undefined;
  /** The result of `searchRooms`. */
  hits: readonly Hit[] = [];
  /** The result of `roomsOfOthers`. */
  others: readonly OtherRoom[] = [];
  #state: InboxState;
  readonly #listeners = new Set<() => void>();

  constructor(state: Partial<InboxState> = {}) {
    this.#state = { ...EMPTY, ...state };
  }

  get state(): InboxState {
    return this.#state;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(change: Partial<InboxState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  /** Changes the open conversation. */
  changeConversation(change: Partial<Conversation>): void {
    const { conversation } = this.#state;
    if (conversation) this.change({ conversation: { ...conversation, ...change } });
  }

  close(): void {
    this.asked.push(['close']);
  }

  selectSession(clientId: string): void {
    this.asked.push(['selectSession', clientId]);
    this.change({ clientId, conversation: undefined });
  }

  openRoom(chatRoomId: string): void {
    this.asked.push(['openRoom', chatRoomId]);
    this.change({ conversation: conversationOf([], { chatRoomId }) });
  }

  closeRoom(): void {
    this.asked.push(['closeRoom']);
    this.change({ conversation: undefined });
  }

  dismissNotice(): void {
    this.change({ notice: undefined });
  }

  findRooms(words: string): readonly RoomItem[] {
    return this.#state.rooms.filter(({ name }) => name.toLowerCase().includes(words.toLowerCase()));
  }

  async findMessage(
    words: string,
    options: { before?: string; after?: string } = {},
  ): Promise<MessageItem | undefined> {
    this.asked.push(['findMessage', words, options]);
    return this.found;
  }

  async searchRooms(words: string): Promise<readonly Hit[]> {
    this.asked.push(['searchRooms', words]);
    return this.hits;
  }

  async roomsOfOthers(): Promise<readonly OtherRoom[]> {
    return this.others;
  }

  async openRoomOf(clientId: string, chatRoomId: string): Promise<boolean> {
    this.asked.push(['openRoomOf', clientId, chatRoomId]);
    this.change({ clientId, conversation: conversationOf([], { chatRoomId }) });
    return true;
  }

  readonly reveal = this.#action('reveal');
  readonly openFile = this.#action('openFile');
  readonly saveFile = this.#action('saveFile');

  readonly loadOlder = this.#action('loadOlder');
  readonly requestOlder = this.#action('requestOlder');
  readonly send = this.#action('send');
  readonly sendFile = this.#action('sendFile');
  readonly react = this.#action('react');
  readonly edit = this.#action('edit');
  readonly remove = this.#action('remove');
  readonly startChat = this.#action('startChat');
  readonly markRead = this.#action('markRead');
  readonly keepHistory = this.#action('keepHistory');

  #action(name: string) {
    return async (...given: unknown[]): Promise<boolean> => {
      this.asked.push([name, ...given]);
      return this.succeeds;
    };
  }
}

const EMPTY: InboxState = {
  connection: { state: 'open' },
  sessions: [],
  loadingSessions: false,
  clientId: undefined,
  rooms: [],
  loadingRooms: false,
  conversation: undefined,
  outgoing: [],
  notice: undefined,
};

export function sessionOf(clientId: string, more: Partial<SessionItem> = {}): SessionItem {
  return { clientId, status: 'connected', reason: '', jid: '', orgId: 'workspace', ...more };
}

export function roomOf(name: string, more: Partial<RoomItem> = {}): RoomItem {
  return {
    chatRoomId: `room-${name}`,
    name,
    isGroup: false,
    to: '+15550000001',
    phone: '',
    lastMessage: '',
    lastMessageFromMe: false,
    lastMessageAt: undefined,
    unreadCount: 0,
    ...more,
  };
}

export function conversationOf(
  messages: readonly MessageItem[],
  more: Partial<Conversation> = {},
): Conversation {
  return { chatRoomId: 'room-Ada', messages, hasOlder: false, loading: false, onPhone: 'unknown', ...more };
}

let counted = 0;

export function messageOf(body: string, more: Partial<MessageItem> = {}): MessageItem {
  return {
    messageId: `M${++counted}`,
    type: 'chat',
    body,
    fromMe: false,
    author: more.fromMe ? '' : 'Ada',
    sentAt: new Date(2026, 10, 21, 10, 2),
    deleted: false,
    edited: false,
    forwarded: false,
    fromAi: false,
    tick: undefined,
    quoted: undefined,
    reactions: [],
    attachment: undefined,
    ...more,
  };
}
