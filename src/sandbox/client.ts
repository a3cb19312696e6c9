import type {
  AssertionFlaw,
  ChangeView,
  ChannelPost,
  ChatstateView,
  ChatUpdate,
  ChatView,
  DeviceDetails,
  DeviceView,
  FaultRequest,
  MessageView,
  NetworkEvent,
  NetworkUpdate,
  NetworkView,
  PasskeyAssertion,
  PasskeyView,
  PhoneView,
  ProfileUpdate,
  RefreshRequest,
  RefreshResult,
  StatsView,
  TokenRequest,
  WriteRequest,
} from './api.js';
import { ActivityClient } from './client-activity.js';
import { GroupsClient } from './client-groups.js';
import { ControlHttp } from './client-http.js';
import { PeopleClient } from './client-people.js';
import { StanzasClient } from './client-stanzas.js';
import type { ClockView } from './state/time.js';
import type { VisitView } from './state/visits.js';

export type * from './api.js';
export { SandboxRefusal } from './client-http.js';
export type { ClockView } from './state/time.js';

const WAIT_MS = 10_000;

/** Client of a sandbox's control API; the sandbox may run in another process. */
export class SandboxClient {
  readonly groups: GroupsClient;
  readonly activity: ActivityClient;
  readonly people: PeopleClient;
  readonly stanzas: StanzasClient;
  readonly #http: ControlHttp;

