import type { ChatRoom, StoredMessage } from '../../../../../src/contract/index.js';
import type { DaemonReply, FakeDaemon } from '../../support/fake-daemon.js';

/** The parts of a fake daemon that the inbox reads: sessions, their rooms, and messages page by page. */
export class FakeHistory {
  readonly #daemon: FakeDaemon;
  readonly #rooms = new Map<string, StoredMessage[]>();
  readonly #unread = new Map<string, number>();
  /** By the id of the room; the others are called by their number. */
  readonly #names = new Map<string, string>();

  constructor(daemon: FakeDaemon, clientIds: readonly string[] = ['acme']) {
    this.#daemon = daemon;
    const clients = clientIds.map((clientId) => ({
      clientId,
      jid: '100@lid',
      orgId: 'workspace1',
      status: 'connected',
    }));
    daemon.on('GET /clients', { clients });
    daemon.on('GET /health/clients', { clients: [] });
    daemon.on('GET /chatrooms', ({ query }) => ({
      body: { chatRooms: this.#rowsOf(query.get('clientId') ?? '') },
    }));
  }

  /** A room with so many messages, `m1` being the oldest. @returns its id */
  addRoom(other: string, count: number, clientId = 'acme'): string {
    const chatRoomId = `${clientId}-100-${other}`;
    this.#rooms.set(chatRoomId, []);
    for (let index = 0; index < count; index += 1) this.add(chatRoomId);
    const path = `/chatrooms/${chatRoomId}`;
    this.#daemon.on(`GET ${path}/messages`, ({ query }) => this.#page(chatRoomId, query));
    this.#daemon.on(`POST ${path}/read`, () => {
      this.#unread.delete(chatRoomId);
      return { body: { status: 'ok' } };
    });
    return chatRoomId;
  }

  rename(chatRoomId: string, name: string): void {
    this.#names.set(chatRoomId, name);
  }

  /** Adds a message without a signal. */
  add(chatRoomId: string, changes: Partial<StoredMessage> = {}): StoredMessage {
    const rows = this.messages(chatRoomId);
    const number = rows.length + 1;
    const row: StoredMessage = {
      messageId: `m${number}`,
      chatRoomId,
      clientId: chatRoomId.split('-')[0] ?? '',
      downloadUrl: '',
      extras: {},
      body: `message ${number}`,
      messageType: 'chat',
      fromMe: false,
      pushname: 'Bob',
      sentAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
      deleted: false,
      fromAi: false,
      ...changes,
    };
    rows.push(row);
    this.#unread.set(chatRoomId, (this.#unread.get(chatRoomId) ?? 0) + 1);
    return row;
  }

  /** The rows of a room, oldest first, to be changed at will. */
  messages(chatRoomId: string): StoredMessage[] {
    const rows = this.#rooms.get(chatRoomId);
    if (!rows) throw new Error(`there is no room ${chatRoomId}`);
    return rows;
  }

  #rowsOf(clientId: string): ChatRoom[] {
    const own = [...this.#rooms].filter(([chatRoomId]) => chatRoomId.startsWith(`${clientId}-`));
    return own.map(([chatRoomId, rows]) => ({
      chatRoomId,
      clientId,
      myLid: '100',
      clientLid: chatRoomId.split('-')[2] ?? '',
      avatarUrl: '',
      name: this.#names.get(chatRoomId) ?? `Room ${chatRoomId.split('-')[2]}`,
      isGroup: false,
      remoteJid: `${chatRoomId.split('-')[2]}@lid`,
      lastMessage: rows.at(-1)?.body ?? '',
      lastMessageFromMe: false,
      lastMessageAt: rows.at(-1)?.sentAt ?? '',
      unreadCount: this.#unread.get(chatRoomId) ?? 0,
    }));
  }

  #page(chatRoomId: string, query: URLSearchParams): DaemonReply {
    const rows = this.messages(chatRoomId);
    const before = query.get('before');
    const end = before === null ? rows.length : rows.findIndex(({ messageId }) => messageId === before);
    if (end < 0) return { status: 404, body: { error: `before: there is no message ${before}` } };
    return { body: { messages: rows.slice(Math.max(0, end - Number(query.get('limit'))), end) } };
  }
}
