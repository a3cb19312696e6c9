import { setTimeout as pause } from 'node:timers/promises';
import type { SandboxClient, StanzaEvent, StanzaJson } from '../../../src/client/sandbox/client.js';

/** Milliseconds without a stanza of the client, after which an act counts as ended. */
const QUIET_MS = 2_000;
const MAX_MS = 20_000;

/** Answers to pings, and pings, come when time passes: they belong to no act. */
const isOfTime = ({ tag, attrs = {} }: StanzaJson) => tag === 'iq' && attrs.xmlns === 'w:p';

/** Records what one client sends while it acts. */
export class Recorder {
  readonly #done = new AbortController();
  #sent: StanzaEvent[] = [];
  #lastAt = 0;

  static async start(network: SandboxClient): Promise<Recorder> {
    const recorder = new Recorder();
    const stream = await network.stanzas.watch(recorder.#done.signal);
    void recorder.#follow(stream);
    return recorder;
  }

  /** What the account of a number sends from now on until the work is done and the client is quiet. */
  async during(number: string, work: () => Promise<void>): Promise<StanzaJson[]> {
    this.#sent = [];
    await work();
    const until = Date.now() + MAX_MS;
    this.#lastAt = Math.max(this.#lastAt, Date.now());
    while (Date.now() < until && Date.now() - this.#lastAt < QUIET_MS) await pause(QUIET_MS / 10);
    // a device that is not linked yet has no number
    const own = this.#sent.filter((one) => one.number === number || one.number === '');
    return own.map(({ stanza }) => stanza).filter((one) => !isOfTime(one));
  }

  stop(): void {
    this.#done.abort();
  }

  async #follow(stream: AsyncIterable<StanzaEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        if (event.direction !== 'in') continue;
        this.#sent.push(event);
        this.#lastAt = Date.now();
      }
    } catch (error) {
      if (!this.#done.signal.aborted) throw error;
    }
  }
}