  /** @param url `http://host:port` */
  constructor(url: string) {
    this.#http = new ControlHttp(url);
    this.groups = new GroupsClient(this.#http);
    this.activity = new ActivityClient(this.#http);
    this.people = new PeopleClient(this.#http);
    this.stanzas = new StanzasClient(this.#http);
  }

  /** A new person with a phone. */
  addPhone(phone: {
    number: string;
    name?: string;
    hideLid?: boolean;
  }): Promise<Pick<PhoneView, 'number' | 'name' | 'jid' | 'lid'>> {
    return this.#http.ask('POST', '/phones', phone);
  }

  async phones(): Promise<PhoneView[]> {
    return (await this.#http.ask<{ phones: PhoneView[] }>('GET', '/phones')).phones;
  }

  phone(number: string): Promise<PhoneView> {
    return this.#http.ask('GET', phonePath(number));
  }

  /** A linked device with the payloads of its registration and its last login. */
  device(number: string, id: number): Promise<DeviceDetails> {
    return this.#http.ask('GET', phonePath(number, 'devices', String(id)));
  }

  /** The person keeps the LID and gets another number; its linked devices are removed. */
  changeNumber(number: string, to: string): Promise<PhoneView> {
    return this.#http.ask('POST', phonePath(number, 'change-number'), { number: to });
  }

  /** Stops hiding the person's LID. */
  revealLid(number: string): Promise<PhoneView> {
    return this.update(number, { hideLid: false });
  }

  /** Changes the profile and the privacy of a person. */
  update(number: string, profile: ProfileUpdate): Promise<PhoneView> {
    return this.#http.ask('PATCH', phonePath(number), profile);
  }

  /** The phone scans a pairing QR; resolves when the device is linked. */
  async scan(number: string, qr: string): Promise<DeviceView> {
    return (await this.#http.ask<{ device: DeviceView }>('POST', phonePath(number, 'scan'), { qr })).device;
  }

  /** The phone's owner types a pairing code; resolves when the device is linked. */
  async enterCode(number: string, code: string): Promise<DeviceView> {
    return (await this.#http.ask<{ device: DeviceView }>('POST', phonePath(number, 'enter-code'), { code }))
      .device;
  }

  /** The step of the passkey ceremony, as the phone shows it. */
  passkey(number: string): Promise<PasskeyView> {
    return this.#http.ask('GET', phonePath(number, 'passkey'));
  }

  /** The network demands the person's passkey from all devices that are being linked, before a QR is scanned. */
  requestPasskey(number: string): Promise<{ devices: number }> {
    return this.#http.ask('POST', phonePath(number, 'passkey', 'request'));
  }

  /** The authenticator of the owner signs. @param flaw spoils a part of the assertion */
  assertPasskey(number: string, options: object, flaw?: AssertionFlaw): Promise<PasskeyAssertion> {
    const body = flaw === undefined ? { options } : { options, flaw };
    return this.#http.ask('POST', phonePath(number, 'passkey', 'assertion'), body);
  }

  /** The owner compared the device's code with that of the phone. */
  confirmPasskey(number: string, code: string): Promise<PasskeyView> {
    return this.#http.ask('POST', phonePath(number, 'passkey', 'confirm'), { code });
  }

  async declinePasskey(number: string): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'passkey', 'decline'));
  }

  /** Waits until the phone shows a step of the ceremony. */
  waitForPasskey(number: string, step: PasskeyView['step'], timeoutMs = WAIT_MS): Promise<PasskeyView> {
    const known = async () => {
      const view = await this.passkey(number);
      return view.step === step ? view : undefined;
    };
    const pick = (event: NetworkEvent) =>
      event.type === 'passkey' && event.number === number && event.passkey.step === step
        ? event.passkey
        : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }

  /** The phone removes all its linked devices. */
  async unlink(number: string): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'unlink'));
  }

  /** The person writes. */
  write(number: string, message: WriteRequest): Promise<{ messageId: string }> {
    return this.#http.ask('POST', phonePath(number, 'messages'), message);
  }

  /** Encrypts a message of the person once more under its id, for linked devices. */
  async repeat(number: string, messageId: string): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'messages', messageId, 'repeat'));
  }

  /** The person posts a status for all other people. */
  postStatus(number: string, text: string): Promise<{ messageId: string }> {
    return this.#http.ask('POST', phonePath(number, 'statuses'), { text });
  }

  /** The person gives another one a trusted-contact token. */
  async giveToken(number: string, token: TokenRequest): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'tokens'), token);
  }

  /** The phone makes another salt for the tokens of first contacts. */
  async renewSalt(number: string): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'salt'));
  }

  /** The trusted-contact tokens that the person, or a linked device, has given. */
  async tokens(number: string): Promise<Required<TokenRequest>[]> {
    return (await this.#http.ask<{ tokens: Required<TokenRequest>[] }>('GET', phonePath(number, 'tokens')))
      .tokens;
  }

  /** A channel that the person follows writes. */
  postInChannel(number: string, post: ChannelPost): Promise<{ messageId: string }> {
    return this.#http.ask('POST', phonePath(number, 'channel-posts'), post);
  }

  /** The messages that the phone holds, oldest first. */
  async messages(number: string): Promise<MessageView[]> {
    return (await this.#http.ask<{ messages: MessageView[] }>('GET', phonePath(number, 'messages'))).messages;
  }

  /** Uploads a file of any size, to send with `media.file`. */
  addFile(bytes: Uint8Array | ReadableStream<Uint8Array>): Promise<{ file: string; size: number }> {
    return this.#http.send('/files', bytes);
  }

  /** Drops the file of a message, or all files, from the media host. */
  expireMedia(messageId?: string): Promise<{ expired: number }> {
    return this.#http.ask('POST', '/media/expire', messageId === undefined ? {} : { messageId });
  }

  /** The person deletes a message, or only its file, on the own phone. */
  async forget(number: string, messageId: string, only?: 'file'): Promise<void> {
    await this.#http.ask('DELETE', phonePath(number, 'messages', messageId, ...(only ? [only] : [])));
  }

  /** The changes of the messages that the phone holds, oldest first. */
  async changes(number: string): Promise<ChangeView[]> {
    return (await this.#http.ask<{ changes: ChangeView[] }>('GET', phonePath(number, 'changes'))).changes;
  }

  /** The person reads messages. */
  async read(number: string, messageIds: string[]): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'read'), { messageIds });
  }

  /** The person plays voice notes or videos. */
  async play(number: string, messageIds: string[]): Promise<void> {
    await this.#http.ask('POST', phonePath(number, 'read'), { messageIds, played: true });
  }

  async chatstates(number: string): Promise<ChatstateView[]> {
    const answer = await this.#http.ask<{ chatstates: ChatstateView[] }>(
      'GET',
      phonePath(number, 'chatstates'),
    );
    return answer.chatstates;
  }

  /** The settings of a phone's chats; `rejected` counts the patches that the phone could not verify. */
  chats(number: string): Promise<{ chats: ChatView[]; rejected: number }> {
    return this.#http.ask('GET', phonePath(number, 'chats'));
  }

  /** The person changes the settings of a chat on the phone. @param partner a number, or a group's jid */
  updateChat(number: string, partner: string, update: ChatUpdate): Promise<ChatView> {
    return this.#http.ask('PATCH', phonePath(number, 'chats', partner), update);
  }

  /** Waits until the settings of a chat match on a phone. */
  waitForChat(number: string, matches: (chat: ChatView) => boolean, timeoutMs = WAIT_MS): Promise<ChatView> {
    const known = async () => (await this.chats(number)).chats.find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'chat' && event.number === number && matches(event.chat) ? event.chat : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }

  async fault(fault: FaultRequest): Promise<void> {
    await this.#http.ask('POST', '/faults', fault);
  }

  async clearFaults(): Promise<void> {
    await this.#http.ask('DELETE', '/faults');
  }

  /** What the network demands of every client. */
  network(): Promise<NetworkView> {
    return this.#http.ask('GET', '/network');
  }

  changeNetwork(update: NetworkUpdate): Promise<NetworkView> {
    return this.#http.ask('PATCH', '/network', update);
  }

  /** Asks all devices that are being linked for another secret; resolves once they have acknowledged it. */
  refreshPairings(request: RefreshRequest = {}): Promise<RefreshResult> {
    return this.#http.ask('POST', '/pairings/refresh', request);
  }

  /** The network's time. */
  clock(): Promise<ClockView> {
    return this.#http.ask('GET', '/clock');
  }

  /**
   * Moves the network's time forward, and that of the daemon that it runs in. Resolves when what is due by then has begun.
   * @param by such as `90s`, `2h` or `3d`
   */
  advanceClock(by: string): Promise<ClockView> {
    return this.#http.ask('POST', '/clock', { advance: by });
  }

  /** The connections that clients have made, oldest first. */
  async visits(): Promise<VisitView[]> {
    return (await this.#http.ask<{ connections: VisitView[] }>('GET', '/connections')).connections;
  }

  stats(): Promise<StatsView> {
    return this.#http.ask('GET', '/stats');
  }

  /** 32-byte public key of the sandbox's Noise root. */
  async rootKey(): Promise<Uint8Array> {
    const { publicKey } = await this.#http.ask<{ publicKey: string }>('GET', '/root-key');
    return Buffer.from(publicKey, 'base64');
  }

  /** All events from now on, until the signal aborts or the sandbox stops. */
  async *watch(signal?: AbortSignal): AsyncGenerator<NetworkEvent> {
    yield* (await this.#http.open(signal)).events;
  }

  /**
   * Waits for an event, from now on.
   * @param timeoutMs 10 s by default; rejects after it
   * @param act causes the event; called once the stream is open, so that no event is missed
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
    return this.#http.find(ready, (event) => (matches(event) ? event : undefined), timeoutMs);
  }

  /** Waits until a phone holds a message that matches, or returns the one that it holds. */
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
    return this.#http.find(held, pick, timeoutMs);
  }

  /** Waits until a phone has a change that matches, applied or not, or returns the one that it has. */
  waitForChange(
    number: string,
    matches: (change: ChangeView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<ChangeView> {
    const known = async () => (await this.changes(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'change' && event.number === number && matches(event.change) ? event.change : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }
}

function phonePath(number: string, ...rest: string[]): string {
  return ['/phones', ...[number, ...rest].map(encodeURIComponent)].join('/');
}
