import { expect } from 'chai';
import { planSends } from '../../../../src/domain/policy/plan.js';
import { readPolicies } from '../../../../src/gateway/config/policy-file.js';
import { runExample } from '../../../../src/local/policy/examples.js';
import { allPastSends, readPlannedSends, summaryOf } from '../../../../src/terminal/cli/policy/planned.js';

const POLICY = `
policies:
  two:
    newChatsPerDay: 2
    messagesPerHour: 3
    deny: ["+15550000009"]
  asking: { lookUpFirst: { perHour: 2 } }
`;

describe('the examples of a policy', () => {
  const wrongOf = async (sends: string, more = '', name = 'two') => {
    const file = await readPolicies(
      `${POLICY}examples:\n  - { name: x, policy: ${name}, ${more} sends: [${sends}] }\n`,
      'policy.yaml',
    );
    const [example] = file.examples;
    const policy = file.policies.get(name);
    return example && policy ? runExample(policy, example) : ['no example'];
  };

  it('pass when each send has the outcome that they name', async () => {
    const sends = '{ to: a }, { to: a }, { to: b }, { to: c, rule: newChatsPerDay }, { to: c, after: 24h }';
    expect(await wrongOf(sends)).to.deep.equal([]);
    expect(await wrongOf('{ to: a, standing: running, times: 3 }, { to: a, expect: refused }')).to.deep.equal(
      [],
    );
  });

  it('count the look-ups of first messages, unless they say that the recipient is known', async () => {
    const sends =
      '{ to: a }, { to: a }, { to: b }, { to: c, rule: lookUpFirst }, { to: d, onWhatsApp: known }, { to: c, after: 1h }';
    expect(await wrongOf(sends, '', 'asking')).to.deep.equal([]);
    expect(await wrongOf('{ to: a }, { to: b }, { to: c }', '', 'asking')).to.deep.equal([
      'send 3, to c: refused by lookUpFirst (look-ups of recipients in an hour: 2 of 2), and not sent',
    ]);
  });

  it('recognise a number on the deny list in any format', async () => {
    const sends =
      '{ to: "+15550000009", rule: deny }, { to: 15550000009@s.whatsapp.net, rule: deny }, { to: a }';
    expect(await wrongOf(sends)).to.deep.equal([]);
  });

  it('report each send with a different outcome, and the rule that caused it', async () => {
    expect(await wrongOf('{ to: a, times: 4 }')).to.deep.equal([
      'send 4, to a: refused by messagesPerHour (messages in an hour: 3 of 3), and not sent',
    ]);
    expect(await wrongOf('{ to: a, rule: deny }')).to.deep.equal([
      'send 1, to a: sent, and not refused by deny',
    ]);
    expect(await wrongOf('{ to: a }, { to: b }, { to: c, rule: messagesPerHour }')).to.deep.equal([
      'send 3, to c: refused by newChatsPerDay (new chats in 24 hours: 2 of 2), and not refused by messagesPerHour',
    ]);
  });
});

describe('planned sends', () => {
  it('are read from all sends of a session, page by page', async () => {
    const at = (second: number) => `2026-11-22T10:00:0${second}.000Z`;
    const asked: (string | undefined)[] = [];
    const about = { clientId: 'acme', createdAt: at(0), linkedAt: at(0) };
    const getPastSends = async ({ after }: { after?: string | undefined }) => {
      asked.push(after);
      const second = asked.length;
      const sends = [{ at: at(second), to: '2@lid', standing: 'running' as const }];
      return { ...about, sends, ...(second < 3 && { next: at(second) }) };
    };
    const { sends, ...rest } = await allPastSends({ getPastSends }, { clientId: 'acme', days: 14 });
    expect(sends.map((send) => send.at)).to.deep.equal([at(1), at(2), at(3)]);
    expect(rest.linkedAt).to.equal(at(0));
    expect(asked).to.deep.equal([undefined, at(1), at(2)]);
  });

  it('are read from lines of time and recipient, and summarised', async () => {
    const text = [
      'time,to,standing',
      '2026-11-22T10:00:00Z,+15550000002',
      '2026-11-22T10:00:00Z,+15550000003',
      '',
      '2026-11-22T10:30:00Z,+15550000004',
      '2026-11-22T10:40:00Z,90000000000005,running',
    ].join('\n');
    const sends = readPlannedSends(text, 'plan.csv');
    expect(sends.map(({ to }) => to)).to.deep.equal([
      '15550000002@s.whatsapp.net',
      '15550000003@s.whatsapp.net',
      '15550000004@s.whatsapp.net',
      '90000000000005@lid',
    ]);
    const policy = (await readPolicies(POLICY, 'policy.yaml')).policies.get('two');
    expect(policy && summaryOf(planSends(policy, sends, { since: 0 }))).to.deep.equal({
      sends: 4,
      atOnce: 3,
      delayed: 1,
      refused: 0,
      newChats: 3,
      lookUps: 0,
      longestDelay: 23.5 * 3_600,
      lastLeavesAt: '2026-11-23T10:00:00.000Z',
      rules: [{ rule: 'newChatsPerDay', count: 1 }],
    });
  });

  it('count the look-ups before first messages against their limit', async () => {
    const minute = (number: number) => `2026-11-22T10:0${number}:00Z`;
    const lines = [1, 2, 3, 4].map((number) => `${minute(number)},+1555000000${number}`);
    const sends = readPlannedSends([...lines, `${minute(5)},+15550000001`].join('\n'), 'plan.csv');
    const policy = (await readPolicies(POLICY, 'policy.yaml')).policies.get('asking');
    const outcomes = policy ? planSends(policy, sends, { since: 0 }) : [];
    expect(outcomes.map(({ leavesAt = 0 }) => new Date(leavesAt).toISOString())).to.deep.equal(
      [minute(1), minute(2), '2026-11-22T11:01:00Z', '2026-11-22T11:02:00Z', minute(5)].map((time) =>
        time.replace('Z', '.000Z'),
      ),
    );
    expect(summaryOf(outcomes)).to.include({ lookUps: 4, delayed: 2 });
  });

  for (const [line, message] of [
    ['soon,+15550000002', 'soon is not a time such as 2026-11-22T10:00:00Z'],
    ['2026-11-22T10:00:00Z,bob', 'bob is not a phone number with +, a LID or a jid'],
    ['2026-11-22T10:00:00Z,+15550000002,cold', 'cold is not one of new, unanswered, running'],
  ] as const)
    it(`are refused with their line: ${message}`, () => {
      expect(() => readPlannedSends(`time,to\n${line}`, 'plan.csv')).to.throw(`plan.csv:2: ${message}`);
    });
});
