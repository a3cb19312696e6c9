import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { DAY_MS, systemClock, wait } from '../../src/domain/clock.js';
import { type PlannedSend, planSends } from '../../src/domain/policy/plan.js';
import { loadConfig } from '../../src/gateway/config/load.js';
import { readPolicies } from '../../src/gateway/config/policy-file.js';
import { createDaemon, type Daemon } from '../../src/gateway/daemon/daemon.js';
import { createLog } from '../../src/gateway/log.js';
import { openStore } from '../../src/gateway/store/open.js';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { Chance } from '../support/chance.js';
import { freePort } from '../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  Api,
  type ApiAnswer,
  linkSession,
  PASSING_ERRORS,
  QUICK_BACKOFF,
  startWorld,
  TOKEN,
  type World,
} from '../support/world.js';

const HOUR_MS = DAY_MS / 24;
const PATIENCE_MS = 900_000;
const POLICIES = `
mode: enforce
default: p
policies:
  p:
    newChatsByAge: [{ linkedDays: 0, limit: 20 }, { linkedDays: 2, limit: 60 }]
    newChatGap: 5s to 60s
    samePersonGap: 20s
    messagesPerHour: 60
    messagesPerDay: 1050
    quietHours: { from: "22:00", to: "06:00", timeZone: Europe/Berlin }
`;
/**
 * Fewer than the 10,000 that are planned without a network in `test/gateway/services/policies/planned-sends.long.test.ts`: on two busy cores
 * these take more than three minutes. 4,000 take 45 seconds on SQLite on quiet ones; MongoDB takes twice as long for each.
 */
const SENDS = Number(process.env.PLANNED_SENDS ?? (MONGODB_URL ? 1_000 : 4_000));
const SENDS_ON_NODES = Number(process.env.PLANNED_SENDS ?? 1_000);
/** Sends after which the session moves to another node. */
const MOVES_AFTER = 150;
/** Sends of a day, nearly as many as the policy permits. */
const PER_DAY = 1_000;
/** People who have written. */
const FRIENDS = 60;
/** One of so many sends goes to somebody who has not written. */
const COLD = 30;
const PAUSE_MS = 50;

/** A clock that stands still below the one that a test moves: what leaves when does not depend on the speed of the machine. */
function standingClock() {
  const startedAt = Date.now();
  return { ...systemClock, now: () => startedAt };
}

/** When a send left, by its place in the plan, and the rule that refused it first. */
interface Left {
  leavesAt: number;
  isNewChat: boolean;
  rule: string | undefined;
}

const numberOf = (index: number) => `+1555${String(index).padStart(7, '0')}`;

/** Sends of so many days; to whom they go is counted on by every test. */
function planned(chance: Chance, from: number, count: number): (PlannedSend & { number: string })[] {
  const days = count / PER_DAY;
  const strangers = Math.max(1, Math.floor(count / COLD));
  return Array.from({ length: count }, (_, index) => {
    const isCold = index % COLD === 0;
    const number = numberOf(isCold ? 1_000 + chance.between(1, strangers) : 100 + chance.between(1, FRIENDS));
    const at = from + chance.between(1, days * DAY_MS);
    return { at, number, to: number, ...(!isCold && { standing: 'running' as const }) };
  });
}

/** Numbers and friends of a plan get phones, and the friends write. */
async function introduce(world: World, sends: readonly { number: string }[]): Promise<void> {
  for (const number of new Set(sends.map((send) => send.number)))
    await world.phones.addPhone({ number, name: number });
  await linkSession(world, 'acme');
  const friends = [...new Set(sends.map(({ number }) => number))].filter(
    (number) => number < numberOf(1_000),
  );
  for (const number of friends) await world.phones.write(number, { to: ALICE.number, text: 'hi' });
  await until('all friends to be heard', async () => {
    const heard = world.receiver.calls.filter(({ body }) => body.includes('"message.received"')).length;
    return heard >= friends.length;
  });
}

