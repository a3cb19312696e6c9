import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SandboxClient } from '../../../src/client/sandbox/client.js';
import { SandboxWorld } from '../../sandbox/support/world.js';
import { Witness, type WitnessEvent, WitnessProgram } from '../witness.js';

/** A complaint of whatsmeow that is no fault of the network. */
export interface Complaint {
  text: RegExp;
  reason: string;
  /** The moment decides whether it comes. */
  isOptional?: true;
}

let building: Promise<WitnessProgram> | undefined;

/** The program, compiled once for all files. */
function program(): Promise<WitnessProgram> {
  building ??= WitnessProgram.build('whatsmeow');
  return building;
}

after(async () => {
  const built = await building?.catch(() => undefined);
  await built?.remove();
});

/** One of whatsmeow's devices, through all runs of its program. */
export class Bot {
  readonly #sandbox: { url: string; rootKey: Uint8Array };
  readonly #folder: string;
  readonly #path: string;
  #running: Witness;
  #earlier: string[] = [];

  private constructor(sandbox: { url: string; rootKey: Uint8Array }, path: string, folder: string) {
    this.#sandbox = sandbox;
    this.#folder = folder;
    this.#running = new Witness({ path }, sandbox, folder);
    this.#path = path;
  }

  static async start(sandbox: { url: string; rootKey: Uint8Array }): Promise<Bot> {
    const folder = await mkdtemp(join(tmpdir(), 'whatsmeow-'));
    return new Bot(sandbox, (await program()).path, folder);
  }

  /** What it has complained of in all its runs. */
  get complaints(): string[] {
    return [...this.#earlier, ...this.#running.complaints];
  }

  /** Events of this run so far. */
  get events(): readonly WitnessEvent[] {
    return this.#running.events;
  }

  /** Calls a method of whatsmeow's client. */
  call(method: string, ...args: unknown[]): Promise<unknown> {
    return this.#running.take(method, { args });
  }

  take(step: string, fields: Record<string, unknown> = {}): Promise<unknown> {
    return this.#running.take(step, fields);
  }

  /** Sends a message of the protocol. @returns its id */
  async send(to: string, message: object, fields: object = {}): Promise<string> {
    return Object(await this.take('send', { to, message, ...fields })).ID;
  }

  /** Sends what a builder of whatsmeow makes. @returns its id */
  async build(to: string, build: string, args: unknown[], fields: object = {}): Promise<string> {
    return Object(await this.take('send', { to, build, args, ...fields })).ID;
  }

  /** Does something, and waits for an event that follows from it. */
  async after(
    act: () => Promise<unknown>,
    event: string,
    matches: (event: WitnessEvent) => boolean = () => true,
  ): Promise<WitnessEvent> {
    const from = this.events.length;
    await act();
    return this.#running.until((one) => one.event === event && matches(one), from, event);
  }

  /** Waits for an event of this run. */
  heard(event: string, matches: (event: WitnessEvent) => boolean = () => true): Promise<WitnessEvent> {
    return this.#running.until((one) => one.event === event && matches(one), 0, event);
  }

  /** Waits for a message that has come or comes. */
  message(id: string): Promise<WitnessEvent> {
    return this.heard('message', (event) => event.id === id);
  }

  /** Links the number by QR, and logs in again as the network asks. */
  async link(client: SandboxClient, number: string): Promise<void> {
    const { code } = await this.after(() => this.call('Connect'), 'qr');
    await this.after(() => client.scan(number, String(code)), 'connected');
    await this.heard('appStateSyncComplete', ({ Name }) => Name === 'regular');
  }

  async connect(): Promise<void> {
    await this.after(() => this.call('Connect'), 'connected');
  }

  /** Ends the program, and starts it again with the same keys, not connected. */
  async restart({ crash = false } = {}): Promise<void> {
    await (crash ? this.#running.kill() : this.#running.stop());
    this.#earlier = this.complaints;
    this.#running = new Witness({ path: this.#path }, this.#sandbox, this.#folder);
  }

  async stop(): Promise<void> {
    await this.#running.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A sandbox of its own with the bots of a test file. */
export class Day {
  readonly world = new SandboxWorld();
  readonly #bots: Bot[] = [];
  #isOpen = false;

  /** A bot that is not linked yet. */
  async bot(): Promise<Bot> {
    const bot = await Bot.start(this.world.sandbox);
    this.#bots.push(bot);
    return bot;
  }

  async linked(number: string): Promise<Bot> {
    const bot = await this.bot();
    await bot.link(this.world.client, number);
    return bot;
  }

  get complaints(): string[] {
    return this.#bots.flatMap(({ complaints }) => complaints);
  }

  async start(): Promise<void> {
    await this.world.open();
    this.#isOpen = true;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.stop()));
    if (this.#isOpen) await this.world.close();
  }
}

/**
 * A part of the day of a bot on whatsmeow.
 * @param expected what the tests make whatsmeow complain of; it must complain of each that is not optional, and of nothing else
 */
export function partOfDay(title: string, expected: readonly Complaint[], tests: (day: Day) => void): void {
  describe(`whatsmeow: ${title}`, () => {
    const day = new Day();

    before(async function () {
      // the first build compiles SQLite
      this.timeout(600_000);
      await program();
      await day.start();
    });

    after(() => day.stop());

    tests(day);

    // a suite runs its own tests before those of the suites inside it
    describe('its log', () => {
      it('complains of nothing', () => expectComplaints(day.complaints, expected));
    });
  });
}

export function expectComplaints(complaints: readonly string[], expected: readonly Complaint[]): void {
  const unexpected = complaints.filter((line) => !expected.some(({ text }) => text.test(line)));
  expect(unexpected).to.deep.equal([]);
  const outdated = expected.filter(
    ({ text, isOptional }) => !isOptional && !complaints.some((line) => text.test(line)),
  );
  expect(outdated, 'expected complaints that did not come').to.deep.equal([]);
}

/** Why a call was refused; empty when it was not. */
export async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return '';
  } catch (error) {
    return String(error);
  }
}

export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
