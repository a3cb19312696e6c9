import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { DAY_MS, systemClock } from '../../src/domain/clock.js';
import { RULE_NAMES, type RuleName } from '../../src/domain/policy/rules.js';
import { eventOf, extraEventOf } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { type ApiAnswer, linkSession, startWorld, type World } from '../support/world.js';

const BOB = '+15550000002';
const CAROL = '+15550000003';
const DAVE = '+15550000004';
/** Has written to each number. */
const ERIN = '+15550000005';
const PEOPLE = [BOB, CAROL, DAVE, ERIN];

/** Milliseconds that each restriction lasts: they end one after the other. */
const FAULT_MS = { 'new-chat-warning': DAY_MS, 'new-chat-cap': 2 * DAY_MS, 'reachout-lock': 3 * DAY_MS };

/** What a rule refuses, in a session of its name. */
interface Case {
  rule: RuleName;
  /** As in a policy file. */
  policy: string;
  /** People who are written to before, and whether that succeeds. */
  before?: readonly string[];
  /** What the network does to the number before. */
  fault?: keyof typeof FAULT_MS;
  /** A number, or `group`. */
  refused: string;
  /** The same text each time. */
  text?: string;
  /** To whom messages leave all the same. */
  passes: readonly string[];
}

const CASES: readonly Case[] = [
  { rule: 'deny', policy: `{ deny: ["${BOB}"] }`, refused: BOB, passes: [CAROL, ERIN] },
  { rule: 'allow', policy: `{ allow: ["${BOB}"] }`, refused: CAROL, passes: [BOB] },
  { rule: 'onlyWhoWrote', policy: '{ onlyWhoWrote: true }', refused: BOB, passes: [ERIN] },
  { rule: 'largestGroup', policy: '{ largestGroup: 2 }', refused: 'group', passes: [BOB] },
  {
    rule: 'newChatsPerDay',
    policy: '{ newChatsPerDay: 1 }',
    before: [BOB],
    refused: CAROL,
    passes: [BOB, ERIN],
  },
  { rule: 'newChatGap', policy: '{ newChatGap: 1h }', before: [BOB], refused: CAROL, passes: [BOB, ERIN] },
  {
    rule: 'samePersonGap',
    policy: '{ samePersonGap: 1h }',
    before: [BOB],
    refused: BOB,
    passes: [CAROL, ERIN],
  },
  { rule: 'messagesPerHour', policy: '{ messagesPerHour: 1 }', before: [BOB], refused: ERIN, passes: [] },
  { rule: 'messagesPerDay', policy: '{ messagesPerDay: 1 }', before: [BOB], refused: ERIN, passes: [] },
  {
    rule: 'quietHours',
    policy: '{ quietHours: { from: "06:00", to: "22:00", timeZone: UTC } }',
    refused: BOB,
    passes: [ERIN],
  },
  {
    rule: 'sameText',
    policy: '{ sameText: { people: 1, within: 1h } }',
    before: [BOB],
    refused: ERIN,
    text: 'the same to all',
    passes: [BOB],
  },
  {
    rule: 'lookUpFirst',
    policy: '{ lookUpFirst: { perHour: 1 } }',
    before: [BOB],
    refused: CAROL,
    passes: [BOB, ERIN],
  },
  { rule: 'reachoutLock', policy: '{}', before: [BOB], fault: 'reachout-lock', refused: BOB, passes: [ERIN] },
  {
    rule: 'newChatLimit',
    policy: '{}',
    before: [BOB],
    fault: 'new-chat-cap',
    refused: CAROL,
    passes: [BOB, ERIN],
  },
  {
    rule: 'stopAtWarning',
    policy: '{ stopAtWarning: true }',
    before: [BOB],
    fault: 'new-chat-warning',
    refused: BOB,
    passes: [ERIN],
  },
];
/** `test/gateway/services/policies/send-policies.test.ts` lets the network be silent. */
const ELSEWHERE: readonly RuleName[] = ['networkSilent'];
/** Its refusals depend on the text, which a question about a recipient does not name. */
const NOT_EXPLAINED: readonly RuleName[] = ['sameText'];

