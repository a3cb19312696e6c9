import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { eventOf, extraEventOf, startReceiver } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  type ApiAnswer,
  BOB,
  CAROL,
  linkSession,
  startWorld,
  TOKEN,
  type World,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };

const POLICIES = `
mode: enforce
policies:
  two:
    newChatsPerDay: 2
  watched:
    mode: observe
    newChatsPerDay: 0
  asking:
    lookUpFirst: { perHour: 1 }
  bare: {}
  none: {}
  copies:
    sameText: { people: 2, within: 1h }
sessions: { acme: two, beta: watched, gamma: asking, delta: bare, epsilon: copies }
orgs: { shop: none }
`;

describe('the policy of a session', () => {
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICIES);
    world = await startWorld({ settings: { allowPrivateUrls: true, policy } });
    for (const person of [BOB, CAROL, DAVE, ERIN]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['account_status'] });
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (person: typeof BOB, clientId = 'acme', key?: string): Promise<ApiAnswer> =>
    world.api.post(
      '/send-message',
      { clientId, to: person.number, body: 'hello' },
      key ? { 'idempotency-key': key } : {},
    );
  const begun = async (person = ALICE) => (await world.phones.stats()).firstContacts[person.number] ?? 0;
  const refused = ({ status, headers, body }: ApiAnswer) => ({
    status,
    code: headers.get('x-sn-error'),
    policy: body.policy,
  });

  const sendsIn = ({ sends }: ApiAnswer['body']) => (Array.isArray(sends) ? sends : []);

  it('refuses a new chat beyond its limit, and says which rule, what is left and when it is allowed', async () => {
    expect((await send(BOB)).status).to.equal(200);
    expect((await send(CAROL)).status).to.equal(200);
    const sentAt = Date.now();
    const answer = await send(DAVE, 'acme', 'later');
    const { status, code } = refused(answer);
    expect({ status, code }).to.deep.equal({ status: 429, code: 'policy_refused' });
    expect(answer.body.error).to.match(/^nothing was sent: the policy two refuses it \(newChatsPerDay\): /);
    expect(answer.body.policy).to.include({ rule: 'newChatsPerDay', limit: 2, left: 0 });
    const retryAfter = Number(answer.headers.get('retry-after'));
    expect(retryAfter).to.be.within(86_000, 86_400);
    expect(answer.body.policy)
      .to.have.property('allowedAt')
      .that.satisfies((at: string) => Date.parse(at) > sentAt);
    expect(await begun()).to.equal(2);
  });

  it('allows a second message to the same person, and an answer to a person who wrote first', async () => {
    expect((await send(BOB)).status).to.equal(200);
    const { messageId } = await world.phones.write(ERIN.number, { to: ALICE.number, text: 'hi' });
    await eventOf(world.receiver, messageId);
    expect((await send(ERIN)).status).to.equal(200);
  });

  it('reports what it has counted, and whether a message would be allowed', async () => {
    const { body } = await world.api.get(`/policy?clientId=acme&to=${encodeURIComponent(DAVE.number)}`);
    expect(body).to.deep.include({
      clientId: 'acme',
      policy: 'two',
      mode: 'enforce',
      refused: [{ rule: 'newChatsPerDay', count: 1 }],
      newChats: { used: 2, limit: 2, left: 0 },
    });
    expect(body.messages).to.deep.equal({ lastHour: 4, lastDay: 4 });
    expect(body.chat).to.include({ standing: 'new', allowed: false });
    const bob = await world.api.get(`/policy?clientId=acme&to=${encodeURIComponent(BOB.number)}`);
    expect(bob.body.chat).to.include({ standing: 'unanswered', allowed: true });
    const erin = await world.api.get(`/policy?clientId=acme&to=${encodeURIComponent(ERIN.number)}`);
    expect(erin.body.chat).to.include({ standing: 'running', allowed: true });
    const { body: past } = await world.api.get('/policy/sends?clientId=acme');
    const standings = Array.isArray(past.sends) ? past.sends.map(({ standing }) => standing) : [];
    expect(standings).to.deep.equal(['new', 'new', 'unanswered', 'running']);
    const numbers = Array.isArray(past.sends) ? past.sends.map(({ pn }) => pn) : [];
    const people = [BOB, CAROL, BOB, ERIN];
    expect(numbers).to.deep.equal(people.map(({ number }) => `${number.slice(1)}@s.whatsapp.net`));
  });

  it('lists the counted sends in pages', async () => {
    const page = async (query: string) =>
      (await world.api.get(`/policy/sends?clientId=acme&limit=3${query}`)).body;
    const [{ next }, all] = [await page(''), await world.api.get('/policy/sends?clientId=acme')];
    expect(all.body).to.not.have.property('next');
    const rest = await page(`&after=${next}`);
    expect(rest.sends).to.have.lengthOf(1);
    expect([...sendsIn(await page('')), ...sendsIn(rest)]).to.deep.equal(all.body.sends);
    expect(rest).to.not.have.property('next');
  });

  it('refuses a file before it is downloaded', async () => {
    const host = await startReceiver();
    try {
      const file = { clientId: 'acme', to: DAVE.number, downloadUrl: `${host.url}/menu.txt` };
      const answer = await world.api.post('/send-media-message', file);
      expect(refused(answer).policy).to.include({ rule: 'newChatsPerDay' });
      expect(host.calls).to.deep.equal([]);
    } finally {
      await host.stop();
    }
  });

  it('counts the same after a restart', async () => {
    await world.restartDaemon();
    await world.connected();
    const answer = await send(DAVE, 'acme', 'later');
    expect(refused(answer)).to.deep.include({ status: 429, code: 'policy_refused' });
    const { body } = await world.api.get('/policy?clientId=acme');
    expect(body.newChats).to.include({ used: 2, left: 0 });
    expect(await begun()).to.equal(2);
  });

  it('counts the recipients of the same text after a restart too, without storing the text', async () => {
    await linkSession(world, 'epsilon', { number: '+15550000012', name: 'Pete' });
    const text = 'one and the same text';
    const write = (to: string, body: string) =>
      world.api.post('/send-message', { clientId: 'epsilon', to, body });
    const { status, body } = await write(BOB.number, text);
    expect(status).to.equal(200);
    expect((await write(CAROL.number, 'another text')).status).to.equal(200);
    await world.restartDaemon();
    await world.connected('epsilon');
    expect((await write(BOB.number, text)).status).to.equal(200);
    expect((await write(DAVE.number, text)).status).to.equal(200);
    await world.restartDaemon();
    await world.connected('epsilon');
    expect(refused(await write(CAROL.number, text)).policy).to.include({
      rule: 'sameText',
      limit: 2,
      left: 0,
    });
    for (const person of [BOB, DAVE]) expect((await write(person.number, text)).status).to.equal(200);
    expect((await write(CAROL.number, 'a text of its own')).status).to.equal(200);
    await world.stopDaemon();
    await world.inspect(async ({ sends }) => {
      const record = await sends.get('epsilon', String(body.messageId));
      expect(record?.textHash).to.match(/^[\w-]{43}$/);
    });
    await world.startDaemon();
  });

  it("keeps a session's secret from changing its workspace, and with it its policy", async () => {
    const secret = 'secret-of-a-tenant-with-a-workspace';
    await linkSession(world, 'zeta', { number: '+15550000010', name: 'Zoe' });
    expect((await world.api.post('/set-org-id', { clientId: 'zeta', orgId: 'shop' })).status).to.equal(200);
    expect((await world.api.post('/set-api-secret', { clientId: 'zeta', secret })).status).to.equal(200);
    for (const orgId of ['', 'other', 'shop']) {
      const answer = await world.api.as(secret).post('/set-org-id', { clientId: 'zeta', orgId });
      expect([answer.status, answer.headers.get('x-sn-error'), answer.body]).to.deep.equal([
        403,
        'forbidden',
        { error: 'orgId: only the master token may set it while a policy is given to workspaces' },
      ]);
    }
    const { body } = await world.api.as(secret).get('/policy?clientId=zeta');
    expect(body.policy).to.equal('none');
  });

  it('refuses nothing while it only observes, and reports what it would have refused', async () => {
    const other = { number: '+15550000009', name: 'Olga' };
    await linkSession(world, 'beta', other);
    expect((await send(BOB, 'beta')).status).to.equal(200);
    expect(await begun(other)).to.equal(1);
    const { body } = await world.api.get('/fleet?clientId=beta');
    const [session] = Array.isArray(body.sessions) ? body.sessions : [];
    expect(session.policy).to.deep.equal({
      name: 'watched',
      mode: 'observe',
      refused: [{ rule: 'newChatsPerDay', count: 1 }],
    });
    const metrics = await fetch(`${world.api.url}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const line = /^switchboard_policy_refusals_total\{rule="newChatsPerDay",mode="observe",.*\} 1$/m;
    expect(await metrics.text()).to.match(line);
  });

  it('refuses new chats once the network imposes a time lock, and lets running chats continue', async () => {
    await world.phones.fault({ kind: 'reachout-lock', number: ALICE.number, ms: 600_000 });
    await extraEventOf(world.receiver, 'account_status', ({ restricted }) => restricted);
    const before = await world.phones.stats();
    const answers = await Promise.all([DAVE, BOB, DAVE, CAROL].map((person) => send(person)));
    for (const answer of answers) expect(refused(answer).policy).to.include({ rule: 'reachoutLock' });
    expect((await send(ERIN)).status).to.equal(200);
    const { messageRefusals, firstContacts } = await world.phones.stats();
    expect({ messageRefusals, firstContacts }).to.deep.equal({
      messageRefusals: before.messageRefusals,
      firstContacts: before.firstContacts,
    });
  });

  it('refuses new chats under a time lock from before a restart, and lets running chats continue at once', async () => {
    await world.stopDaemon();
    await world.inspect((store) =>
      store.sends.put('acme', {
        ...{ messageId: 'INTERRUPTED', to: DAVE.number.replace('+', '').concat('@s.whatsapp.net') },
        content: proto.Message.encode({ conversation: 'hello' }).finish(),
        ...{ metaData: '', fileName: '', counted: 'new chat', sentAt: Date.now() },
        ...{ acknowledged: false, closed: false },
      }),
    );
    // the answer about restrictions comes after the first requests
    await world.phones.fault({ kind: 'delay', number: ALICE.number, ms: 50 });
    const before = await world.phones.stats();
    await world.startDaemon();
    const [toErin, ...others] = await Promise.all([ERIN, DAVE, BOB, CAROL].map((person) => send(person)));
    expect(toErin?.status).to.equal(200);
    for (const answer of others) expect(refused(answer).policy).to.include({ rule: 'reachoutLock' });
    // the interrupted send too
    await until('four refusals', async () => {
      const { body } = await world.api.get('/policy?clientId=acme');
      return isDeepStrictEqual(body.refused, [{ rule: 'reachoutLock', count: others.length + 1 }]);
    });
    const again = await Promise.all([DAVE, BOB].map((person) => send(person, 'acme', `key ${person.name}`)));
    const repeated = await Promise.all(
      [DAVE, BOB].map((person) => send(person, 'acme', `key ${person.name}`)),
    );
    for (const answer of [...again, ...repeated]) expect(answer.status).to.equal(429);
    const { messageRefusals, firstContacts } = await world.phones.stats();
    expect({ messageRefusals, firstContacts }).to.deep.equal({
      messageRefusals: before.messageRefusals,
      firstContacts: before.firstContacts,
    });
  });

  it('refuses a first message right after a restart until the end of the lock, before WhatsApp has answered', async () => {
    const { body: lock } = await world.api.get('/restrictions?clientId=acme');
    await world.phones.fault({ kind: 'ignore-restrictions', number: ALICE.number });
    await world.restartDaemon();
    const [first, answer] = [await send(DAVE), await send(BOB)];
    expect(first.body.policy).to.include({ rule: 'reachoutLock' });
    expect(refused(answer)).to.deep.include({ status: 429, code: 'policy_refused' });
    expect(answer.body.policy).to.include({ rule: 'reachoutLock', allowedAt: lock.until });
    const left = (Date.parse(String(lock.until)) - Date.now()) / 1_000;
    expect(Number(answer.headers.get('retry-after'))).to.be.closeTo(left, 5);
    expect((await send(ERIN)).status).to.equal(200);
  });

  it('checks before a first message whether the number is on WhatsApp, within an hourly limit', async () => {
    const paul = { number: '+15550000008', name: 'Paul' };
    await linkSession(world, 'gamma', paul, { extraEvents: ['account_status'] });
    const nobody = { number: '+15550009999', name: 'Nobody' };
    for (const _ of ['asked', 'remembered']) {
      const answer = await send(nobody, 'gamma');
      expect(answer.headers.get('x-sn-error')).to.equal('recipient_unknown');
    }
    const answer = await send(BOB, 'gamma');
    expect(refused(answer).policy).to.include({ rule: 'lookUpFirst', limit: 1, left: 0 });
    expect(await begun(paul)).to.equal(0);
    const about = async ({ number }: typeof BOB) =>
      (await world.api.get(`/policy?clientId=gamma&to=${encodeURIComponent(number)}`)).body;
    expect((await about(nobody)).chat).to.include({ allowed: false, lookUp: 'absent' });
    const asked = await about(BOB);
    expect(asked.chat).to.include({ allowed: false, lookUp: 'asked' });
    expect(asked.lookUps).to.deep.equal({ used: 1, limit: 1, left: 0 });
    const ask = { clientId: 'gamma', to: BOB.number, body: 'when it is allowed', whenAllowed: true };
    const held = await world.api.post('/send-message', ask);
    expect([held.status, held.body.rule]).to.deep.equal([202, 'lookUpFirst']);
    await world.phones.write(BOB.number, { to: paul.number, text: 'hi' });
    const { messageId } = held.body;
    await world.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);
  });

  it('judges a first message again when it is repeated under its Idempotency-Key after a refusal by the network', async () => {
    const paul = { number: '+15550000018', name: 'Paul' };
    await linkSession(world, 'delta', paul, { extraEvents: ['account_status'] });
    await world.phones.fault({ kind: 'reject-sends', number: paul.number, count: 1 });
    const first = await send(BOB, 'delta', 'again');
    expect(first.headers.get('x-sn-error')).to.equal('send_rejected');
    await world.phones.fault({ kind: 'reachout-lock', number: paul.number });
    await extraEventOf(
      world.receiver,
      'account_status',
      ({ clientId, restricted }) => restricted && clientId === 'delta',
    );
    const { messageRefusals } = await world.phones.stats();
    const again = await send(BOB, 'delta', 'again');
    expect(refused(again).policy).to.include({ rule: 'reachoutLock' });
    expect(again.body.error).to.match(/^the message was not sent again: /);
    expect((await world.phones.stats()).messageRefusals).to.deep.equal(messageRefusals);
  });
});
