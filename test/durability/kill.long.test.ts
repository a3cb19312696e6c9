import { expect } from 'chai';
import { Chance } from '../support/chance.js';
import { eventIn, Inbound } from '../support/inbound.js';
import { answering } from '../support/receiver.js';
import { BOB, startKillableWorld, type World } from '../support/world.js';

/** Steps of traffic, at most, from the start of a daemon to its end. */
const MAX_STEPS = 40;

/**
 * Kills the daemon at an instant that chance chooses: when it says the n-th thing to the network, which may still be
 * told or not, or when it calls the receiver for the n-th time, before that has answered.
 * @returns resolves when it is dead
 */
function killSomewhere(world: World, chance: Chance): Promise<void> {
  let left = chance.between(1, MAX_STEPS);
  const at = chance.pick('wire', 'wire', 'receiver');
  const lastWord = chance.pick('pass' as const, 'cut' as const);
  return new Promise((resolve, reject) => {
    let struck = false;
    const strikes = () => {
      if (struck || --left > 0) return false;
      struck = true;
      world.killDaemon().then(resolve, reject);
      return true;
    };
    if (at === 'wire') world.wire.watch(() => (strikes() ? lastWord : 'pass'));
    else {
      world.receiver.respond((response, call, index) => {
        if (!strikes()) return answering(200)(response, call, index);
        world.receiver.respond(answering(200));
        response.destroy();
      });
    }
  });
}

const MESSAGES = 300;
const SENDS = 100;
/** Sends at the same time. */
const SENDERS = 4;
const KILLS = 5;
const PATIENCE_MS = 240_000;

describe('a daemon that is killed by SIGKILL at random instants', () => {
  const chance = new Chance();
  let world: World;
  let inbound: Inbound;
  /** Message ids that clients were answered, by text. */
  const answers = new Map<string, string>();

  before(async function () {
    this.timeout(PATIENCE_MS);
    world = await startKillableWorld({ leaseSeconds: 2 });
    inbound = new Inbound(world);
  });
  after(() => world.stop());

  it(`survives ${KILLS} kills under traffic (seed ${chance.seed})`, async () => {
    let done = false;
    const traffic = Promise.all([inbound.stream(MESSAGES), sendAll()]).then(() => {
      done = true;
    });
    let kills = 0;
    while (kills < KILLS) {
      await Promise.race([killSomewhere(world, chance), traffic]);
      if (done) break;
      kills += 1;
      await world.startDaemon();
    }
    await traffic;
    expect(kills).to.equal(KILLS);
  }).timeout(PATIENCE_MS);

  it(`delivers ${MESSAGES} messages, each at least once`, () => {
    const bodies = inbound.bodies();
    for (const [id, text] of inbound.written) expect(bodies.get(id), text).to.include(text);
    expect(bodies).to.have.length(MESSAGES);
  });

  it(`sends ${SENDS} messages once each, for clients that repeat until 200`, async () => {
    const held = (await world.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
    expect(held.map(({ text }) => text)).to.have.members([...answers.keys()]);
    expect(held).to.have.length(SENDS);
    for (const { text, messageId } of held) expect(answers.get(text), text).to.equal(messageId);
  });

  it('announces every message that was sent, with its metaData', async () => {
    for (const [text, messageId] of answers) {
      const call = await world.receiver.find(({ body }) => body.includes(messageId));
      expect(eventIn(call)).to.include({ event: 'message.sent', body: text });
      expect(eventIn(call).meta?.raw).to.deep.equal({ text });
    }
  });

  it('delivers 50 messages that are written while it is down, each once', async () => {
    await world.killDaemon();
    const offline = new Inbound(world);
    for (let index = 0; index < 50; index++) await offline.write(`while away ${index}`);
    await world.startDaemon();
    await offline.arrived();
    for (const [id, bodies] of offline.bodies()) expect(bodies).to.deep.equal([offline.written.get(id)]);
  });

  it('has no open work at the end', async () => {
    await world.stopDaemon();
    expect(await world.inspect((store) => store.journal.countOpen())).to.equal(0);
    expect(await world.inspect((store) => store.sends.open('acme'))).to.deep.equal([]);
    expect(await world.phones.stats()).to.include({ conflicts: 0, waitingOffline: 0 });
  });

  async function sendAll(): Promise<void> {
    await world.connected();
    const waiting = Array.from({ length: SENDS }, (_, index) => `order ${index}`);
    const send = async () => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        answers.set(text, await sendUntilTaken(text));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
  }

  /** Sends like a careful client: with the same key until the answer is 200. */
  async function sendUntilTaken(text: string): Promise<string> {
    for (;;) {
      await world.running;
      const request = { clientId: 'acme', to: BOB.number, body: text, metaData: { text } };
      const answer = await world.api
        .post('/send-message', request, { 'idempotency-key': text })
        .catch(() => undefined);
      if (answer?.status === 200) return String(answer.body.messageId);
      if (answer) expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([502, 503]);
    }
  }
});
