import { expect } from 'chai';
import { Chance } from '../support/chance.js';
import { eventIn, Inbound } from '../support/inbound.js';
import { BOB } from '../support/pairing.js';
import { killSomewhere } from './support/disturb.js';
import { Lab } from './support/lab.js';

const MESSAGES = 300;
const SENDS = 100;
/** Sends at the same time. */
const SENDERS = 4;
const KILLS = 5;
const PATIENCE_MS = 240_000;

describe('a daemon that is killed by SIGKILL at random instants, in and out', () => {
  const chance = new Chance();
  let lab: Lab;
  let inbound: Inbound;
  /** Message ids that clients were answered, by text. */
  const answers = new Map<string, string>();

  before(async function () {
    this.timeout(PATIENCE_MS);
    lab = await Lab.start({ leaseSeconds: 2 });
    inbound = new Inbound(lab);
  });
  after(() => lab.stop());

  it(`survives ${KILLS} kills under traffic (seed ${chance.seed})`, async () => {
    let done = false;
    const traffic = Promise.all([inbound.stream(MESSAGES), sendAll()]).then(() => {
      done = true;
    });
    let kills = 0;
    while (kills < KILLS) {
      await Promise.race([killSomewhere(lab, chance), traffic]);
      if (done) break;
      kills += 1;
      await lab.startDaemon();
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
    const held = (await lab.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
    expect(held.map(({ text }) => text)).to.have.members([...answers.keys()]);
    expect(held).to.have.length(SENDS);
    for (const { text, messageId } of held) expect(answers.get(text), text).to.equal(messageId);
  });

  it('announces every message that was sent, with its metaData', async () => {
    for (const [text, messageId] of answers) {
      const call = await lab.receiver.find(({ body }) => body.includes(messageId));
      expect(eventIn(call)).to.include({ event: 'message.sent', body: text });
      expect(eventIn(call).meta?.raw).to.deep.equal({ text });
    }
  });

  it('delivers 50 messages that are written while it is down, each once', async () => {
    await lab.killDaemon();
    const offline = new Inbound(lab);
    for (let index = 0; index < 50; index++) await offline.write(`while away ${index}`);
    await lab.startDaemon();
    await offline.arrived();
    for (const [id, bodies] of offline.bodies()) expect(bodies).to.deep.equal([offline.written.get(id)]);
  });

  it('has nothing left to do in the end', async () => {
    await lab.stopDaemon();
    expect(await lab.inspect((store) => store.journal.countOpen())).to.equal(0);
    expect(await lab.inspect((store) => store.sends.open('acme'))).to.deep.equal([]);
    expect(await lab.phones.stats()).to.include({ conflicts: 0, waitingOffline: 0 });
  });

  async function sendAll(): Promise<void> {
    await lab.connected();
    const waiting = Array.from({ length: SENDS }, (_, index) => `order ${index}`);
    const send = async () => {
      for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
        answers.set(text, await sendUntilTaken(text));
      }
    };
    await Promise.all(Array.from({ length: SENDERS }, send));
  }

  /** As a careful client: the same key until the answer is 200. */
  async function sendUntilTaken(text: string): Promise<string> {
    for (;;) {
      await lab.running;
      const request = { clientId: 'acme', to: BOB.number, body: text, metaData: { text } };
      const answer = await lab.api
        .post('/send-message', request, { 'idempotency-key': text })
        .catch(() => undefined);
      if (answer?.status === 200) return String(answer.body.messageId);
      if (answer) expect(answer.status, JSON.stringify(answer.body)).to.be.oneOf([502, 503]);
    }
  }
});
