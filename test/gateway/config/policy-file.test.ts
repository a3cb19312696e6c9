import { expect } from 'chai';
import { GENTLE } from '../../../src/domain/policy/policy.js';
import { ConfigError } from '../../../src/gateway/config/load.js';
import { loadPolicies, readPolicies } from '../../../src/gateway/config/policy-file.js';

const MINUTE = 60_000;

describe('a policy file', () => {
  it('gives policies by name, session, workspace and default, in milliseconds and minutes', async () => {
    const {
      policies,
      sessions,
      orgs,
      default: rest,
    } = await readPolicies(
      `
default: gentle
policies:
  shop:
    mode: enforce
    newChatsByAge: [{ linkedDays: 0, limit: 5 }, { linkedDays: 7, limit: 20 }]
    newChatGap: 60s to 3m
    samePersonGap: 2s
    quietHours: { from: "21:30", to: "08:00", timeZone: Europe/Berlin }
    deny: ["+15550000002"]
    sameText: { people: 10, within: 1h }
    lookUpFirst: true
sessions: { acme: shop }
orgs: { workspace1: shop }
`,
      'policy.yaml',
    );
    expect(policies.get('shop')).to.deep.equal({
      name: 'shop',
      mode: 'enforce',
      newChatsPerDay: [
        { linkedDays: 0, limit: 5 },
        { linkedDays: 7, limit: 20 },
      ],
      newChatGap: { minMs: MINUTE, maxMs: 3 * MINUTE },
      samePersonGap: { minMs: 2_000, maxMs: 2_000 },
      quietHours: {
        fromMinute: 21 * 60 + 30,
        toMinute: 8 * 60,
        timeZone: 'Europe/Berlin',
        holds: 'new chats',
      },
      deny: ['15550000002@s.whatsapp.net'],
      sameText: { people: 10, withinMs: 60 * MINUTE },
      lookUpFirst: { perHour: 60 },
    });
    // a file that names no mode only observes, the ready policy too
    expect(policies.get('gentle')).to.deep.equal({ ...GENTLE, mode: 'observe' });
    expect([sessions.get('acme'), orgs.get('workspace1'), rest]).to.deep.equal(['shop', 'shop', 'gentle']);
  });

  it('names people, groups and channels in its lists', async () => {
    const list = '["+15550000002", "120363040000000001@g.us", "120363040000000001@newsletter"]';
    const { policies } = await readPolicies(`policies: { shop: { allow: ${list} } }`, 'policy.yaml');
    expect(policies.get('shop')?.allow).to.deep.equal([
      '15550000002@s.whatsapp.net',
      '120363040000000001@g.us',
      '120363040000000001@newsletter',
    ]);
  });

  const WRONG: readonly [text: string, message: string][] = [
    ['mode: strict', 'policy.yaml:1: mode must be one of [observe, enforce, off]'],
    ['mode: observe\npolices: {}', 'policy.yaml:2: polices is not allowed'],
    ['default: shop', 'policy.yaml:1: default names the policy "shop", which the file does not have'],
    [
      'policies:\n  shop:\n    messagesPerHour: 5\n    messagesPerDay: -1',
      'policy.yaml:4: policies.shop.messagesPerDay must be greater than or equal to 0',
    ],
    [
      'policies:\n  shop:\n    newChatGap: soon',
      'policy.yaml:3: policies.shop.newChatGap must be a time such as 60s, or two such as 60s to 3m',
    ],
    [
      'policies:\n  shop:\n    newChatsByAge:\n      - { linkedDays: 7, limit: 5 }\n      - { linkedDays: 0, limit: 20 }',
      'policy.yaml:3: policies.shop.newChatsByAge must name ages from 0 days on, from young to old',
    ],
    [
      'policies:\n  shop:\n    quietHours:\n      from: "21:00"\n      to: "8"\n      timeZone: Mars/Base',
      'policy.yaml:5: policies.shop.quietHours.to must be a time of day such as "21:30"',
    ],
    [
      'policies:\n  young:\n    newChatsByAge:\n      - { linkedDays: 7, limit: 20 }',
      'policy.yaml:3: policies.young.newChatsByAge must name ages from 0 days on, from young to old',
    ],
    [
      'policies:\n  shop:\n    quietHours: { from: "08:00", to: "08:00", timeZone: Europe/Berlin }',
      'policy.yaml:3: policies.shop.quietHours must begin and end at different times',
    ],
    [
      'policies:\n  shop:\n    sameText: { people: 3, within: 7d }',
      'policy.yaml:3: policies.shop.sameText.within must be 24h at most',
    ],
    [
      'policies:\n  shop:\n    newChatGap: 60',
      'policy.yaml:3: policies.shop.newChatGap needs a unit: 60s, or 60s to 3m',
    ],
    [
      'policies:\n  shop:\n    sameText: { people: 3, within: 60 }',
      'policy.yaml:3: policies.shop.sameText.within needs a unit: 30s, 5m, 2h or 1d',
    ],
    [
      'policies:\n  shop:\n    deny:\n      - +15550000002',
      'policy.yaml:4: policies.shop.deny[0] must be in quotes: "+15550000002"',
    ],
    ['policies: *none', 'policy.yaml:1: Unresolved alias (the anchor must be set before the alias): none'],
    [
      'policies:\n  shop:\n    deny: [bob]',
      'policy.yaml:3: policies.shop.deny[0] must be a phone number with + and country code, a LID or a jid',
    ],
    [
      'policies:\n  shop: {}\nsessions: { acme: shp }',
      'policy.yaml:3: sessions.acme names the policy "shp", which the file does not have',
    ],
  ];
  for (const [text, message] of WRONG)
    it(`is refused with its line, field and rule if it is wrong: ${message.split(': ')[1]}`, async () => {
      const error = await readPolicies(text, 'policy.yaml').then(
        () => undefined,
        (refusal: unknown) => refusal,
      );
      expect(error).to.be.instanceOf(ConfigError);
      expect(error).to.have.property('message', message);
    });

  it('is not needed for the ready policy, which is enforced by its name alone', async () => {
    const found = await loadPolicies('gentle');
    expect(found?.policies.get(found.default ?? '')).to.deep.equal(GENTLE);
    expect(await loadPolicies('')).to.equal(undefined);
    const error = await loadPolicies('/nowhere/policy.yaml').catch((refusal: Error) => refusal.message);
    expect(error).to.match(/^--policy: \/nowhere\/policy\.yaml cannot be read: /);
  });
});
