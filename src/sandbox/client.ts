import { createParser } from 'eventsource-parser';
import type {
  ChangeView,
  ChatstateView,
  ChatUpdate,
  ChatView,
  DeviceView,
  FaultRequest,
  MessageView,
  NetworkEvent,
  PhoneView,
  ProfileUpdate,
  StatsView,
  WriteRequest,
} from './api.js';
import { GroupsClient } from './client-groups.js';

export type * from './api.js';

const WAIT_MS = 10_000;

/** The sandbox said no. */
export class SandboxRefusal extends Error {
  override name = 'SandboxRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Speaks to a sandbox's control API; it needs nothing but the address, so it works across processes. */
export class SandboxClient {
  readonly groups = new GroupsClient((method, path, body) => this.#ask(method, path, body));
  readonly #url: string;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#url = url.replace(/\/$/, '');
  }

  /** A new person with a phone. */
  addPhone(phone: {
    number: string;
    name?: string;
    hideLid?: boolean;
  }): Promise<Pick<PhoneView, 'number' | 'name' | 'jid' | 'lid'>> {
    return this.#ask('POST', '/phones', phone);
  }

  async phones(): Promise<PhoneView[]> {
    return (await this.#ask<{ phones: PhoneView[] }>('GET', '/phones')).phones;
  }

  phone(number: string): Promise<PhoneView> {
    return this.#ask('GET', phonePath(number));
  }

  /** The person keeps the LID and gets another number; its linked devices are removed. */
  changeNumber(number: string, to: string): Promise<PhoneView> {
    return this.#ask('POST', phonePath(number, 'change-number'), { number: to });
  }

  /** People whom the person writes with see the LID from now on, if it was hidden. */
  revealLid(number: string): Promise<PhoneView> {
    return this.update(number, { hideLid: false });
  }

  /** Changes how others see or reach a person. */
  update(number: string, profile: ProfileUpdate): Promise<PhoneView> {
    return this.#ask('PATCH', phonePath(number), profile);
  }

  /** The phone scans a pairing QR; resolves when the device is linked. */
  async scan(number: string, qr: string): Promise<DeviceView> {
    return (await this.#ask<{ device: DeviceView }>('POST', phonePath(number, 'scan'), { qr })).device;
  }

  /** The phone's owner types a pairing code; resolves when the device is linked. */
  async enterCode(number: string, code: string): Promise<DeviceView> {
    return (await this.#ask<{ device: DeviceView }>('POST', phonePath(number, 'enter-code'), { code }))
      .device;
  }

  /** The phone removes all its linked devices. */
  async unlink(number: string): Promise<void> {
    await this.#ask('POST', phonePath(number, 'unlink'));
  }

  /** The person writes. */
  write(number: string, message: WriteRequest): Promise<{ messageId: string }> {
    return this.#ask('POST', phonePath(number, 'messages'), message);
  }

  /** What the phone holds, oldest first. */
  async messages(number: string): Promise<MessageView[]> {
    return (await this.#ask<{ messages: MessageView[] }>('GET', phonePath(number, 'messages'))).messages;
  }

  /** Gives the phones a file of any size, to be sent with `media.file`. */
  async addFile(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<{ file: string; size: number }> {
    const response = await fetch(`${this.#url}/files`, {
      method: 'POST',
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
      ...(bytes instanceof ReadableStream && { duplex: 'half' as const }),
    });
    if (!response.ok) throw await refusalOf(response);
    return JSON.parse(await response.text());
  }

  /** Drops the file of a message, or all files, from the media host. */
  expireMedia(messageId?: string): Promise<{ expired: number }> {
    return this.#ask('POST', '/media/expire', messageId === undefined ? {} : { messageId });
  }

  /** The person deletes a message on the own phone, for nobody else; or only its file. */
  async forget(number: string, messageId: string, only?: 'file'): Promise<void> {
    await this.#ask('DELETE', phonePath(number, 'messages', messageId, ...(only ? [only] : [])));
  }

  /** What changed the messages that the phone holds, oldest first. */
  async changes(number: string): Promise<ChangeView[]> {
    return (await this.#ask<{ changes: ChangeView[] }>('GET', phonePath(number, 'changes'))).changes;
  }

  /** The person reads messages. */
  async read(number: string, messageIds: string[]): Promise<void> {
    await this.#ask('POST', phonePath(number, 'read'), { messageIds });
  }

  /** The person plays voice notes or videos. */
  async play(number: string, messageIds: string[]): Promise<void> {
    await this.#ask('POST', phonePath(number, 'read'), { messageIds, played: true });
  }

  async chatstates(number: string): Promise<ChatstateView[]> {
    const answer = await this.#ask<{ chatstates: ChatstateView[] }>('GET', phonePath(number, 'chatstates'));
    return answer.chatstates;
  }

  /** The settings of a phone's chats; `rejected` counts the changes of linked devices that it could not verify. */
  chats(number: string): Promise<{ chats: ChatView[]; rejected: number }> {
    return this.#ask('GET', phonePath(number, 'chats'));
  }

  /** The person changes the settings of a chat on the phone. @param partner a number, or a group's jid */
  updateChat(number: string, partner: string, update: ChatUpdate): Promise<ChatView> {
    return this.#ask('PATCH', phonePath(number, 'chats', partner), update);
  }

  /** Waits until the settings of a chat match on a phone. */
  waitForChat(number: string, matches: (chat: ChatView) => boolean, timeoutMs = WAIT_MS): Promise<ChatView> {
    const known = async () => (await this.chats(number)).chats.find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'chat' && event.number === number && matches(event.chat) ? event.chat : undefined;
    return this.#find(known, pick, timeoutMs);
  }

  async fault(fault: FaultRequest): Promise<void> {
    await this.#ask('POST', '/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.#ask('DELETE', '/faults');
  }

  stats(): Promise<StatsView> {
    return this.#ask('GET', '/stats');
  }

  /** 32-byte public key of the sandbox's Noise root. */
  async rootKey(): Promise<Uint8Array> {
    const { publicKey } = await this.#ask<{ publicKey: string }>('GET', '/root-key');
    return Buffer.from(publicKey, 'base64');
  }

  /** Everything that happens from now on; ends with the signal, or with the sandbox. */
  async *watch(signal?: AbortSignal): AsyncGenerator<NetworkEvent> {
    yield* (await this.#open(signal)).events;
  }

  /**
   * Waits for an event, from now on.
   * @param timeoutMs 10 s unless said otherwise; rejects after it.
   * @param act called once nothing can be missed any more: what causes the event.
   */
  waitFor(
    matches: (event: NetworkEvent) => boolean,
    timeoutMs = WAIT_MS,
    act: () => Promise<unknown> = async () => undefined,
  ): Promise<NetworkEvent> {
    const ready = async () => {
      await act();
      return undefined;
    };
    return this.#find(ready, (event) => (matches(event) ? event : undefined), timeoutMs);
  }

  /** Waits until a phone holds a message that matches; one that it holds already counts. */
  waitForMessage(
    number: string,
    matches: (message: MessageView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<MessageView> {
    const held = async () => (await this.messages(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'message' && event.number === number && matches(event.message)
        ? event.message
        : undefined;
    return this.#find(held, pick, timeoutMs);
  }

  /** Waits until a change that matches has come to a phone, applied or not; one that has come already counts. */
  waitForChange(
    number: string,
    matches: (change: ChangeView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<ChangeView> {
    const known = async () => (await this.changes(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'change' && event.number === number && matches(event.change) ? event.change : undefined;
    return this.#find(known, pick, timeoutMs);
  }

  /** What is there already once nothing can be missed any more, or else what an event brings. */
  async #find<Found>(
    already: () => Promise<Found | undefined>,
    pick: (event: NetworkEvent) => Found | undefined,
    timeoutMs: number,
  ): Promise<Found> {
    const done = new AbortController();
    const timer = setTimeout(() => done.abort(), timeoutMs);
    try {
      const { events } = await this.#open(done.signal);
      const known = await already();
      if (known !== undefined) return known;
      for await (const event of events) {
        const found = pick(event);
        if (found !== undefined) return found;
      }
    } finally {
      clearTimeout(timer);
      done.abort();
    }
    throw new Error(`nothing of that kind happened within ${timeoutMs} ms`);
  }

  /** Resolves once the stream is open: what happens after that is not missed. */
  async #open(signal?: AbortSignal): Promise<{ events: AsyncGenerator<NetworkEvent> }> {
    const response = await fetch(`${this.#url}/stream`, signal ? { signal } : {});
    if (!response.ok || !response.body) throw await refusalOf(response);
    return { events: readEvents(response.body, signal) };
  }

  async #ask<Answer = void>(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    if (!response.ok) throw await refusalOf(response);
    const text = await response.text();
    return JSON.parse(text === '' ? 'null' : text);
  }
}

function phonePath(number: string, ...rest: string[]): string {
  return ['/phones', ...[number, ...rest].map(encodeURIComponent)].join('/');
}

async function refusalOf(response: Response): Promise<SandboxRefusal> {
  const text = await response.text();
  try {
    return new SandboxRefusal(response.status, JSON.parse(text).error ?? text);
  } catch {
    return new SandboxRefusal(response.status, text);
  }
}

async function* readEvents(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<NetworkEvent> {
  const waiting: NetworkEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => waiting.push(JSON.parse(data)) });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      yield* waiting.splice(0);
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