/** A caller repeats each refused send when its answer says. @param apiFor by the number of messages that have left */
async function really(
  { sandbox }: World,
  sends: readonly { at: number; number: string }[],
  apiFor: (count: number) => Promise<Api> | Api,
): Promise<{ left: Map<number, Left>; messageIds: Map<string, number> }> {
  const { clock } = sandbox;
  const left = new Map<number, Left>();
  const messageIds = new Map<string, number>();
  const rules = new Map<number, string>();
  const due = sends.map(({ at }, order) => ({ at, order }));
  due.sort((one, other) => other.at - one.at || other.order - one.order);
  for (let next = due.pop(); next; next = due.pop()) {
    const { at, order } = next;
    if (at > clock.now()) await clock.advance(at - clock.now());
    const answer = await settle(await apiFor(left.size), sends[order]?.number ?? '', order);
    if (answer.status === 200) {
      left.set(order, { leavesAt: clock.now(), isNewChat: false, rule: rules.get(order) });
      messageIds.set(String(answer.body.messageId), order);
      continue;
    }
    const { rule, allowedAt } = refusalIn(answer);
    if (!rules.has(order)) rules.set(order, rule);
    const again = Math.max(Date.parse(allowedAt), at + 1);
    const later = due.findLastIndex((one) => one.at > again || (one.at === again && one.order > order));
    due.splice(later + 1, 0, { at: again, order });
  }
  return { left, messageIds };
}

/** Sends until the answer is final: a move of the session, and a network that is being asked for restrictions, pass. */
async function settle(api: Api, to: string, order: number): Promise<ApiAnswer> {
  const message = { clientId: 'acme', to, body: `message ${order}` };
  for (;;) {
    const answer = await api.post('/send-message', message, { 'idempotency-key': `send ${order}` });
    if (answer.status === 200) return answer;
    const code = answer.headers.get('x-sn-error');
    if (code === 'policy_refused' && refusalIn(answer).rule !== 'networkSilent') return answer;
    if (code !== 'policy_refused') expect(code, JSON.stringify(answer.body)).to.be.oneOf(PASSING_ERRORS);
    await wait(systemClock, PAUSE_MS);
  }
}

function refusalIn({ body: { policy } }: ApiAnswer): { rule: string; allowedAt: string } {
  if (typeof policy === 'object' && policy !== null && 'rule' in policy && 'allowedAt' in policy)
    return { rule: String(policy.rule), allowedAt: String(policy.allowedAt) };
  throw new Error('the answer names no rule');
}

/** Compares what left with the plan, and with what the network counted. */
async function compare(
  world: World,
  sends: readonly (PlannedSend & { number: string })[],
  { left, messageIds }: Awaited<ReturnType<typeof really>>,
  since: number,
): Promise<void> {
  const policy = (await readPolicies(POLICIES, 'policy.yaml')).policies.get('p');
  if (!policy) throw new Error('there is a policy');
  const plan = planSends(policy, sends, { since });
  // the network's own list: when it got each message, and how often
  const got = new Map<number, number[]>();
  for (const number of new Set(sends.map((send) => send.number)))
    for (const { messageId, fromMe, timestamp } of await world.phones.messages(number)) {
      const order = fromMe ? undefined : messageIds.get(messageId);
      if (order !== undefined) got.set(order, [...(got.get(order) ?? []), timestamp]);
    }
  const seconds = (at: number | undefined) => (at === undefined ? [] : [Math.floor(at / 1_000)]);
  const real = sends.map((_, order) => {
    const one = left.get(order);
    return { leavesAt: one?.leavesAt, rule: one?.rule, got: got.get(order) ?? [] };
  });
  const asPlanned = plan.map(({ leavesAt, refusals }) => ({
    leavesAt,
    rule: refusals[0]?.rule,
    got: seconds(leavesAt),
  }));
  const wrong = real.flatMap((one, order) =>
    isDeepStrictEqual(one, asPlanned[order])
      ? []
      : { order, ...sends[order], real: one, planned: asPlanned[order] },
  );
  expect(wrong.slice(0, 3)).to.deep.equal([]);
  expect(plan.some(({ refusals }) => refusals.length > 0)).to.equal(true);
  const begun = plan.flatMap(({ leavesAt, isNewChat }) => (isNewChat && leavesAt ? leavesAt : []));
  expect((await world.phones.stats()).firstContacts[ALICE.number]).to.equal(begun.length);
  const all = plan.flatMap(({ leavesAt }) => leavesAt ?? []);
  expect(all).to.have.length(sends.length);
  expect(most(all, HOUR_MS)).to.be.at.most(60);
  expect(most(all, DAY_MS)).to.be.at.most(1_050);
  expect(most(begun, DAY_MS)).to.be.at.most(60);
  expect(
    most(
      begun.filter((at) => at < since + 2 * DAY_MS),
      DAY_MS,
    ),
  ).to.be.at.most(20);
}

