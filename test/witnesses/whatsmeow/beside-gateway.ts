import { expect } from 'chai';
import type { ExtraEventType } from '../../../src/contract/events/catalogue.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, type World } from '../../support/world.js';
import { Bot, type Complaint, expectComplaints } from './day.js';

/** A gateway with Alice's session `acme`, and bots on the same network. */
export class GatewayDay {
  #world?: World;
  readonly #bots: Bot[] = [];

  get world(): World {
    if (!this.#world) throw new Error('the gateway has not started yet');
    return this.#world;
  }

  async start(extraEvents: ExtraEventType[]): Promise<void> {
    this.#world = await startWorld();
    for (const person of [ALICE, BOB, CAROL]) await this.world.phones.addPhone(person);
    await this.world.phones.people.nameContacts(ALICE.number, [BOB, CAROL]);
    await linkSession(this.world, 'acme', ALICE, { extraEvents });
  }

  async linked(number: string): Promise<Bot> {
    const bot = await Bot.start(this.world.sandbox);
    this.#bots.push(bot);
    await bot.link(this.world.phones, number);
    return bot;
  }

  /** Calls a route of the API for the session, which must answer 200. */
  async post(path: string, body: object): Promise<Record<string, unknown>> {
    const answer = await this.world.api.post(path, { clientId: 'acme', ...body });
    expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.equal(200);
    return answer.body;
  }

  get complaints(): string[] {
    return this.#bots.flatMap(({ complaints }) => complaints);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#bots.map((bot) => bot.stop()));
    await this.#world?.stop();
  }
}

/**
 * Bots beside the gateway.
 * @param extraEvents the opt-in events of the session
 * @param expected what the tests make whatsmeow complain of
 */
export function besideGateway(
  title: string,
  extraEvents: ExtraEventType[],
  expected: readonly Complaint[],
  tests: (day: GatewayDay) => void,
): void {
  describe(`whatsmeow beside the gateway: ${title}`, () => {
    const day = new GatewayDay();

    before(async function () {
      // the first build compiles SQLite
      this.timeout(600_000);
      await day.start(extraEvents);
    });

    after(() => day.stop());

    tests(day);

    // a suite runs its own tests before those of the suites inside it
    describe('its log', () => {
      it('complains of nothing', () => expectComplaints(day.complaints, expected));
    });
  });
}
