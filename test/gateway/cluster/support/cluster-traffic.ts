import { expect } from 'chai';
import { systemClock, wait } from '../../../../src/domain/clock.js';
import type { Chance } from '../../../support/chance.js';
import { eventIn, Inbound } from '../../../support/inbound.js';
import { until } from '../../../support/until.js';
import { type ApiAnswer, BOB } from '../../../support/world.js';
import type { ClusterLab } from './cluster-lab.js';

/** Milliseconds that a client waits for an answer before it asks another node. */
const PATIENCE_MS = 10_000;
/** Milliseconds until a client asks again. */
const PAUSE_MS = 200;
/** Messages that may be under way at once each way: a slow machine gets no more to do than it can. */
const WINDOW = 30;

/** Messages both ways: Bob writes to all sessions, and careful clients write to Bob by way of any node. */
export class ClusterTraffic {
  readonly inbound: Inbound;
  /** Message ids that clients were answered, by text. */
  readonly answers = new Map<string, string>();
  readonly #lab: ClusterLab;
  readonly #chance: Chance;
  readonly #paceMs: number;
  readonly #sending = new Set<Promise<void>>();
  #failure: unknown;
  #count = 0;
  #flow: Promise<unknown> | undefined;
  #ending = new AbortController();

  /** @param perSecond messages each way */
  constructor(lab: ClusterLab, chance: Chance, perSecond: number) {
    this.#lab = lab;
    this.#chance = chance;
    this.#paceMs = 1_000 / perSecond;
    this.inbound = new Inbound(lab);
  }

  /** Starts or resumes the traffic. */
  start(): void {
    this.#ending.abort();
    this.#ending = new AbortController();
    this.#flow = this.#run(this.#ending.signal);
  }

  /** Nothing more begins. Resolves when everything that was written has arrived. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#flow;
    while (this.#sending.size > 0) await Promise.all(this.#sending);
    if (this.#failure) throw this.#failure;
    await until('everything written to arrive', async () => this.inbound.missing() === 0);
  }

  /** One message from a session to Bob; resolves when its client has its 200. */
  async send(clientId: string, text: string): Promise<void> {
    for (;;) {
      const answer = await this.#attempt(clientId, text);
      if (answer?.status === 200) {
        this.answers.set(text, String(answer.body.messageId));
        return;
      }
      if (answer) expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([502, 503]);
      await wait(systemClock, PAUSE_MS);
    }
  }

  /** Expects no lost and no duplicate message at the receiver and on Bob's phone, no double login, and no open work. */
  async check(): Promise<void> {
    const bodies = this.inbound.bodies();
    for (const [id, text] of this.inbound.written) expect(bodies.get(id), text).to.include(text);
    // his phone asks for what it cannot decrypt at first, which takes a moment
    await until('everything sent to be readable on the phone', async () => {
      return (await this.#arrived()).length >= this.answers.size;
    });
    const held = await this.#arrived();
    expect(held.map(({ text }) => text)).to.have.members([...this.answers.keys()]);
    for (const { text, messageId } of held) expect(this.answers.get(text), text).to.equal(messageId);
    await this.#lab.settled();
    expect(await this.#lab.phones.stats()).to.include({ conflicts: 0 });
    const told = new Set(this.#lab.receiver.calls.map((call) => eventIn(call).messageId));
    for (const [text, messageId] of this.answers) expect(told.has(messageId), text).to.equal(true);
  }

  /** What Bob's phone can read of what was sent to him. */
  async #arrived() {
    return (await this.#lab.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#failure) {
      this.#count += 1;
      const session = this.#lab.session(this.#count % this.#lab.sessions.length);
      if (this.inbound.missing() < WINDOW) {
        await this.inbound.write(`in ${this.#count} for ${session.clientId}`, session.number);
      }
      if (this.#sending.size < WINDOW) this.#begin(session.clientId, `out ${this.#count}`);
      await wait(systemClock, this.#paceMs, signal);
    }
  }

  #begin(clientId: string, text: string): void {
    const sending = this.send(clientId, text)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(() => this.#sending.delete(sending));
    this.#sending.add(sending);
  }

  /** By way of any node, be it there or not. Undefined without an answer. */
  async #attempt(clientId: string, text: string): Promise<ApiAnswer | undefined> {
    const node = this.#lab.node(this.#chance.between(0, this.#lab.nodes.length - 1));
    const request = { clientId, to: BOB.number, body: text };
    return node.api
      .post('/send-message', request, { 'idempotency-key': text }, AbortSignal.timeout(PATIENCE_MS))
      .catch(() => undefined);
  }
}
