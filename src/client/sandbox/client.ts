import {
  type CallView,
  type ChangeView,
  type ChatView,
  type FaultRequest,
  type MessageView,
  type NetworkEvent,
  type PasskeyView,
  type PhoneView,
  type PresenceView,
  SandboxActivityOperations,
  SandboxChannelsOperations,
  SandboxGroupsOperations,
  SandboxOperations,
  SandboxPeopleOperations,
  SandboxStanzasOperations,
  type StanzaEvent,
  type WriteRequest,
} from '../generated/sandbox-operations.generated.js';
import { ControlHttp } from './http.js';

export type * from '../generated/sandbox-operations.generated.js';
export { SandboxRefusal } from './http.js';

/** Content of a message that a person writes: exactly one field, `linkPreview` aside. */
export type WriteContent = Omit<
  WriteRequest,
  'to' | 'quotedMessageId' | 'mentions' | 'forwarded' | 'forwardingScore' | 'ephemeral' | 'ad' | 'deviceCopy'
>;

const WAIT_MS = 10_000;

/** Client of a sandbox's control API; the sandbox may run in another process. */
export class SandboxClient extends SandboxOperations {
  readonly groups: GroupsClient;
  readonly channels: SandboxChannelsOperations;
  readonly activity: ActivityClient;
  readonly people: SandboxPeopleOperations;
  readonly stanzas: StanzasClient;
  readonly #http: ControlHttp;

  /** @param url `http://host:port` */
  constructor(url: string) {
    const http = new ControlHttp(url);
    super(http);
    this.#http = http;
    this.groups = new GroupsClient(http);
    this.channels = new SandboxChannelsOperations(http);
    this.activity = new ActivityClient(http);
    this.people = new SandboxPeopleOperations(http);
    this.stanzas = new StanzasClient(http);
  }

  /** Orders a fault. A sandbox of another release may know other kinds. */
  override fault(order: Omit<FaultRequest, 'kind'> & { kind: string }): Promise<FaultRequest> {
    return this.#http.ask('POST', '/faults', order);
  }

  /** Stops hiding the person's LID. */
  revealLid(number: string): Promise<PhoneView> {
    return this.update(number, { hideLid: false });
  }

  /** The person deletes a message, or only its file, on the own phone. */
  forget(number: string, messageId: string, only?: 'file'): Promise<void> {
    return only ? this.forgetFile(number, messageId) : this.forgetMessage(number, messageId);
  }

  /** The person plays voice notes or videos. */
  async play(number: string, messageIds: string[]): Promise<void> {
    await this.read(number, messageIds, true);
  }

  /** 32-byte public key of the sandbox's Noise root. */
  async rootKey(): Promise<Uint8Array> {
    return Buffer.from(await this.publicRootKey(), 'base64');
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

  /** Waits until the phone shows a step of the passkey ceremony. */
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

  /** Waits until the settings of a chat match on a phone. */
  waitForChat(number: string, matches: (chat: ChatView) => boolean, timeoutMs = WAIT_MS): Promise<ChatView> {
    const known = async () => (await this.chats(number)).chats.find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'chat' && event.number === number && matches(event.chat) ? event.chat : undefined;
    return this.#http.find(known, pick, timeoutMs);
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

  /** Waits until a phone shows a status that matches, or returns the one that it shows. */
  waitForStatus(
    number: string,
    matches: (status: MessageView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<MessageView> {
    const shown = async () => (await this.statuses(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'status' && event.number === number && matches(event.status) ? event.status : undefined;
    return this.#http.find(shown, pick, timeoutMs);
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

/** The groups of a sandbox, as people use them on their phones. */
class GroupsClient extends SandboxGroupsOperations {
  /** The invite code of a group; `renew` replaces it, and the old code stops working. */
  invite(number: string, jid: string, renew = false): Promise<string> {
    return renew ? this.renewInvite(number, jid) : this.inviteCode(number, jid);
  }
}

/** Calls, typing and presence of a sandbox's people. */
class ActivityClient extends SandboxActivityOperations {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    super(http);
    this.#http = http;
  }

  /** Waits until a call of the person matches, or returns the one that does. */
  waitForCall(number: string, matches: (call: CallView) => boolean, timeoutMs = WAIT_MS): Promise<CallView> {
    const known = async () => (await this.calls(number)).find(matches);
    const pick = (event: NetworkEvent) =>
      event.type === 'call' && event.number === number && matches(event.call) ? event.call : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }

  /** Waits until the presence of the person matches. */
  waitForPresence(
    number: string,
    matches: (presence: PresenceView) => boolean,
    timeoutMs = WAIT_MS,
  ): Promise<PresenceView> {
    const known = async () => {
      const presence = await this.presence(number);
      return matches(presence) ? presence : undefined;
    };
    const pick = (event: NetworkEvent) =>
      event.type === 'presence' && event.number === number && matches(event.presence)
        ? event.presence
        : undefined;
    return this.#http.find(known, pick, timeoutMs);
  }
}

/** The stanzas between the network of a sandbox and its clients. */
class StanzasClient extends SandboxStanzasOperations {
  readonly #http: ControlHttp;

  constructor(http: ControlHttp) {
    super(http);
    this.#http = http;
  }

  /** Opens the stream of all stanzas; later ones are not missed. @param signal ends it */
  async watch(signal: AbortSignal): Promise<AsyncGenerator<StanzaEvent>> {
    const { events } = await this.#http.open(signal, { stanzas: true });
    return onlyStanzas(events);
  }
}

async function* onlyStanzas(events: AsyncIterable<NetworkEvent>): AsyncGenerator<StanzaEvent> {
  for await (const event of events) if (event.type === 'stanza') yield event;
}
