import { expect } from 'chai';
import { DAY_MS } from '../../../../src/domain/clock.js';
import { isGatewayError } from '../../../../src/domain/errors.js';
import type { Policy } from '../../../../src/domain/policy/policy.js';
import type { Restriction } from '../../../../src/gateway/link/link.js';
import { roomIdOf } from '../../../../src/gateway/services/identities/parties.js';
import type { Admission } from '../../../../src/gateway/services/policies/admission.js';
import { SendPolicies } from '../../../../src/gateway/services/policies/send-policies.js';
import type { Contact } from '../../../../src/gateway/store/store.js';
import { message, roomUpdate, trace } from '../../../contracts/store/harness.js';
import { playedLink } from '../../../support/rig/link.js';
import { type PlayedSessions, Rig } from '../../../support/rig/rig.js';

const BOB = '90000000000002@lid';
const CAROL = '90000000000003@lid';
const DAVE = '90000000000004@lid';
const EVE = '90000000000005@lid';
const FRANK = '90000000000006@lid';
const GROUP = '120363000000000001@g.us';
const NOBODY = { lid: '', pn: '', name: '', pushName: '', username: '', source: '', learntAt: 0 };
const LOCK: Restriction = { kind: 'reachout-lock', active: true, cause: 'DEFAULT' };

