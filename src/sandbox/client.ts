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
import { ControlWire } from './client-wire.js';

export type * from './api.js';
export { SandboxRefusal } from './client-wire.js';

const WAIT_MS = 10_000;

/** Speaks to a sandbox's control API; it needs nothing but the address, so it works across processes. */
export class SandboxClient {
  readonly groups: GroupsClient;
  readonly #wire: ControlWire;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#wire = new ControlWire(url);
    this.groups = new GroupsClient(this.#wire);
  }

  /** A new person with a phone. */
  addPhone(phone: {
    number: string;
    name?: string;
    hideLid?: boolean;
  }): Promise<Pick<PhoneView, 'number' | 'name' | 'jid' | 'lid'>> {
    return this.#wire.ask('POST', '/phones', phone);
  }

  async phones(): Promise<PhoneView[]> {
    return (await this.#wire.ask<{ phones: PhoneView[] }>('GET', '/phones')).phones;
  }

  phone(number: string): Promise<PhoneView> {
    return this.#wire.ask('GET', phonePath(number));
  }

  /** The person keeps the LID and gets another number; its linked devices are removed. */
  changeNumber(number: string, to: string): Promise<PhoneView> {
    return this.#wire.ask('POST', phonePath(number, 'change-number'), { number: to });
  }

  /** People whom the person writes with see the LID from now on, if it was hidden. */
  revealLid(number: string): Promise<PhoneView> {
    return this.update(number, { hideLid: false });
  }

  /** Changes how others see or reach a person. */
  update(number: string, profile: ProfileUpdate): Promise<PhoneView> {
    return this.#wire.ask('PATCH', phonePath(number), profile);
  }

  /** The phone scans a pairing QR; resolves when the device is linked. */
  async scan(number: string, qr: string): Promise<DeviceView> {
    return (await this.#wire.ask<{ device: DeviceView }>('POST', phonePath(number, 'scan'), { qr })).device;
  }

  /** The phone's owner types a pairing code; resolves when the device is linked. */
  async enterCode(number: string, code: string): Promise<DeviceView> {
    return (await this.#wire.ask<{ device: DeviceView }>('POST', phonePath(number, 'enter-code'), { code }))
      .device;
  }

  /** The phone removes all its linked devices. */
  async unlink(number: string): Promise<void> {
    await this.#wire.ask('POST', phonePath(number, 'unlink'));
  }

  /** The person writes. */
  write(number: string, message: WriteRequest): Promise<{ messageId: string }> {
    return this.#wire.ask('POST', phonePath(number, 'messages'), message);
  }

  /** What the phone holds, oldest first. */
  async messages(number: string): Promise<MessageView[]> {
    return (await this.#wire.ask<{ messages: MessageView[] }>('GET', phonePath(number, 'messages'))).messages;
  }

  /** Gives the phones a file of any size, to be sent with `media.file`. */
  addFile(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<{ file: string; size: number }> {
    return this.#wire.send('/files', bytes);
  }

  /** Drops the file of a message, or all files, from the media host. */
  expireMedia(messageId?: string): Promise<{ expired: number }> {
    return this.#wire.ask('POST', '/media/expire', messageId === undefined ? {} : { messageId });
  }

  /** The person deletes a message on the own phone, for nobody else; or only its file. */
  async forget(number: string, messageId: string, only?: 'file'): Promise<void> {
    await this.#wire.ask('DELETE', phonePath(number, 'messages', messageId, ...(only ? [only] : [])));
  }

  /** What changed the messages that the phone holds, oldest first. */
  async changes(number: string): Promise<ChangeView[]> {
    return (await this.#wire.ask<{ changes: ChangeView[] }>('GET', phonePath(number, 'changes'))).changes;
  }

  /** The person reads messages. */
  async read(number: string, messageIds: string[]): Promise<void> {
    await this.#wire.ask('POST', phonePath(number, 'read'), { messageIds });
  }

  /** The person plays voice notes or videos. */
  async play(number: string, messageIds: string[]): Promise<void> {
    await this.#wire.ask('POST', phonePath(number, 'read'), { messageIds, played: true });
  }

  async chatstates(number: string): Promise<ChatstateView[]> {
    const answer = await this.#wire.ask<{ chatstates: ChatstateView[] }>(
      'GET',
      phonePath(number, 'chatstates'),
    );
    return answer.chatstates;
  }

  /** The settings of a phone's chats; `rejected` counts the changes of linked devices that it could not verify. */
  chats(number: string): Promise<{ chats: ChatView[]; rejected: number }> {
    return this.#wire.ask('GET', phonePath(number, 'chats'));
  }

  /** The person changes the settings of a chat on the phone. @param partner a number, or a group's jid */
  updateChat(number: string, partner: string, update: ChatUpdate): Promise<ChatView> {
    return this.#wire.ask('PATCH', phonePath(number, 'chats', partner), update);
  }

  /** Waits until the settings of a chat match on a phone. */
  waitForChat(number: string, matches: (chat: ChatView) => boolean, timeoutMs = WAIT_MS): Promise<ChatView> {
    const known = async () => (await this.chats(number)).chats.find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'chat' && event.number === number && matches(event.chat) ? event.chat : undefined;
    return this.#wire.find(known, pick, timeoutMs);
  }

  async fault(fault: FaultRequest): Promise<void> {
    await this.#wire.ask('POST', '/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.#wire.ask('DELETE', '/faults');
  }

  stats(): Promise<StatsView> {
    return this.#wire.ask('GET', '/stats');
  }

  /** 32-byte public key of the sandbox's Noise root. */
  async rootKey(): Promise<Uint8Array> {
    const { publicKey } = await this.#wire.ask<{ publicKey: string }>('GET', '/root-key');
    return Buffer.from(publicKey, 'base64');
  }

  /** Everything that happens from now on; ends with the signal, or with the sandbox. */
  async *watch(signal?: AbortSignal): AsyncGenerator<NetworkEvent> {
    yield* (await this.#wire.open(signal)).events;
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
    return this.#wire.find(ready, (event) => (matches(event) ? event : undefined), timeoutMs);
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
    return this.#wire.find(held, pick, timeoutMs);
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
    return this.#wire.find(known, pick, timeoutMs);
  }
}

function phonePath(number: string, ...rest: string[]): string {
  return ['/phones', ...[number, ...rest].map(encodeURIComponent)].join('/');
}
