import type { SandboxClient } from '../../src/client/sandbox/client.js';
import type { ReceivedCall, TestReceiver } from './receiver.js';
import { ALICE, BOB } from './world.js';

/** Messages that may be on their way at once, so that there is traffic for as long as the test lasts. */
const WINDOW = 30;

/** What Bob writes while things go wrong. */
export class Inbound {
  /** Texts by message id. */
  readonly written = new Map<string, string>();
  readonly #phones: SandboxClient;
  readonly #receiver: TestReceiver;
  readonly #arrived = new Set<string>();
  #read = 0;

  constructor(world: { phones: SandboxClient; receiver: TestReceiver }) {
    this.#phones = world.phones;
    this.#receiver = world.receiver;
  }

  /** Writes one message. @param to a number, Alice's unless said otherwise */
  async write(text: string, to = ALICE.number): Promise<string> {
    const { messageId } = await this.#phones.write(BOB.number, { to, text });
    this.written.set(messageId, text);
    return messageId;
  }

  /** Writes that many, as fast as they arrive. Resolves when all have. */
  async stream(count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      await this.#until(() => this.missing() < WINDOW);
      await this.write(`message ${index} of the stream`);
    }
    await this.arrived();
  }

  /** Resolves when the receiver has got every message. */
  arrived(): Promise<void> {
    return this.#until(() => this.missing() === 0);
  }

  /** Bodies with which the messages arrived, by message id; duplicates included. */
  bodies(): Map<string, string[]> {
    const bodies = new Map<string, string[]>();
    for (const event of this.#receiver.calls.map(eventIn)) {
      if (this.written.has(event.messageId)) {
        bodies.set(event.messageId, [...(bodies.get(event.messageId) ?? []), event.body]);
      }
    }
    return bodies;
  }

  /** How many messages have not arrived yet. */
  missing(): number {
    for (; this.#read < this.#receiver.calls.length; this.#read++) {
      const call = this.#receiver.calls[this.#read];
      if (call) this.#arrived.add(eventIn(call).messageId);
    }
    return [...this.written.keys()].filter((id) => !this.#arrived.has(id)).length;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) await this.#receiver.received(this.#receiver.calls.length + 1);
  }
}

/** The event that a receiver was called with. */
export function eventIn(call: ReceivedCall): {
  event: string;
  type: string;
  messageId: string;
  body: string;
  meta?: { raw: object };
} {
  return JSON.parse(call.body);
}
