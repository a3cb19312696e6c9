import { expect } from 'chai';
import { DAY_MS } from '../../../../src/domain/clock.js';
import { isGatewayError } from '../../../../src/domain/errors.js';
import { type PlannedSend, planSends } from '../../../../src/domain/policy/plan.js';
import type { Policy } from '../../../../src/domain/policy/policy.js';
import { SendPolicies } from '../../../../src/gateway/services/policies/send-policies.js';
import { trace } from '../../../contracts/store/harness.js';
import { Chance } from '../../../support/chance.js';
import { playedLink } from '../../../support/rig/link.js';
import { type PlayedSessions, Rig } from '../../../support/rig/rig.js';

const HOUR_MS = DAY_MS / 24;
const POLICY: Policy = {
  name: 'p',
  mode: 'enforce',
  newChatsPerDay: [
    { linkedDays: 0, limit: 20 },
    { linkedDays: 4, limit: 60 },
  ],
  newChatGap: { minMs: 5_000, maxMs: 60_000 },
  samePersonGap: { minMs: 20_000, maxMs: 20_000 },
  messagesPerHour: 60,
  messagesPerDay: 1_050,
  quietHours: { fromMinute: 22 * 60, toMinute: 6 * 60, timeZone: 'Europe/Berlin', holds: 'new chats' },
};
const DAYS = 10;
const SENDS = 10_000;
const NODES = 3;
/** Sends after which the session moves to the next node. */
const MOVES_AFTER = 700;
const PERSON = (number: number) => `${90_000_000_000_000 + number}@lid`;

/** When each send left, and whether it began a chat; by its place in the plan. */
type Left = readonly { leavesAt: number | undefined; isNewChat: boolean }[];

describe('sends that are planned over several days', () => {
  const chance = new Chance();
  let rig: Rig;
  let played: PlayedSessions;

  beforeEach(async () => {
    rig = await Rig.start();
    played = rig.sessions(playedLink());
    await played.connect();
  });
  afterEach(() => rig.close());

  /** Some people have written; some are written to for the first time, a few of them again. */
  const planned = (from: number): PlannedSend[] =>
    Array.from({ length: SENDS }, (_, index) => ({
      at: from + chance.between(0, DAYS * DAY_MS),
      ...(index % 20 === 0
        ? { to: PERSON(chance.between(1, 400)) }
        : { to: PERSON(chance.between(1_001, 1_200)), standing: 'running' as const }),
    }));

  const nodeOver = ({ store, clock, log }: Rig): SendPolicies =>
    new SendPolicies({
      hashKey: new Uint8Array(32),
      policies: { policies: new Map([['p', POLICY]]), sessions: new Map(), orgs: new Map(), default: 'p' },
      ...{ sessions: played.sessions, store, clock, log },
      contacts: {
        find: async () => undefined,
        resolve: () => Promise.reject(new Error('not played')),
        lookUp: async () => undefined,
      },
      groups: { find: () => Promise.reject(new Error('not played')), known: () => undefined },
      restrictions: {
        active: () => [],
        warning: () => undefined,
        ask: () => undefined,
        askAnew: () => undefined,
        declines: () => false,
        state: () => 'answered',
      },
      observer: { policyRefused: () => undefined },
    });

  /** A caller repeats each refused send when its answer says. */
  async function really(sends: readonly PlannedSend[], nodes: readonly SendPolicies[]): Promise<Left> {
    const { store, clock } = rig;
    const session = played.sessions.find('acme');
    for (let number = 1_001; number <= 1_200; number += 1)
      await store.traces.add('acme', trace(`IN${number}`, { chat: PERSON(number), fromMe: false }));
    const left: { leavesAt: number | undefined; isNewChat: boolean }[] = [];
    const due = sends.map(({ at }, order) => ({ at, order }));
    due.sort((one, other) => other.at - one.at || other.order - one.order);
    let count = 0;
    for (let next = due.pop(); next; next = due.pop()) {
      const { at, order } = next;
      const to = sends[order]?.to ?? '';
      clock.advance(at - clock.now());
      const policies = nodes[Math.floor(count / MOVES_AFTER) % nodes.length];
      if (count % MOVES_AFTER === 0) for (const node of nodes) if (node !== policies) node.forget('acme');
      try {
        const admission = await policies?.admit(session, { to, text: '', isChange: false });
        const { counted, sentAt } = (await admission?.judgeFirstCopy()) ?? { counted: 'nothing', sentAt: at };
        await store.sends.put('acme', {
          ...{ messageId: `M${order}`, to, content: Uint8Array.of(1), metaData: '', fileName: '' },
          ...{ counted, sentAt, acknowledged: true, closed: true },
        });
        await admission?.judgeRecorded();
        left[order] = { leavesAt: sentAt, isNewChat: counted === 'new chat' };
        if (counted === 'new chat')
          await store.traces.add('acme', trace(`M${order}`, { chat: to, fromMe: true, sentAt }));
        admission?.end();
        count += 1;
      } catch (error) {
        if (!isGatewayError(error, 'policy_refused')) throw error;
        const again = Math.max(Date.parse(error.policy?.allowedAt ?? ''), at + 1);
        const later = due.findLastIndex((one) => one.at > again || (one.at === again && one.order > order));
        due.splice(later + 1, 0, { at: again, order });
      }
    }
    return left;
  }

  for (const [where, count] of [
    ['on one node', 1],
    [`while the session moves between ${NODES} nodes`, NODES],
  ] as const)
    it(`leave as planned, and exceed no limit in any window, ${where} (seed ${chance.seed})`, async function () {
      this.timeout(120_000);
      const since = played.sessions.find('acme').record.createdAt;
      const sends = planned(rig.clock.now());
      const left = await really(
        sends,
        Array.from({ length: count }, () => nodeOver(rig)),
      );
      const plan = planSends(POLICY, sends, { since });
      expect(left).to.deep.equal(plan.map(({ leavesAt, isNewChat }) => ({ leavesAt, isNewChat })));
      const times = (isCounted: (isNewChat: boolean) => boolean) =>
        left
          .flatMap(({ leavesAt, isNewChat }) => (leavesAt && isCounted(isNewChat) ? leavesAt : []))
          .sort((one, other) => one - other);
      const all = times(() => true);
      const begun = times((isNewChat) => isNewChat);
      expect(all).to.have.length(SENDS);
      // the limits are reached, or nearly, wherever chance puts the sends
      expect(most(all, HOUR_MS)).to.be.within(50, 60);
      expect(most(all, DAY_MS)).to.be.at.most(1_050);
      expect(most(begun, DAY_MS)).to.be.at.most(60);
      const young = begun.filter((at) => at < since + 4 * DAY_MS);
      expect(most(young, DAY_MS)).to.be.within(15, 20);
    });
});

/** The largest number of times within a window. */
function most(times: readonly number[], windowMs: number): number {
  let first = 0;
  let found = 0;
  for (const [index, at] of times.entries()) {
    while ((times[first] ?? 0) <= at - windowMs) first += 1;
    found = Math.max(found, index - first + 1);
  }
  return found;
}