/** The largest number of times within a window. */
function most(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  let first = 0;
  let found = 0;
  for (const [index, at] of sorted.entries()) {
    while ((sorted[first] ?? 0) <= at - windowMs) first += 1;
    found = Math.max(found, index - first + 1);
  }
  return found;
}

async function linkedAt(api: Api): Promise<number> {
  const { body } = await api.get('/policy/sends?clientId=acme&limit=1');
  return Date.parse(String(body.linkedAt));
}

const chance = new Chance();

describe('planned sends, to a real daemon on the sandbox', () => {
  let world: World;
  let folder: TempDir;
  let others: Daemon[];

  beforeEach(async () => {
    others = [];
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICIES);
    const port = await freePort();
    const node = { port, nodeUrl: `http://127.0.0.1:${port}`, nodeName: 'node-0' };
    const settings = { policy, allowPrivateUrls: true, ...(MONGODB_URL && node) };
    world = await startWorld({ settings, clock: standingClock() });
  });
  afterEach(async () => {
    await Promise.all(others.map((node) => node.stop()));
    await world.stop();
    await folder.remove();
  });

  it(`leave over several days as planned, on one node (seed ${chance.seed})`, async () => {
    const sends = planned(chance, world.sandbox.clock.now(), SENDS);
    await introduce(world, sends);
    const since = await linkedAt(world.api);
    await compare(world, sends, await really(world, sends, () => world.api), since);
  }).timeout(PATIENCE_MS);

  if (MONGODB_URL)
    it(`leave over several days as planned, while the session moves between three nodes (seed ${chance.seed})`, async () => {
      const sends = planned(chance, world.sandbox.clock.now(), SENDS_ON_NODES);
      await introduce(world, sends);
      const since = await linkedAt(world.api);
      const { encryptionKey, place } = world;
      const store = await openStore({ url: place.setting, dataDir: folder.path, encryptionKey });
      const { cluster } = store;
      if (!cluster) throw new Error('the store has nothing for nodes');
      for (const index of [1, 2]) others.push(await anotherNode(world, folder, index));
      const apis = [world.api, ...others.map(({ url }) => new Api(url, TOKEN))];
      const holder = async () => (await cluster.leases.holder('acme'))?.nodeId;
      const move = async () => {
        const from = await holder();
        if (from === undefined) throw new Error('a node has the session');
        await cluster.nodes.drain(from, true);
        await until(
          'another node to have the session',
          async () => ![undefined, from].includes(await holder()),
        );
        await cluster.nodes.drain(from, false);
      };
      let moving = Promise.resolve();
      let moves = 0;
      const outcome = await really(world, sends, async (count) => {
        if (count >= (moves + 1) * MOVES_AFTER) {
          await moving;
          moves += 1;
          moving = move();
        }
        return apis[count % apis.length] ?? world.api;
      });
      await moving;
      await compare(world, sends, outcome, since);
      expect(moves).to.equal(Math.floor((SENDS_ON_NODES - 1) / MOVES_AFTER));
      await store.close();
    }).timeout(PATIENCE_MS);
});

/** A further node on the store and the network of the world, whose clock it shares. */
async function anotherNode(world: World, folder: TempDir, index: number): Promise<Daemon> {
  const port = await freePort();
  const dataDir = join(folder.path, `node-${index}`);
  const own = { port, nodeUrl: `http://127.0.0.1:${port}`, nodeName: `node-${index}`, dataDir };
  const config = await loadConfig({
    flags: { ...world.settings(), ...own },
    env: {},
    defaultDataDir: dataDir,
  });
  const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
  return createDaemon(config, { log, backoff: QUICK_BACKOFF, clock: world.sandbox.clock });
}
