import { expect } from 'chai';
import { type PlannedSend, planSends } from '../../src/domain/policy/plan.js';
import { GENTLE, type Policy, policyOf } from '../../src/domain/policy/policy.js';
import { allowedAt, type IntendedSend, judge, type NumberState } from '../../src/domain/policy/rules.js';
import { SendCounts } from '../../src/domain/policy/send-counts.js';
import { Chance } from '../support/chance.js';

const NOW = Date.parse('2026-01-05T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const SILENT = 30_000;
const BOB = '2@lid';

const policy = (rules: Partial<Policy>): Policy => ({ name: 'p', mode: 'enforce', ...rules });
const intended = (fields: Partial<IntendedSend> = {}): IntendedSend => ({
  at: NOW,
  to: BOB,
  addresses: [BOB, '15550000002@s.whatsapp.net'],
  standing: 'new',
  ...fields,
});
const state = (fields: Partial<NumberState> = {}): NumberState => ({
  since: NOW,
  counts: new SendCounts(),
  restrictions: [],
  ...fields,
});
/** Sends so many milliseconds ago, each to another person. */
const ago = (...times: number[]) =>
  new SendCounts(times.map((time, index) => ({ at: NOW - time, to: `${100 + index}@lid`, isNewChat: true })));

describe('a rule of a policy', () => {
  const cases: [
    rule: string,
    Partial<Policy>,
    Partial<IntendedSend>,
    Partial<NumberState>,
    allowed?: number,
  ][] = [
    [
      'newChatsPerDay',
      { newChatsPerDay: [{ linkedDays: 0, limit: 2 }] },
      {},
      { counts: ago(3 * HOUR, HOUR) },
      21 * HOUR,
    ],
    [
      'newChatGap',
      { newChatGap: { minMs: HOUR, maxMs: HOUR } },
      {},
      { counts: ago(20 * MINUTE) },
      40 * MINUTE,
    ],
    [
      'samePersonGap',
      { samePersonGap: { minMs: MINUTE, maxMs: MINUTE } },
      { standing: 'running' },
      { counts: new SendCounts([{ at: NOW - 10_000, to: BOB, isNewChat: false }]) },
      50_000,
    ],
    ['messagesPerHour', { messagesPerHour: 1 }, { standing: 'running' }, { counts: ago(HOUR / 2) }, HOUR / 2],
    ['messagesPerDay', { messagesPerDay: 1 }, { standing: 'running' }, { counts: ago(HOUR) }, 23 * HOUR],
    [
      'quietHours',
      {
        quietHours: { fromMinute: 12 * 60, toMinute: 14 * 60, timeZone: 'Europe/Berlin', holds: 'new chats' },
      },
      {},
      {},
      HOUR,
    ],
    ['deny', { deny: ['15550000002@s.whatsapp.net'] }, { standing: 'running' }, {}],
    ['allow', { allow: ['3@lid'] }, { standing: 'running' }, {}],
    ['onlyWhoWrote', { onlyWhoWrote: true }, { standing: 'unanswered' }, {}],
    ['largestGroup', { largestGroup: 50 }, { standing: 'running', groupSize: 51 }, {}],
    [
      'sameText',
      { sameText: { people: 1, withinMs: HOUR } },
      { standing: 'running', text: 'hello' },
      { counts: new SendCounts([{ at: NOW - MINUTE, to: '3@lid', isNewChat: false, text: 'hello' }]) },
      59 * MINUTE,
    ],
    [
      'reachoutLock',
      {},
      { standing: 'unanswered' },
      { restrictions: [{ kind: 'reachout-lock', until: NOW + DAY }] },
      DAY,
    ],
    ['newChatLimit', {}, {}, { restrictions: [{ kind: 'new-chat-limit', until: NOW + DAY }] }, DAY],
    [
      'lookUpFirst',
      { lookUpFirst: { perHour: 1 } },
      { isLookedUp: true },
      { lookUps: [NOW - HOUR / 2] },
      HOUR / 2,
    ],
    [
      'stopAtWarning',
      { stopAtWarning: true },
      { standing: 'unanswered' },
      { warning: { until: NOW + DAY } },
      DAY,
    ],
    ['networkSilent', {}, { standing: 'unanswered' }, { isSilent: true }, SILENT],
  ];

  for (const [rule, rules, send, number, allowed] of cases)
    it(`${rule} refuses a send, ${allowed === undefined ? 'whenever it comes' : 'and says when it is allowed'}`, () => {
      const refusals = judge(policy(rules), intended(send), state(number));
      expect(refusals.map((refusal) => refusal.rule)).to.deep.equal([rule]);
      const at = allowedAt(refusals);
      expect(at).to.equal(allowed === undefined ? undefined : NOW + allowed);
      // when it is allowed the same rule lets it pass, and not a millisecond earlier
      const judgedAt = (time: number) => {
        const isSilent = number.isSilent === true && time < NOW + SILENT;
        const { warning, ...unwarned } = state(number);
        const ended = {
          ...unwarned,
          lookUps: number.lookUps?.filter((one) => one > time - HOUR) ?? [],
          isSilent,
          ...(warning && time < NOW + DAY && { warning }),
          restrictions: time < NOW + DAY ? (number.restrictions ?? []) : [],
        };
        return judge(policy(rules), intended({ ...send, at: time }), ended);
      };
      if (at === undefined) return;
      expect(judgedAt(at)).to.deep.equal([]);
      expect(judgedAt(at - 1)).to.have.length(1);
    });

  it('never holds back a running conversation when it limits new chats', () => {
    const cold = policy({
      newChatsPerDay: [{ linkedDays: 0, limit: 0 }],
      newChatGap: { minMs: DAY, maxMs: DAY },
      onlyWhoWrote: true,
      stopAtWarning: true,
      quietHours: { fromMinute: 0, toMinute: 24 * 60 - 1, timeZone: 'UTC', holds: 'new chats' },
    });
    const restrictions = [{ kind: 'reachout-lock' }, { kind: 'new-chat-limit' }] as const;
    const number = state({ counts: ago(1), restrictions, isSilent: true });
    expect(judge(cold, intended({ standing: 'running' }), number)).to.deep.equal([]);
    expect(judge(cold, intended(), number).map(({ rule }) => rule)).to.have.length(8);
  });

  it('ends quiet hours at the right time of day when the clocks change on the way', () => {
    const quietHours = {
      fromMinute: 22 * 60,
      toMinute: 8 * 60,
      timeZone: 'Europe/Berlin',
      holds: 'all messages',
    } as const;
    const at = Date.parse('2026-03-28T23:00:00+01:00');
    const refusals = judge(policy({ quietHours }), intended({ at, standing: 'running' }), state());
    expect(allowedAt(refusals)).to.equal(Date.parse('2026-03-29T08:00:00+02:00'));
  });

  it('ends quiet hours when the clocks skip the time at which they end', () => {
    const quietHours = {
      fromMinute: 22 * 60,
      toMinute: 2 * 60 + 30,
      timeZone: 'Europe/Berlin',
      holds: 'all messages',
    } as const;
    const at = Date.parse('2026-03-29T00:00:00+01:00');
    const refusals = judge(policy({ quietHours }), intended({ at, standing: 'running' }), state());
    expect(allowedAt(refusals)).to.equal(Date.parse('2026-03-29T03:00:00+02:00'));
  });

  it('names a time at which no other rule refuses the send either', () => {
    const quietHours = { fromMinute: 740, toMinute: 840, timeZone: 'UTC', holds: 'all messages' } as const;
    const until = (rules: Partial<Policy>, number: Partial<NumberState>) => {
      const at = allowedAt(judge(policy({ quietHours, ...rules }), intended(), state(number)));
      return at === undefined ? undefined : at - NOW;
    };
    // the hour's budget is free again at half past twelve, within quiet hours from 12:20 to 14:00
    expect(until({ messagesPerHour: 1 }, { counts: ago(30 * MINUTE) })).to.equal(2 * HOUR);
    expect(until({ messagesPerHour: 1 }, { counts: ago(50 * MINUTE) })).to.equal(10 * MINUTE);
    const lock = { kind: 'reachout-lock', until: NOW + 30 * MINUTE } as const;
    expect(until({}, { restrictions: [lock] })).to.equal(2 * HOUR);
    // of a lock without an end the first hour is known alone
    expect(until({}, { restrictions: [{ kind: 'reachout-lock' }] })).to.equal(2 * HOUR);
    expect(until({ stopAtWarning: true }, { warning: { until: NOW + 3 * HOUR } })).to.equal(3 * HOUR);
    expect(until({ onlyWhoWrote: true }, {})).to.equal(undefined);
  });

  const chance = new Chance();
  it(`names a time at which the send is allowed, whatever refuses it now (seed ${chance.seed})`, () => {
    for (let round = 0; round < 300; round += 1) {
      const gap = chance.between(0, 90) * MINUTE;
      const rules = policy({
        messagesPerHour: chance.between(1, 3),
        messagesPerDay: chance.between(2, 6),
        newChatsPerDay: [{ linkedDays: 0, limit: chance.between(1, 3) }],
        newChatGap: { minMs: gap, maxMs: gap + HOUR },
        quietHours: {
          ...{ fromMinute: chance.between(0, 1_439), toMinute: chance.between(0, 1_439) },
          ...{ timeZone: 'Europe/Berlin', holds: chance.between(0, 1) ? 'new chats' : 'all messages' },
        },
      });
      const counts = ago(...Array.from({ length: 8 }, () => chance.between(0, 1_439) * MINUTE));
      const at = allowedAt(judge(rules, intended(), state({ counts })));
      if (at !== undefined) expect(judge(rules, intended({ at }), state({ counts }))).to.deep.equal([]);
    }
  });

  it('counts each recipient of the same text once, as long as one of their messages counts', () => {
    const counts = new SendCounts();
    const sent = (to: string, minute: number) => {
      const send = { at: NOW + minute * MINUTE, to, isNewChat: false, text: 'hello' };
      counts.add(send);
      return send;
    };
    const tell = (since: number) => {
      const { count, lastBut } = counts.othersWith('hello', BOB, NOW + since * MINUTE);
      const times = Array.from({ length: count }, (_, index) => lastBut(index + 1) ?? 0);
      return times.map((at) => (at - NOW) / MINUTE);
    };
    sent('3@lid', 1);
    sent('4@lid', 2);
    sent(BOB, 3);
    const again = sent('3@lid', 4);
    expect(tell(0)).to.deep.equal([4, 2]);
    expect(tell(2)).to.deep.equal([4]);
    counts.remove(again);
    expect(tell(0)).to.deep.equal([2, 1]);
    expect(counts.lastTo('3@lid')).to.equal(NOW + MINUTE);
  });

  it('lets an older session begin more chats', () => {
    const counts = ago(...Array.from({ length: 5 }, (_, index) => HOUR + index * 10 * MINUTE));
    const rules = (days: number) =>
      judge(GENTLE, intended(), state({ counts, since: NOW - days * DAY })).map(({ rule }) => rule);
    expect([0, 2.9, 3, 30].map(rules)).to.deep.equal([['newChatsPerDay'], ['newChatsPerDay'], [], []]);
  });
});

describe('the policy of a session', () => {
  it('is its own, that of its workspace, or the default, and is absent when it is off', () => {
    const policies = new Map([
      ['a', policy({ name: 'a' })],
      ['b', policy({ name: 'b' })],
      ['c', policy({ name: 'c' })],
      ['d', policy({ name: 'd', mode: 'off' })],
    ]);
    const table = {
      policies,
      sessions: new Map([
        ['acme', 'a'],
        ['still', 'd'],
      ]),
      orgs: new Map([['w1', 'b']]),
      default: 'c',
    };
    const named = (clientId: string, orgId: string) => policyOf(table, { clientId, orgId })?.name;
    expect(named('acme', 'w1')).to.equal('a');
    expect(named('other', 'w1')).to.equal('b');
    expect(named('other', '')).to.equal('c');
    expect(named('still', 'w1')).to.equal(undefined);
  });
});

describe('a plan of sends', () => {
  const chance = new Chance();

  it(`exceeds no limit in any window, and says when each of 10,000 sends leaves (seed ${chance.seed})`, () => {
    const rules = policy({
      newChatsPerDay: [
        { linkedDays: 0, limit: 20 },
        { linkedDays: 7, limit: 200 },
      ],
      newChatGap: { minMs: 5_000, maxMs: 60_000 },
      messagesPerHour: 120,
      messagesPerDay: 1_200,
    });
    const sends: PlannedSend[] = Array.from({ length: 10_000 }, (_, index) => ({
      at: NOW + chance.between(0, 10 * DAY),
      to: `${chance.between(1, 2_000)}@lid`,
      ...(index % 3 > 0 && { standing: 'running' as const }),
    }));
    const outcomes = planSends(rules, sends, { since: NOW });
    expect(outcomes.every(({ leavesAt, send }) => leavesAt !== undefined && leavesAt >= send.at)).to.equal(
      true,
    );
    const left = outcomes.flatMap(({ leavesAt = 0, isNewChat }) => ({ leavesAt, isNewChat }));
    const times = left.map(({ leavesAt }) => leavesAt).sort((one, other) => one - other);
    const begun = left.flatMap(({ leavesAt, isNewChat }) => (isNewChat ? [leavesAt] : []));
    begun.sort((one, other) => one - other);
    expect(most(times, HOUR)).to.equal(120);
    expect(most(times, DAY)).to.be.at.most(1_200);
    expect(
      most(
        begun.filter((at) => at < NOW + 7 * DAY),
        DAY,
      ),
    ).to.equal(20);
    expect(most(begun, DAY)).to.be.at.most(200);
    const gaps = begun.slice(1).map((at, index) => at - (begun[index] ?? 0));
    expect(Math.min(...gaps)).to.be.at.least(5_000);

    // reality: a caller repeats each refused send at the time that it was told
    const number = state({ counts: new SendCounts() });
    const due = outcomes.flatMap(({ leavesAt = 0, send }, order) => ({ ...send, at: leavesAt, order }));
    due.sort((one, other) => one.at - other.at || one.order - other.order);
    const written = new Set<string>();
    for (const { at, to, standing = written.has(to) ? 'unanswered' : 'new' } of due) {
      expect(judge(rules, intended({ at, to, addresses: [to], standing }), number)).to.deep.equal([]);
      number.counts.add({ at, to, isNewChat: standing === 'new' });
      written.add(to);
    }
  });

  it('delays strangers in their order, and the next messages to them no longer than the first', () => {
    const rules = policy({ newChatGap: { minMs: MINUTE, maxMs: MINUTE } });
    const sends: PlannedSend[] = [
      { at: NOW + 3, to: '1@lid' },
      { at: NOW, to: '2@lid' },
      { at: NOW + 1, to: '3@lid' },
      { at: NOW + 2, to: '3@lid', standing: 'unanswered' },
      { at: NOW + 2, to: '4@lid', standing: 'unanswered' },
    ];
    const outcomes = planSends(rules, sends, { since: NOW });
    const minutes = outcomes.map(({ leavesAt = 0 }) => Math.round((leavesAt - NOW) / MINUTE));
    expect(minutes).to.deep.equal([1, 0, 2, 2, 0]);
    expect(outcomes.filter(({ isNewChat }) => isNewChat)).to.have.length(3);
  });

  it('judges each stranger a few times only, however many wait', () => {
    const rules = policy({ newChatGap: { minMs: MINUTE, maxMs: MINUTE } });
    let looks = 0;
    const sends: PlannedSend[] = Array.from({ length: 2_000 }, (_, index) => ({
      at: NOW,
      get to() {
        looks += 1;
        return `${index}@lid`;
      },
    }));
    const outcomes = planSends(rules, sends, { since: NOW });
    expect(outcomes.at(-1)?.leavesAt).to.equal(NOW + 1_999 * MINUTE);
    expect(looks).to.be.below(40_000);
  });

  it('names a send that never leaves', () => {
    const [outcome] = planSends(policy({ deny: [BOB] }), [{ at: NOW, to: BOB }], { since: NOW });
    expect(outcome?.leavesAt).to.equal(undefined);
    expect(outcome?.refusals.map(({ rule }) => rule)).to.deep.equal(['deny']);
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
