import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock, wait } from '../../src/domain/clock.js';
import { ClusterLab } from '../gateway/cluster/support/cluster-lab.js';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { Chance } from '../support/chance.js';
import type { DeathPoint } from '../support/daemon-process.js';
import { eventIn } from '../support/inbound.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, startKillableWorld, type World } from '../support/world.js';

/** A message is larger on the wire than this, and what only acknowledges or asks is smaller. */
const MESSAGE_BYTES = 150;
const PATIENCE_MS = 120_000;
const ROUNDS = 2;
/** One new chat in a day, which is the one with Bob, and a second between two messages to one person. */
const POLICY = 'policies: { slow: { mode: enforce, newChatsPerDay: 1, samePersonGap: 1s } }\ndefault: slow\n';
const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };
const FRANK = { number: '+15550000006', name: 'Frank' };

describe('a held message whose daemon is killed', function () {
  this.timeout(PATIENCE_MS);
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICY);
    world = await startKillableWorld({ leaseSeconds: 2, settings: { policy } });
    for (const person of [CAROL, DAVE, ERIN, FRANK]) await world.phones.addPhone(person);
    expect((await send(BOB, 'the new chat of the day')).status).to.equal(200);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });
  afterEach(() => world.phones.clearFaults());

  const send = (person: typeof BOB, body: string) =>
    world.api.post('/send-message', { clientId: 'acme', to: person.number, body, whenAllowed: true });
  const heldBy = async (person: typeof BOB, ...texts: string[]) =>
    (await world.phones.messages(person.number))
      .map(({ text }) => text)
      .filter((text) => texts.includes(text));
  const outboxIsEmpty = async () => {
    const { status, body } = await world.api.get('/outbox?clientId=acme');
    return status === 200 && Array.isArray(body.messages) && body.messages.length === 0;
  };
  /** A message to somebody new waits until that person writes. */
  const hold = async (person: typeof BOB, text: string) => {
    await world.connected();
    expect((await send(person, text)).status).to.equal(202);
  };
  const release = (person: typeof BOB) => world.phones.write(person.number, { to: ALICE.number, text: 'hi' });
  const arrivesOnce = async (person: typeof BOB, text: string) => {
    // on a busy machine a lease and a connection take longer than the sandbox waits
    await until(`the message ${text}`, async () => (await heldBy(person, text)).length > 0);
    await until('an empty outbox', outboxIsEmpty);
    expect(await heldBy(person, text)).to.deep.equal([text]);
  };

  it('is sent once when the daemon is killed right after its answer', async () => {
    await hold(CAROL, 'waits');
    await world.killDaemon();
    await world.startDaemon();
    await release(CAROL);
    await arrivesOnce(CAROL, 'waits');
  });

  it('is sent once when the daemon is killed as it leaves', async () => {
    await hold(DAVE, 'leaves');
    const killed = new Promise<void>((resolve, reject) => {
      world.wire.watch(({ length }) => {
        if (length < MESSAGE_BYTES) return 'pass';
        world.killDaemon().then(resolve, reject);
        return 'cut';
      });
    });
    await release(DAVE);
    await killed;
    await world.startDaemon();
    await arrivesOnce(DAVE, 'leaves');
  });

  it('is sent once when the daemon is killed after it left, before its acknowledgement', async () => {
    await hold(ERIN, 'left');
    await world.phones.fault({ kind: 'drop-acks', number: ALICE.number });
    await world.phones.fault({ kind: 'drop-receipts', number: ALICE.number });
    await release(ERIN);
    await world.phones.waitForMessage(ERIN.number, ({ text }) => text === 'left');
    await world.killDaemon();
    await world.phones.clearFaults();
    await world.startDaemon();
    await arrivesOnce(ERIN, 'left');
  });

  it('is sent once, and announced again, when the daemon is killed as it announces it', async () => {
    await hold(FRANK, 'announced');
    const killed = new Promise<void>((resolve, reject) => {
      world.receiver.respond((response, call) => {
        if (eventIn(call).body !== 'announced') response.end();
        else world.killDaemon().then(resolve, reject);
      });
    });
    await release(FRANK);
    await killed;
    world.receiver.respond((response) => response.end());
    const before = world.receiver.calls.length;
    await world.startDaemon();
    await arrivesOnce(FRANK, 'announced');
    await world.receiver.find((call) => {
      return world.receiver.calls.indexOf(call) >= before && eventIn(call).body === 'announced';
    });
  });

  it('counts once for the policy, however often the daemon was killed', async () => {
    await world.connected();
    const { body } = await world.api.get('/policy?clientId=acme');
    // Bob's, which began the only chat, and an answer to each of the others
    expect(body.messages).to.include({ lastDay: 5 });
    expect(body.newChats).to.include({ used: 1 });
  });

  it('arrives once, in the order of its chat, when the daemon is killed at any time', async () => {
    const chance = new Chance();
    for (let round = 1; round <= ROUNDS; round += 1) {
      await world.connected();
      const texts = [1, 2, 3].map((n) => `round ${round}, message ${n}`);
      for (const text of texts) expect((await send(BOB, text)).status).to.be.oneOf([200, 202]);
      await wait(systemClock, chance.between(0, 2_000));
      await world.killDaemon();
      await world.startDaemon();
      await until('all messages', async () => new Set(await heldBy(BOB, ...texts)).size === texts.length);
      await until('an empty outbox', outboxIsEmpty);
      expect(await heldBy(BOB, ...texts), `seed ${chance.seed}`).to.deep.equal(texts);
    }
  });

  describe('a held message at one step of its delivery', () => {
    let people = 10;
    /** Somebody to whom nothing was sent: a message waits until that person writes. */
    const somebodyNew = async () => {
      people += 1;
      const person = { number: `+155500000${people}`, name: `Person ${people}` };
      await world.phones.addPhone(person);
      return person;
    };
    const keyed = (person: typeof BOB, body: string, { whenAllowed = true } = {}) =>
      world.api.post(
        '/send-message',
        { clientId: 'acme', to: person.number, body, whenAllowed },
        { 'idempotency-key': `${person.name}, ${body}` },
      );
    const cancel = (messageId: unknown) =>
      world.api.post('/outbox/cancel', { clientId: 'acme', messageId }).then(({ status }) => status);
    /** While a message is judged, as after a start, it cannot be cancelled. */
    const cancelJudged = async (messageId: unknown) => {
      let outcome = 409;
      await until('it to be judged', async () => {
        outcome = await cancel(messageId);
        return outcome !== 409;
      });
      return outcome;
    };
    const outbox = async () => {
      const { body } = await world.api.get('/outbox?clientId=acme');
      return Array.isArray(body.messages) ? body.messages.map(({ messageId }) => messageId) : [];
    };
    /** The daemon dies at this point, which `work` leads it to, and runs again. */
    const diesAt = async (point: DeathPoint, work: () => Promise<unknown>) => {
      await world.connected();
      await world.dieAt(point);
      const working = work().catch(() => undefined);
      await world.died();
      await working;
      await world.startDaemon();
      await world.connected();
    };
    /** A later message of the chat arrives, and the earlier one does not. */
    const neverArrives = async (person: typeof BOB, text: string) => {
      await release(person);
      const asked = { clientId: 'acme', to: person.number, body: 'afterwards' };
      const isSent = async () => (await world.api.post('/send-message', asked)).status === 200;
      await until('the chat to run', isSent);
      await world.phones.waitForMessage(person.number, (message) => message.text === 'afterwards');
      expect(await heldBy(person, text)).to.deep.equal([]);
    };

    for (const when of ['before', 'after'] as const) {
      it(`is sent once, and its key returns it, when the daemon is killed ${when} it is written down`, async () => {
        const person = await somebodyNew();
        await diesAt({ when, write: 'waiting' }, () => keyed(person, 'held'));
        const kept = await outbox();
        expect(kept).to.have.length(when === 'before' ? 0 : 1);
        const again = await keyed(person, 'held');
        expect(again.status).to.equal(202);
        expect(await outbox()).to.deep.equal([again.body.messageId]);
        if (when === 'after') expect(kept).to.deep.equal([again.body.messageId]);
        await release(person);
        await arrivesOnce(person, 'held');
      });

      it(`is sent once when the daemon is killed ${when} its record is marked as leaving`, async () => {
        const person = await somebodyNew();
        await hold(person, 'leaving');
        await diesAt({ when, write: 'leaving' }, () => release(person));
        await arrivesOnce(person, 'leaving');
      });

      for (const write of ['acknowledge', 'finish'] as const) {
        it(`is sent once, and announced, when the daemon is killed ${when} the write ${write} of its record`, async () => {
          const person = await somebodyNew();
          const text = `killed ${when} ${write}`;
          await hold(person, text);
          await diesAt({ when, write }, () => release(person));
          await arrivesOnce(person, text);
          await world.receiver.find((call) => eventIn(call).body === text);
        });
      }

      it(`is held once, and its key returns it, when the daemon is killed ${when} its answer is stored`, async () => {
        const person = await somebodyNew();
        await diesAt({ when, write: 'answer' }, () => keyed(person, 'answered'));
        const kept = await outbox();
        expect(kept).to.have.length(1);
        const again = await keyed(person, 'answered');
        expect({ status: again.status, messageId: again.body.messageId }).to.deep.equal({
          status: 202,
          messageId: kept[0],
        });
        expect(await outbox()).to.deep.equal(kept);
        await release(person);
        await arrivesOnce(person, 'answered');
      });

      it(`is either cancelled for good or not at all when the daemon is killed ${when} the cancellation is written`, async () => {
        const person = await somebodyNew();
        const { messageId } = (await keyed(person, 'cancelled')).body;
        await diesAt({ when, write: 'ended' }, () => cancelJudged(messageId));
        expect(await outbox()).to.deep.equal(when === 'before' ? [messageId] : []);
        expect(await cancelJudged(messageId)).to.equal(when === 'before' ? 200 : 404);
        await neverArrives(person, 'cancelled');
      });

      it(`is not lost when the daemon is killed ${when} a refusal of the network closes it`, async () => {
        const person = await somebodyNew();
        await hold(person, 'refused');
        await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
        await diesAt({ when, write: 'close' }, () => release(person));
        await arrivesOnce(person, 'refused');
      });

      it(`is counted and sent once when it was allowed and the daemon is killed ${when} it is written down`, async () => {
        const person = await somebodyNew();
        await world.connected();
        await hold(person, 'first');
        await release(person);
        await arrivesOnce(person, 'first');
        await until('its pause to end', async () => {
          const { chat } = (
            await world.api.get(`/policy?clientId=acme&to=${encodeURIComponent(person.number)}`)
          ).body;
          return chat instanceof Object && 'allowed' in chat && chat.allowed === true;
        });
        const counted = async () => (await world.api.get('/policy?clientId=acme')).body.messages;
        const before = await counted();
        const plain = () => keyed(person, 'plain', { whenAllowed: false });
        await diesAt({ when, write: 'open' }, plain);
        if (when === 'before') expect(await counted()).to.deep.equal(before);
        expect((await plain()).status).to.equal(200);
        await arrivesOnce(person, 'plain');
        const lastDay = before instanceof Object && 'lastDay' in before ? Number(before.lastDay) : Number.NaN;
        expect(await counted()).to.include({ lastDay: lastDay + 1 });
      });
    }

    it('is sent, or given up, when the daemon is killed before it gives it up', async () => {
      const person = await somebodyNew();
      await hold(person, 'given up too late');
      await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
      await diesAt({ when: 'before', write: 'ended' }, () => release(person));
      // nobody was told yet, and the network takes it now
      await arrivesOnce(person, 'given up too late');
    });

    it('is never sent when the daemon is killed after it gave it up', async () => {
      const person = await somebodyNew();
      await hold(person, 'given up');
      await world.phones.fault({ kind: 'reject-sends', number: ALICE.number, count: 1 });
      await diesAt({ when: 'after', write: 'ended' }, () => release(person));
      expect(await outbox()).to.deep.equal([]);
      await neverArrives(person, 'given up');
    });
  });
});

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('a held message whose session moves to another node', function () {
    this.timeout(PATIENCE_MS);
    let lab: ClusterLab;
    before(async () => {
      lab = await ClusterLab.start(server, { sessions: 1, leaseSeconds: 8, policies: POLICY });
      await lab.startAll();
    });
    after(() => lab.stop());

    it('moves with it when its node is drained, and arrives once, in the order of its chat', async () => {
      await lab.phones.addPhone(CAROL);
      await lab.connected();
      const { clientId, number } = lab.session(0);
      const { api } = lab.node(0);
      const send = async (person: typeof BOB, body: string) => {
        const answer = await api.post('/send-message', {
          ...{ clientId, to: person.number, body },
          whenAllowed: true,
        });
        return { status: answer.status, messageId: answer.body.messageId };
      };
      const outbox = async () => {
        const { body } = await api.get(`/outbox?clientId=${clientId}`);
        return Array.isArray(body.messages) ? body.messages.map(({ messageId }) => messageId) : [];
      };
      expect((await send(BOB, 'the new chat of the day')).status).to.equal(200);
      const texts = Array.from({ length: 4 }, (_, n) => `to Carol ${n}`);
      const held: unknown[] = [];
      for (const text of texts) {
        const { status, messageId } = await send(CAROL, text);
        expect(status).to.equal(202);
        held.push(messageId);
      }
      await lab.move(clientId);
      expect(await outbox()).to.deep.equal(held);
      await lab.phones.write(CAROL.number, { to: number, text: 'hi' });
      // some leave from this node, and the others from the next one
      const arrived = async () =>
        (await lab.phones.messages(CAROL.number)).flatMap(({ from, text }) =>
          from === CAROL.number ? [] : [text],
        );
      await until('the first message', async () => (await arrived()).length > 0);
      await lab.move(clientId);
      await until('an empty outbox', async () => (await outbox()).length === 0);
      expect(await arrived()).to.deep.equal(texts);
    });

    it('arrives once, in the order of its chat, when its node is killed', async () => {
      await lab.connected();
      const { clientId } = lab.session(0);
      const texts = Array.from({ length: 8 }, (_, n) => `message ${n}`);
      for (const body of texts) {
        const answer = await lab.node(0).api.post('/send-message', {
          ...{ clientId, to: BOB.number, body },
          whenAllowed: true,
        });
        expect(answer.status).to.be.oneOf([200, 202]);
      }
      const owner = await lab.ownerOf(clientId);
      await owner.kill();
      const arrived = async () =>
        (await lab.phones.messages(BOB.number))
          .map(({ text }) => text)
          .filter((text) => texts.includes(text));
      await until('all messages', async () => new Set(await arrived()).size === texts.length);
      expect(await arrived()).to.deep.equal(texts);
    });
  });
}
