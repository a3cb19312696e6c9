import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { type BinaryNode, decodeBinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { DestinationStream } from 'pino';
import { callStepIn } from '../../src/gateway/link/baileys/calls.js';
import { changedNumber, pictureOwner } from '../../src/gateway/link/baileys/contacts.js';
import { groupUpdatesIn, pictureUpdateIn } from '../../src/gateway/link/baileys/group-updates.js';
import { ciphertextsOf } from '../../src/gateway/link/baileys/incoming.js';
import { isPost } from '../../src/gateway/link/baileys/listen.js';
import { textOf } from '../../src/gateway/link/baileys/people.js';
import { presenceIn } from '../../src/gateway/link/baileys/presence.js';
import { createLog } from '../../src/gateway/log.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  QUICK_BACKOFF,
  reached,
  startWorld,
  type World,
} from '../support/world.js';
import { makeFrame, type Parties } from './support/stanzas.js';
import { FuzzRun, Prng, usedHeap } from './support/values.js';

/** Frames that a whole session reads: 2 ms each, with its answers and with a login for each frame that ends the link. */
const RUN = new FuzzRun(10_000);
/** Frames that are decoded and read without a session. */
const READ = new FuzzRun(90_000);
/** Frames that leave before the link can read; a link that one of them ends reads none of the later ones. */
const BURST = 20;
/** Frames between two looks at both sessions. */
const PROVEN_EVERY = 1_000;
/** Bytes that may stay behind after the first tenth: caches of the library and of the phones, all bounded. */
const MAX_GROWTH = 96 * 1024 * 1024;
/** The documented end of a link in whose library something went wrong; it comes back. */
const LIBRARY_FAULT = 'the link failed inside its library';
const DELIVERY_MS = 120_000;

describe('a session under random stanzas from the network', function () {
  this.timeout(900_000);
  let world: World;
  let parties: Parties;
  const lines: string[] = [];

  before(async () => {
    const destination: DestinationStream = { write: (line) => lines.push(line) };
    world = await startWorld({
      // many of the frames end the link: waiting for its budget would take hours
      overrides: { log: createLog({ level: 'error', pretty: false, destination }), returns: QUICK_BACKOFF },
    });
    await linkSession(world, 'bystander', ALICE);
    await linkSession(world, 'fuzzed', CAROL);
    await world.phones.addPhone(BOB);
    const [me, friend] = [await world.phones.phone(CAROL.number), await world.phones.phone(BOB.number)];
    parties = { me: [me.lid, me.jid], friend: [friend.lid, friend.jid] };
  });
  after(() => world.stop());

  const health = async (clientId: string) => {
    const { body } = await world.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.find((row) => row.clientId === clientId);
  };

  async function announced(messageId: string, text: string): Promise<void> {
    const late = once(AbortSignal.timeout(DELIVERY_MS), 'abort').then(() => {
      throw new Error(`the message "${text}" was not announced`);
    });
    const call = world.receiver.find(({ body }) => body.includes(messageId) && body.includes(text));
    await Promise.race([call, late]);
  }

  /** A message gets in, and one gets out. */
  async function prove(clientId: string, number: string, round: string): Promise<void> {
    const text = `${clientId} ${round}`;
    const { messageId } = await world.phones.write(BOB.number, { to: number, text });
    await announced(messageId, text);
    const sent = await world.api.post('/send-message', { clientId, to: BOB.number, body: text });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const arrived = await world.phones.waitForMessage(
      BOB.number,
      (held) => held.messageId === sent.body.messageId,
      DELIVERY_MS,
    );
    expect(arrived.text).to.equal(text);
  }

  async function burst(from: number, until: number): Promise<void> {
    for (let index = from; index < until; index++) {
      const frame = makeFrame(Prng.forCase(RUN.seed, index), parties);
      while (world.sandbox.inject(CAROL.number, frame) === 0) await comeBack();
    }
    await setImmediate();
    await setImmediate();
  }

  /** Resolves when the fuzzed device is connected, maybe already. */
  async function comeBack(): Promise<void> {
    const { number } = CAROL;
    await world.phones.waitFor(
      (event) => event.type === 'device' && event.number === number && event.change === 'connected',
      DELIVERY_MS,
      async () => {
        const device = (await world.phones.phone(number)).devices.find(({ connected }) => connected);
        return device && { type: 'device', number, device, change: 'connected' };
      },
    );
  }

  it(`survives ${RUN.cases} random stanzas, and disturbs no other session`, async () => {
    RUN.announce('network');
    const before = await health('bystander');
    let baseline = 0;
    const { stanzasIn: answered } = await world.phones.stats();
    for (let index = 0; index < RUN.cases; index += BURST) {
      await burst(index, Math.min(index + BURST, RUN.cases));
      const round = String(index);
      if (index % PROVEN_EVERY === 0)
        await Promise.all([prove('fuzzed', CAROL.number, round), prove('bystander', ALICE.number, round)]);
      if (index === Math.floor(RUN.cases / 10 / BURST) * BURST) baseline = usedHeap();
    }
    // most of the frames want an answer
    const answers = (await world.phones.stats()).stanzasIn - answered;
    expect(answers, 'the frames were not read').to.be.greaterThan(RUN.cases / 4);
    await reached(world, 'fuzzed', 'connected');
    await prove('fuzzed', CAROL.number, 'at the end');
    expect(lines.filter((line) => !line.includes(LIBRARY_FAULT))).to.deep.equal([]);
    expect(await health('fuzzed')).to.include({ status: 'connected', connected: true });
    expect(await health('bystander')).to.include({ status: 'connected', reconnects: before.reconnects });
    expect(usedHeap() - baseline).to.be.below(MAX_GROWTH);
  });
});

describe('the readers of stanzas', function () {
  this.timeout(900_000);
  const parties: Parties = {
    me: ['90000000000003@lid', '15550000003@s.whatsapp.net'],
    friend: ['90000000000002@lid', '15550000002@s.whatsapp.net'],
  };
  /** Each reads a stanza of any kind, as the network may send any. */
  const readers: ((node: BinaryNode, now: number) => unknown)[] = [
    ...[callStepIn, groupUpdatesIn, pictureUpdateIn],
    ...[pictureOwner, changedNumber, presenceIn, ciphertextsOf, isPost, textOf],
  ];

  it(`return a value or nothing for ${READ.cases} random frames, and never throw`, async () => {
    READ.announce('frames');
    const now = Date.now();
    let undecoded = 0;
    let found = 0;
    let baseline = 0;
    for (let index = 0; index < READ.cases; index++) {
      const frame = makeFrame(Prng.forCase(~READ.seed, index), parties);
      const node = await decodeBinaryNode(frame).catch(() => undefined);
      if (!node) undecoded += 1;
      else if (readers.map((read) => read(node, now)).some(Boolean)) found += 1;
      if (index === Math.floor(READ.cases / 10)) baseline = usedHeap();
    }
    expect(undecoded, 'frames that are no stanza').to.be.below(READ.cases / 50);
    expect(found, 'stanzas in which nothing was found').to.be.above(READ.cases / 20);
    expect(usedHeap() - baseline).to.be.below(MAX_GROWTH);
  });
});