describe('SendPolicies', () => {
  let rig: Rig;
  let played: PlayedSessions;
  let restrictions: Restriction[];
  let answered: Promise<void> | undefined;
  let state: 'asked' | 'answered' | 'silent';
  let declines: boolean;
  let trusted: string[];
  let refused: string[];
  let lookedUp: string[];
  let contacts: Map<string, Contact>;

  beforeEach(async () => {
    rig = await Rig.start();
    lookedUp = [];
    declines = false;
    contacts = new Map();
    [restrictions, trusted, refused, answered, state] = [[], [], [], undefined, 'answered'];
    played = rig.sessions(playedLink({ isTrusted: async (jid) => trusted.includes(jid) }));
    await played.connect();
  });
  afterEach(() => rig.close());

  const policiesWith = (rules: Partial<Policy>) => {
    const { store, clock, log } = rig;
    const policy: Policy = { name: 'p', mode: 'enforce', ...rules };
    return new SendPolicies({
      hashKey: new Uint8Array(32),
      policies: {
        policies: new Map([['p', policy]]),
        sessions: new Map(),
        orgs: new Map(),
        default: 'p',
      },
      ...{ sessions: played.sessions, store, clock, log },
      contacts: {
        find: async (_clientId, { lid = '' }) => ({ ...NOBODY, ...contacts.get(`${lid}@lid`), lid }),
        resolve: () => Promise.reject(new Error('not played')),
        lookUp: async (_clientId, { kind, user }) => {
          lookedUp.push(user);
          return kind === 'lid' ? { ...NOBODY, lid: user } : undefined;
        },
      },
      groups: {
        find: async () => ({ subject: 'Team', size: 3, admins: new Set() }),
        known: () => undefined,
      },
      restrictions: {
        active: () => restrictions,
        warning: () => undefined,
        ask: () => answered,
        askAnew: () => answered,
        state: () => state,
        declines: () => declines,
      },
      observer: { policyRefused: (rule) => refused.push(rule) },
    });
  };
  const session = () => played.sessions.find('acme');
  const admit = (policies: SendPolicies, to: string, text = '', isChange = false) =>
    policies.admit(session(), { to, text, isChange });
  /** What the send is counted as. */
  const leave = async (admission: Admission | undefined) => {
    const stamp = await admission?.judgeFirstCopy();
    await admission?.judgeRecorded();
    return stamp?.counted;
  };
  const sent = async (policies: SendPolicies, to: string, text = '') => {
    const admission = await admit(policies, to, text);
    const counted = await leave(admission);
    admission?.end();
    return counted;
  };
  const ruleOf = async (work: Promise<unknown>) =>
    work.then(
      () => 'sent',
      (error: unknown) => (isGatewayError(error, 'policy_refused') ? error.policy?.rule : error),
    );
  const once: Partial<Policy> = { newChatsPerDay: [{ linkedDays: 0, limit: 1 }] };

  it('do not count a send that could not be stored', async () => {
    const policies = policiesWith(once);
    const first = await admit(policies, BOB);
    await first?.judgeFirstCopy();
    first?.end();
    expect(await sent(policies, CAROL)).to.equal('new chat');
  });

  it('do not count a send that did not leave', async () => {
    const policies = policiesWith(once);
    const first = await admit(policies, BOB);
    expect(await ruleOf(sent(policies, CAROL))).to.equal('newChatsPerDay');
    first?.end();
    expect(await sent(policies, CAROL)).to.equal('new chat');
    expect(await ruleOf(sent(policies, BOB))).to.equal('newChatsPerDay');
  });

  it('refuse a first message when the network restricts the number while it is prepared, but not an answer', async () => {
    trusted = [CAROL];
    const policies = policiesWith({});
    const [toBob, toCarol, toGroup] = [
      await admit(policies, BOB),
      await admit(policies, CAROL),
      await admit(policies, GROUP),
    ];
    restrictions = [LOCK];
    expect(await ruleOf(leave(toBob))).to.equal('reachoutLock');
    for (const admission of [toCarol, toGroup]) expect(await leave(admission)).to.equal('message');
    toBob?.end();
    restrictions = [];
    expect(await sent(policies, BOB)).to.equal('new chat');
  });

  it('refuse a first message when the network restricts the number while its record is written', async () => {
    const policies = policiesWith({});
    const first = await admit(policies, BOB);
    await first?.judgeFirstCopy();
    restrictions = [LOCK];
    expect(await ruleOf(first?.judgeRecorded() ?? Promise.resolve())).to.equal('reachoutLock');
    first?.end();
  });

  it('refuse a first message at the wire once the network has restricted the number, but not an answer', async () => {
    const policies = policiesWith(once);
    const [toBob, toGroup] = [await admit(policies, BOB), await admit(policies, GROUP)];
    for (const admission of [toBob, toGroup]) await leave(admission);
    restrictions = [LOCK];
    expect([toBob?.check(), toGroup?.check()]).to.deep.equal([false, true]);
    expect(await ruleOf(toBob?.judgeBlocked() ?? Promise.resolve())).to.equal('reachoutLock');
    expect(toBob?.hasLeft).to.equal(false);
    toBob?.end();
    restrictions = [];
    const toCarol = await admit(policies, CAROL);
    await leave(toCarol);
    restrictions = [LOCK];
    // her token came unseen
    trusted = [CAROL];
    expect(toCarol?.check()).to.equal(false);
    await toCarol?.judgeBlocked();
    expect([toCarol?.check(), toCarol?.hasLeft]).to.deep.equal([true, true]);
  });

  it('count the next message as a first one too when the network refused the first one', async () => {
    const policies = policiesWith({ newChatsPerDay: [{ linkedDays: 0, limit: 2 }] });
    for (const _ of ['first', 'second']) {
      const admission = await admit(policies, BOB);
      await leave(admission);
      admission?.rejected();
      admission?.end();
    }
    expect(await ruleOf(sent(policies, BOB))).to.equal('newChatsPerDay');
  });

  it('treat a chat as running once the network sends a token of the person', async () => {
    const policies = policiesWith({ onlyWhoWrote: true });
    expect(await ruleOf(sent(policies, DAVE))).to.equal('onlyWhoWrote');
    trusted = [DAVE];
    expect(await sent(policies, DAVE)).to.equal('message');
  });

  it('recognise a running chat by its messages, even from the phone, and by the token of the person', async () => {
    const policies = policiesWith({ onlyWhoWrote: true });
    await rig.store.traces.add('acme', trace('M1', { chat: BOB, fromMe: false }));
    trusted = [CAROL];
    expect(await sent(policies, BOB)).to.equal('message');
    expect(await sent(policies, CAROL)).to.equal('message');
    expect(await ruleOf(sent(policies, DAVE))).to.equal('onlyWhoWrote');
    const message = {
      ...{ messageId: 'M2', chat: '15550000004@s.whatsapp.net', chatAlt: DAVE, fromMe: false, pushName: '' },
      ...{ timestamp: rig.clock.now(), content: {}, journalIds: [], offline: false },
    };
    policies.hear({ type: 'link', session: session(), event: { type: 'message', message } });
    expect(await sent(policies, DAVE)).to.equal('message');
  });

  it('count sends of another node and of the last run from their records', async () => {
    const put = (messageId: string, counted?: 'new chat' | 'message' | 'nothing') =>
      rig.store.sends.put('acme', {
        ...{ messageId, to: DAVE, content: Uint8Array.of(1), metaData: '', fileName: '' },
        ...{ sentAt: rig.clock.now() - 1_000, acknowledged: true, closed: true },
        ...(counted && { counted }),
      });
    await put('M1', 'new chat');
    await put('M2', 'nothing');
    await put('M3');
    const policies = policiesWith({ ...once, messagesPerDay: 3 });
    expect(await ruleOf(sent(policies, BOB))).to.equal('newChatsPerDay');
    trusted = [CAROL];
    expect(await sent(policies, CAROL)).to.equal('message');
    expect(await ruleOf(sent(policies, CAROL))).to.equal('messagesPerDay');
  });

  it('refuse a text that many people got and a large group, but no change of an earlier message', async () => {
    const policies = policiesWith({ sameText: { people: 1, withinMs: 60_000 }, largestGroup: 2 });
    expect(await sent(policies, BOB, 'hello')).to.equal('new chat');
    expect(await ruleOf(sent(policies, CAROL, 'hello'))).to.equal('sameText');
    expect(await sent(policies, CAROL, 'hello Carol')).to.equal('new chat');
    expect(await ruleOf(sent(policies, GROUP))).to.equal('largestGroup');
    expect(await leave(await admit(policies, GROUP, '', true))).to.equal('nothing');
    expect(refused).to.deep.equal(['sameText', 'largestGroup']);
  });

  it('name no time when one of the rules refuses for ever', async () => {
    const policies = policiesWith({ deny: [BOB] });
    restrictions = [{ ...LOCK, until: rig.clock.now() + 60_000 }];
    const refusal = await admit(policies, BOB).catch((error: unknown) => error);
    const policy = isGatewayError(refusal, 'policy_refused') ? refusal.policy : undefined;
    expect(policy).to.include({ rule: 'reachoutLock', allowedAt: '' }).and.not.to.have.property('retryAfter');
  });

  it('judge and count a send again when it leaves, however long its preparation took', async () => {
    const policies = policiesWith({ newChatGap: { minMs: 60_000, maxMs: 60_000 } });
    const slow = await admit(policies, BOB);
    await rig.clock.advance(60_000);
    expect(await sent(policies, CAROL)).to.equal('new chat');
    expect(await ruleOf(leave(slow))).to.equal('newChatGap');
    slow?.end();
    await rig.clock.advance(60_000);
    expect(await sent(policies, DAVE)).to.equal('new chat');
  });

  it('limit new chats by the days since the number was linked, even if the session is older', async () => {
    await session().update({ linkedAt: rig.clock.now() + 10 * DAY_MS });
    rig.clock.advance(10 * DAY_MS);
    const policies = policiesWith({
      newChatsPerDay: [
        { linkedDays: 0, limit: 1 },
        { linkedDays: 7, limit: 3 },
      ],
    });
    expect(await sent(policies, BOB)).to.equal('new chat');
    expect(await ruleOf(sent(policies, CAROL))).to.equal('newChatsPerDay');
    const { linkedDays, newChats } = await policies.reports.of('acme');
    expect({ linkedDays, newChats }).to.deep.equal({
      linkedDays: 0,
      newChats: { used: 1, limit: 1, left: 0 },
    });
    rig.clock.advance(7 * DAY_MS - 1);
    expect((await policies.reports.of('acme')).linkedDays).to.equal(6);
    rig.clock.advance(1);
    for (const jid of [CAROL, DAVE]) expect(await sent(policies, jid)).to.equal('new chat');
  });

  it('count the second message of a chat as its first one when the first one does not leave', async () => {
    const policies = policiesWith(once);
    const [first, second] = [await admit(policies, BOB), await admit(policies, BOB)];
    first?.end();
    expect(await leave(second)).to.equal('new chat');
    second?.end();
    expect(await ruleOf(sent(policies, CAROL))).to.equal('newChatsPerDay');
  });

  it('judge a repeated send at the current time, and count it once, when it leaves again', async () => {
    const policies = policiesWith(once);
    expect(await sent(policies, BOB)).to.equal('new chat');
    const kept = { to: BOB, sentAt: rig.clock.now(), counted: 'new chat' } as const;
    await rig.clock.advance(60_000);
    const again = await policies.admit(session(), { to: BOB, text: '', isChange: false, kept });
    await leave(again);
    again?.end();
    await rig.clock.advance(DAY_MS - 60_000);
    expect(await ruleOf(sent(policies, CAROL))).to.equal('newChatsPerDay');
    await rig.clock.advance(60_000);
    expect(await sent(policies, CAROL)).to.equal('new chat');
  });

  it('do not count an earlier copy of a waiting message against it', async () => {
    const policies = policiesWith({ ...once, sameText: { people: 1, withinMs: DAY_MS } });
    const first = await admit(policies, BOB, 'hello');
    await leave(first);
    first?.rejected();
    first?.end();
    const kept = { to: BOB, sentAt: rig.clock.now(), counted: 'new chat' } as const;
    const rules = async (to: string, copy?: typeof kept) => {
      const asked = { to, text: 'hello', ...(copy && { kept: copy }) };
      return (await policies.refusals(session(), asked)).map(({ rule }) => rule);
    };
    expect(await rules(BOB, kept)).to.deep.equal([]);
    expect(await rules(BOB)).to.deep.equal(['newChatsPerDay']);
    // it is still counted for others
    expect(await rules(CAROL)).to.deep.equal(['newChatsPerDay', 'sameText']);
  });

  it('delay a rejected first message by an hour if the network does not report whether it restricts the number', async () => {
    const policies = policiesWith({});
    trusted = [CAROL];
    declines = true;
    const found = async (to: string, isRejected: boolean) =>
      (await policies.refusals(session(), { to, text: '', isRejected })).map(({ rule, allowedAt = 0 }) => [
        rule,
        allowedAt - rig.clock.now(),
      ]);
    expect(await found(BOB, true)).to.deep.equal([['networkSilent', 60 * 60_000]]);
    expect(await found(BOB, false)).to.deep.equal([]);
    expect(await found(CAROL, true)).to.deep.equal([]);
    restrictions = [LOCK];
    expect((await found(BOB, true)).map(([rule]) => rule)).to.deep.equal(['reachoutLock']);
    restrictions = [];
    declines = false;
    expect(await found(BOB, true)).to.deep.equal([]);
  });

  it('keep the text hash of a send that a start resumes', async () => {
    const policies = policiesWith({ sameText: { people: 1, withinMs: DAY_MS } });
    const kept = { to: BOB, sentAt: rig.clock.now(), counted: 'message', textHash: 'hash' } as const;
    const resumed = await policies.admit(session(), {
      to: BOB,
      text: '',
      isChange: false,
      kept,
      isResumed: true,
    });
    const stamp = await resumed?.judgeFirstCopy();
    resumed?.end();
    expect(stamp?.textHash).to.equal('hash');
  });

  it('let a send of the last run continue unless the network restricts the number', async () => {
    const policies = policiesWith({ messagesPerDay: 1 });
    trusted = [CAROL];
    expect(await sent(policies, CAROL)).to.equal('message');
    const resumed = (to: string) => {
      const kept = { to, sentAt: rig.clock.now(), counted: 'new chat' } as const;
      return policies.admit(session(), { to, text: '', isChange: false, kept, isResumed: true });
    };
    const first = await resumed(BOB);
    restrictions = [LOCK];
    expect(await ruleOf(leave(first))).to.equal('reachoutLock');
    first?.end();
    expect(await ruleOf(resumed(BOB))).to.equal('reachoutLock');
    expect(await leave(await resumed(CAROL))).to.equal('message');
  });

  it('refuse another attempt of a first message once the network has restricted the number', async () => {
    const policies = policiesWith({});
    trusted = [CAROL];
    const [toBob, toCarol] = [await admit(policies, BOB), await admit(policies, CAROL)];
    for (const admission of [toBob, toCarol]) await leave(admission);
    restrictions = [LOCK];
    expect(await ruleOf(toBob?.judgeFurtherCopy() ?? Promise.resolve())).to.equal('reachoutLock');
    expect(await ruleOf(toCarol?.judgeFurtherCopy() ?? Promise.resolve())).to.equal('sent');
  });

  it('wait for the network to say whether it restricts the number before they permit a first message', async () => {
    const policies = policiesWith({});
    trusted = [CAROL];
    let answer: () => void = () => undefined;
    answered = new Promise((resolve) => {
      answer = resolve;
    });
    const toBob = ruleOf(sent(policies, BOB));
    expect(await sent(policies, CAROL)).to.equal('message');
    restrictions = [LOCK];
    answer();
    expect(await toBob).to.equal('reachoutLock');
  });

  it('refuse a first message while the network does not say whether it restricts the number', async () => {
    const policies = policiesWith({});
    trusted = [CAROL];
    answered = new Promise(() => undefined);
    state = 'asked';
    const toBob = ruleOf(sent(policies, BOB));
    expect(await sent(policies, CAROL)).to.equal('message');
    await rig.clock.scheduled(10_000);
    rig.clock.advance(10_000);
    expect(await toBob).to.equal('networkSilent');
    [answered, state] = [undefined, 'silent'];
    const refusal = await admit(policies, BOB).catch((error: unknown) => error);
    const policy = isGatewayError(refusal, 'policy_refused') ? refusal.policy : undefined;
    expect(policy).to.include({ rule: 'networkSilent', retryAfter: 30 });
    state = 'answered';
    expect(await sent(policies, BOB)).to.equal('new chat');
  });

  it('read from the store how far a chat has come only if the rules depend on an answer', async () => {
    const { traces } = rig.store;
    const conversation = traces.conversation;
    let asked = 0;
    traces.conversation = (...asking) => {
      asked += 1;
      return conversation(...asking);
    };
    const policies = policiesWith({});
    expect(await sent(policies, BOB)).to.equal('new chat');
    asked = 0;
    expect(await sent(policies, BOB)).to.equal('message');
    expect(asked).to.equal(0);
    const next = await admit(policies, BOB);
    restrictions = [LOCK];
    trusted = [BOB];
    expect(await leave(next)).to.equal('message');
    expect(asked).to.be.above(0);
  });

  it('check before a first message whether the recipient exists, cache the answer, and limit the checks per hour', async () => {
    const policies = policiesWith({ lookUpFirst: { perHour: 2 } });
    const lookUp = (to: string) =>
      policies.checkFirst(session(), { to, text: '' }, playedLink()).then(
        () => 'there',
        (error: unknown) => (isGatewayError(error) ? (error.policy?.rule ?? error.code) : error),
      );
    expect(await Promise.all([lookUp(BOB), lookUp(BOB)])).to.deep.equal(['there', 'there']);
    expect(await lookUp('+15550000009')).to.equal('recipient_unknown');
    expect(await lookUp('+15550000009')).to.equal('recipient_unknown');
    expect(lookedUp).to.deep.equal(['90000000000002', '15550000009']);
    trusted = [CAROL];
    expect(await lookUp(CAROL)).to.equal('there');
    expect(await lookUp(DAVE)).to.equal('lookUpFirst');
    const waiting = async (to: string) =>
      (await policies.refusals(session(), { to, text: '' })).map(({ rule }) => rule);
    expect(await waiting(DAVE)).to.deep.equal(['lookUpFirst']);
    expect(await waiting(BOB)).to.deep.equal([]);
    rig.clock.advance(60 * 60_000);
    expect(await lookUp(DAVE)).to.equal('there');
    rig.clock.advance(DAY_MS);
    await lookUp('+15550000009');
    expect(await lookUp(BOB)).to.equal('there');
    expect(lookedUp.slice(2)).to.deep.equal(['90000000000004', '15550000009']);
  });

  it('explain the look-up before a first message, without asking the network', async () => {
    const policies = policiesWith({ lookUpFirst: { perHour: 2 } });
    const nobody = '+15550000009';
    for (const to of [BOB, nobody])
      await policies.checkFirst(session(), { to, text: '' }, playedLink()).catch(() => undefined);
    trusted = [EVE];
    const about = async (to: string) => {
      const { chat, lookUps } = await policies.reports.of('acme', to);
      return {
        lookUp: chat?.lookUp,
        rules: chat?.refusals.map(({ rule }) => rule),
        allowed: chat?.allowed,
        lookUps,
      };
    };
    const lookUps = { used: 2, limit: 2, left: 0 };
    expect(await about(BOB)).to.deep.equal({ lookUp: 'known', rules: [], allowed: true, lookUps });
    expect(await about(nobody)).to.deep.equal({ lookUp: 'absent', rules: [], allowed: false, lookUps });
    const refused = { lookUp: 'asked', rules: ['lookUpFirst'], allowed: false, lookUps };
    expect(await about(CAROL)).to.deep.equal(refused);
    expect(await about('+15550000008')).to.deep.equal(refused);
    expect(await about(EVE)).to.deep.equal({ lookUp: undefined, rules: [], allowed: true, lookUps });
    rig.clock.advance(60 * 60_000);
    expect(await about(CAROL)).to.deep.include({ lookUp: 'asked', allowed: true });
    expect(lookedUp).to.have.length(2);
  });

  it('restore the look-ups of the last run from the contacts that they added, and the hourly limit from the first messages', async () => {
    contacts.set(CAROL, { ...NOBODY, source: 'lookup', learntAt: rig.clock.now() });
    contacts.set(DAVE, { ...NOBODY, source: 'message', learntAt: rig.clock.now() });
    const rules = { lookUpFirst: { perHour: 1 } };
    const lookUp = (policies: SendPolicies, to: string) =>
      ruleOf(policies.checkFirst(session(), { to, text: '' }, playedLink()));
    await rig.store.sends.put('acme', {
      ...{ messageId: 'M1', to: BOB, content: Uint8Array.of(1), metaData: '', fileName: '' },
      ...{ counted: 'new chat', sentAt: rig.clock.now(), acknowledged: true, closed: true },
    });
    const policies = policiesWith(rules);
    expect(await lookUp(policies, CAROL)).to.equal('sent');
    expect(await lookUp(policies, DAVE)).to.equal('lookUpFirst');
    rig.clock.advance(60 * 60_000);
    expect(await lookUp(policies, DAVE)).to.equal('sent');
    expect(lookedUp).to.deep.equal([DAVE.split('@')[0]]);
    rig.clock.advance(7 * DAY_MS);
    // her contact is too old by now
    expect(await lookUp(policiesWith(rules), CAROL)).to.equal('sent');
    expect(lookedUp).to.have.length(2);
  });

  it('look up no recipient to whom the policy allows nothing', async () => {
    const policies = policiesWith({ lookUpFirst: { perHour: 2 }, deny: [BOB] });
    const looking = policies.checkFirst(session(), { to: BOB, text: '' }, playedLink());
    expect(await ruleOf(looking)).to.equal('deny');
    expect(lookedUp).to.deep.equal([]);
  });

  it('refuse a message to a known recipient before a look-up or a download for it', async () => {
    const policies = policiesWith({ ...once, messagesPerHour: 3 });
    const check = (to: string, whenAllowed = false) =>
      ruleOf(policies.checkFirst(session(), { to, text: '', whenAllowed }, playedLink()));
    const first = await admit(policies, BOB);
    // the first message of the chat is in flight
    expect(await check(BOB)).to.equal('sent');
    expect(await check(CAROL)).to.equal('newChatsPerDay');
    // who may have written under an unknown LID, and a message that may wait, are judged later
    expect(await check('+15550000003')).to.equal('sent');
    expect(await check(CAROL, true)).to.equal('sent');
    await leave(first);
    first?.end();
    expect(await check(GROUP)).to.equal('sent');
    for (const jid of [BOB, BOB]) await sent(policies, jid);
    for (const jid of [BOB, GROUP]) expect(await check(jid)).to.equal('messagesPerHour');
    expect(refused).to.deep.equal(['newChatsPerDay', 'messagesPerHour', 'messagesPerHour']);
  });

  it('count sends from before the first policy as new chats or running ones', async () => {
    const sentAt = rig.clock.now() - 10_000;
    await rig.store.sends.put('acme', {
      ...{ messageId: 'M1', to: DAVE, content: Uint8Array.of(1), metaData: '', fileName: '' },
      ...{ sentAt, acknowledged: true, closed: true },
    });
    await rig.store.traces.add('acme', trace('M1', { chat: DAVE, fromMe: true, sentAt }));
    const policies = policiesWith(once);
    expect(await ruleOf(sent(policies, BOB))).to.equal('newChatsPerDay');
  });

  it('list all sends page by page, including sends of the same millisecond', async () => {
    const policies = policiesWith({});
    const times = [1, 2, 2, 2, 3, 4];
    for (const [index, sentAt] of times.entries())
      await rig.store.sends.put('acme', {
        ...{ messageId: `M${index}`, to: BOB, content: Uint8Array.of(1), metaData: '', fileName: '' },
        ...{ counted: 'message', sentAt, acknowledged: true, closed: true },
      });
    const pages: number[][] = [];
    for (let since: number | undefined = 0; since !== undefined; ) {
      const { sends, next } = await policies.reports.sends('acme', since, 2);
      pages.push(sends.map(({ at }) => Date.parse(at)));
      since = next === undefined ? undefined : Date.parse(next);
    }
    expect(pages).to.deep.equal([[1], [2, 2, 2], [3, 4]]);
  });

  it('find an answer that precedes many own messages', async () => {
    await played.sessions.find('acme').update({ orgId: 'workspace1' });
    const room = roomIdOf(session().record, { kind: 'lid', user: BOB.split('@')[0] ?? '' });
    const policies = policiesWith({ onlyWhoWrote: true });
    const record = (messageId: string, fromMe: boolean, sentAt: number) =>
      rig.store.history.record(
        'acme',
        roomUpdate({ chatRoomId: room }),
        message(messageId, { chatRoomId: room, fromMe, sentAt }),
      );
    for (let index = 1; index <= 60; index += 1) await record(`OWN${index}`, true, 1_000 + index);
    expect(await ruleOf(sent(policies, BOB))).to.equal('onlyWhoWrote');
    await record('HERS', false, 1_000);
    expect(await sent(policies, BOB)).to.equal('message');
  });

  it('neither refuse nor delay a send while they observe', async () => {
    const policies = policiesWith({ mode: 'observe', deny: [BOB], largestGroup: 2 });
    answered = new Promise(() => undefined);
    expect(await sent(policies, BOB)).to.equal('new chat');
    const { traces } = rig.store;
    const conversation = traces.conversation;
    traces.conversation = () => Promise.reject(new Error('the store is away'));
    expect(await admit(policies, CAROL)).to.equal(undefined);
    traces.conversation = conversation;
    expect(await sent(policies, CAROL)).to.equal('new chat');
  });

  it('count while they observe what a limit of look-ups would refuse, without any look-up', async () => {
    const policies = policiesWith({ mode: 'observe', lookUpFirst: { perHour: 1 } });
    trusted = [EVE];
    for (const jid of [BOB, BOB, EVE, CAROL, DAVE]) await sent(policies, jid);
    const count = () => policies.reports.figures({ clientId: 'acme', orgId: '' })?.refused;
    expect(count()).to.deep.equal([{ rule: 'lookUpFirst', count: 2 }]);
    rig.clock.advance(60 * 60_000);
    await sent(policies, FRANK);
    expect(count()).to.deep.equal([{ rule: 'lookUpFirst', count: 2 }]);
    expect(lookedUp).to.deep.equal([]);
  });

  it('only count while they observe', async () => {
    const policies = policiesWith({ ...once, mode: 'observe' });
    restrictions = [LOCK];
    for (const jid of [BOB, CAROL, DAVE]) expect(await sent(policies, jid)).to.equal('new chat');
    expect(policies.reports.figures({ clientId: 'acme', orgId: '' })?.refused).to.deep.equal([
      { rule: 'reachoutLock', count: 3 },
    ]);
  });
});
