import type { MessageView, SandboxClient, WriteContent } from '../client/sandbox/client.js';

/** A message on a phone, decrypted, with all later changes applied. */
export type Message = MessageView;

/** Matches a message: by its exact text, a pattern, the values of some fields, or a predicate. */
export type Expected = string | RegExp | Partial<Message> | ((message: Message) => boolean);

/** The recipient of a message: a session, another phone, a number, or the jid of a group. */
export type Recipient = string | { number: string };

/** Dependencies of a phone on its world. */
export interface PhoneContext {
  sandbox: SandboxClient;
  /** The number of the only session. @throws Error when there is none, or more than one */
  onlySession(): string;
  /** Recent calls of the gateway, as lines for people. */
  calls(): string[];
  timeoutMs: number;
}

/** A failed expectation. */
export class ExpectationError extends Error {
  override name = 'ExpectationError';
}

/** Milliseconds for which `receivesNo` watches. */
const QUIET_MS = 500;
const SHOWN_CALLS = 5;

/** The phone of a simulated person. */
export class Phone {
  readonly name: string;
  /** E.164 with `+`. */
  readonly number: string;
  readonly #context: PhoneContext;
  /** Messages that an expectation has matched. */
  readonly #matched = new Set<string>();

  constructor(person: { name: string; number: string }, context: PhoneContext) {
    this.name = person.name;
    this.number = person.number;
    this.#context = context;
  }

  /** Writes a text. @param to the only session of the world unless named. @returns the id of the message */
  says(text: string, { to }: { to?: Recipient } = {}): Promise<string> {
    return this.sends({ text }, { to });
  }

  /** Sends any other content: a file, a poll, a location, a tap on a button. @returns the id of the message */
  async sends(
    content: WriteContent & { quotedMessageId?: string; mentions?: string[] },
    { to }: { to?: Recipient | undefined } = {},
  ): Promise<string> {
    const partner = typeof to === 'object' ? to.number : (to ?? this.#context.onlySession());
    const { messageId } = await this.#context.sandbox.write(this.number, { ...content, to: partner });
    return messageId;
  }

  /** Replies to a message in its chat, quoting it. */
  replies(message: Message, text: string): Promise<string> {
    return this.sends({ text, quotedMessageId: message.messageId }, { to: this.#chatOf(message) });
  }

  /** Reacts to a message; an empty emoji removes the reaction. */
  reacts(message: Message, emoji: string): Promise<string> {
    return this.sends({ reaction: { messageId: message.messageId, emoji } }, { to: this.#chatOf(message) });
  }

  /** Votes in a poll. @param options the names of the chosen options */
  votes(message: Message, options: string[]): Promise<string> {
    return this.sends({ vote: { pollMessageId: message.messageId, options } }, { to: this.#chatOf(message) });
  }

  /** Taps on a button. @param label its text. @throws ExpectationError when the message has no such button */
  async taps(message: Message, label: string): Promise<string> {
    const button = message.buttons?.find(({ displayText }) => displayText === label);
    if (button?.id === undefined) {
      const labels = (message.buttons ?? []).map(({ displayText }) => JSON.stringify(displayText));
      throw new ExpectationError(
        `the message has no button ${JSON.stringify(label)} to answer with: ${labels.join(', ') || 'it has none'}`,
      );
    }
    const { messageId } = message;
    return this.sends(
      { buttonReply: { messageId, id: button.id, displayText: label } },
      { to: this.#chatOf(message) },
    );
  }

  /** All messages that the phone got from others, oldest first. */
  async messages(): Promise<Message[]> {
    const held = await this.#context.sandbox.messages(this.number);
    return held.filter(({ fromMe }) => !fromMe);
  }

  /**
   * Waits for a message from somebody else. Each message is matched once: the next call returns another one.
   * @param timeoutMs 4 s unless the world says otherwise
   * @throws ExpectationError with all messages that the phone got
   */
  async receives(
    expected: Expected,
    { timeoutMs = this.#context.timeoutMs }: { timeoutMs?: number } = {},
  ): Promise<Message> {
    const trace = new ExpectationError('');
    try {
      return await this.#next(expected, timeoutMs);
    } catch {
      const wish = `${this.name}'s phone did not receive ${describe(expected)} within ${timeoutMs / 1000} s`;
      throw await this.#failure(trace, wish);
    }
  }

  /**
   * Expects that no matching message has arrived or arrives within `withinMs`.
   * @param withinMs 500 ms by default
   * @throws ExpectationError with all messages that the phone got
   */
  async receivesNo(expected: Expected, { withinMs = QUIET_MS }: { withinMs?: number } = {}): Promise<void> {
    const trace = new ExpectationError('');
    const found = await this.#next(expected, withinMs).catch(() => undefined);
    // throws if the network does not run: silence would then prove nothing
    await this.messages();
    if (found) throw await this.#failure(trace, `${this.name}'s phone received ${describe(expected)}`);
  }

  async #next(expected: Expected, timeoutMs: number): Promise<Message> {
    const takes = (message: Message) => {
      if (message.fromMe || this.#matched.has(message.messageId) || !fits(message, expected)) return false;
      this.#matched.add(message.messageId);
      return true;
    };
    const { sandbox } = this.#context;
    try {
      return await sandbox.waitForMessage(this.number, takes, timeoutMs);
    } catch (error) {
      // look once more: on a slow machine the time may be over before the first look
      const found = (await this.messages()).find(takes);
      if (found) return found;
      throw error;
    }
  }

  /** The error of an expectation. @param trace created in the call of the test, so that its stack names the line of the test */
  async #failure(trace: Error, wish: string): Promise<Error> {
    const messages = await this.messages();
    const lines = messages.map((message, index) => {
      const note = this.#matched.has(message.messageId) ? ' (matched before)' : '';
      return `  ${index + 1}. ${shownMessage(message)}${note}`;
    });
    const calls = this.#context.calls().slice(-SHOWN_CALLS);
    const got = lines.length > 0 ? ['It received:', ...lines] : ['It received no message.'];
    const tried = calls.length > 0 ? ['The gateway called:', ...calls] : ['The gateway called no webhook.'];
    const message = [wish, ...got, ...tried].join('\n');
    const frames = (trace.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
    trace.message = message;
    trace.stack = [`${trace.name}: ${message}`, ...frames].join('\n');
    return trace;
  }

  /** The chat of a message: a group, or the private chat with its author. */
  #chatOf({ from, to }: Message): string {
    return to === this.number ? from : to;
  }
}

function fits(message: Message, expected: Expected): boolean {
  if (typeof expected === 'string') return message.text === expected;
  if (typeof expected === 'function') return expected(message);
  if (expected instanceof RegExp) return message.text.search(expected) >= 0;
  const values = new Map<string, unknown>(Object.entries(message));
  return Object.entries(expected).every(
    ([name, value]) => JSON.stringify(values.get(name)) === JSON.stringify(value),
  );
}

function describe(expected: Expected): string {
  if (expected instanceof RegExp) return String(expected);
  return typeof expected === 'function' ? 'a message that passes the test' : JSON.stringify(expected);
}

function shownMessage({ type, text }: Message): string {
  return text ? `${type} ${JSON.stringify(text)}` : type;
}