describe('each rule of an enforced policy', () => {
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    const policies = CASES.map((one) => `  ${one.rule}: ${one.policy}\n`).join('');
    const sessions = CASES.map(({ rule }) => `${rule}: ${rule}`).join(', ');
    await writeFile(policy, `mode: enforce\npolicies:\n${policies}sessions: { ${sessions} }\n`);
    // the daemon has the network's clock
    world = await startWorld({ settings: { policy }, clock: systemClock });
    const noon = DAY_MS / 2;
    await world.sandbox.clock.advance(DAY_MS + noon - (world.sandbox.clock.now() % DAY_MS));
    for (const number of PEOPLE) await world.phones.addPhone({ number, name: number });
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (clientId: string, to: string, body: string): Promise<ApiAnswer> =>
    world.api.post('/send-message', { clientId, to, body });
  const explained = async (clientId: string, to: string) => {
    const { body } = await world.api.get(`/policy?clientId=${clientId}&to=${encodeURIComponent(to)}`);
    const { chat } = body;
    return chat;
  };

  it('is tested by a case', () => {
    const rules = [...CASES.map(({ rule }) => rule), ...ELSEWHERE];
    expect([...rules].sort()).to.deep.equal([...RULE_NAMES].sort());
  });

  for (const [index, one] of CASES.entries())
    it(`refuses, explains and reports what the rule ${one.rule} forbids, and allows everything else`, async () => {
      const { rule, before: first = [], fault, text, passes } = one;
      const number = `+155500010${String(index).padStart(2, '0')}`;
      await linkSession(world, rule, { number, name: rule }, { extraEvents: ['account_status'] });
      const { messageId } = await world.phones.write(ERIN, { to: number, text: 'hi' });
      await eventOf(world.receiver, messageId);
      const participants = [number, CAROL];
      const group =
        one.refused === 'group'
          ? await world.phones.groups.create(BOB, { subject: 'Team', participants })
          : undefined;
      const to = group?.jid ?? one.refused;
      let count = 0;
      const bodyOf = () => {
        count += 1;
        return text ?? `message ${count}`;
      };
      for (const person of first) expect((await send(rule, person, bodyOf())).status).to.equal(200);
      if (fault) {
        await world.phones.fault({ kind: fault, number, ms: FAULT_MS[fault] });
        await extraEventOf(world.receiver, 'account_status', ({ clientId }) => clientId === rule);
      }
      const answer = await send(rule, to, bodyOf());
      expect({ status: answer.status, code: answer.headers.get('x-sn-error') }).to.deep.equal({
        status: 429,
        code: 'policy_refused',
      });
      expect(answer.body.policy).to.include({ rule });
      if (!NOT_EXPLAINED.includes(rule)) {
        const chat = await explained(rule, to);
        expect(chat).to.deep.include({ allowed: false });
        expect(chat).to.have.nested.property('refusals[0].rule', rule);
      }
      for (const person of passes) {
        if (text === undefined && rule !== 'lookUpFirst')
          expect(await explained(rule, person)).to.include({ allowed: true });
        const passed = await send(rule, person, bodyOf());
        expect(passed.status, `${person}: ${JSON.stringify(passed.body)}`).to.equal(200);
      }
      const { body } = await world.api.get(`/fleet?clientId=${rule}`);
      const [session] = Array.isArray(body.sessions) ? body.sessions : [];
      expect(session.policy).to.deep.equal({ name: rule, mode: 'enforce', refused: [{ rule, count: 1 }] });
    });

  for (const [rule, what] of [
    ['stopAtWarning', 'the warning'],
    ['newChatLimit', 'the period of the limit'],
  ] as const)
    it(`names the end of ${what} under the rule ${rule}, and allows first messages from then on`, async () => {
      const { body: told } = await world.api.get(`/restrictions?clientId=${rule}`);
      const refused = await send(rule, DAVE, 'too soon');
      const { newChats } = told;
      const resetsAt =
        typeof newChats === 'object' && newChats && 'resetsAt' in newChats ? String(newChats.resetsAt) : '';
      expect(refused.body.policy).to.include({ rule, allowedAt: resetsAt });
      const left = Date.parse(resetsAt) - world.sandbox.clock.now();
      expect(Number(refused.headers.get('retry-after'))).to.be.closeTo(left / 1_000, 60);
      if (left > 0) await world.sandbox.clock.advance(left);
      expect((await send(rule, DAVE, 'in time')).status).to.equal(200);
    });
});
