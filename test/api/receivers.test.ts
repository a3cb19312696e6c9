import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import FailedList from '../../commands/failed/list.js';
import ReceiversAdd from '../../commands/receivers/add.js';
import ReceiversList from '../../commands/receivers/list.js';
import ReceiversPause from '../../commands/receivers/pause.js';
import ReceiversRemove from '../../commands/receivers/remove.js';
import ReceiversResume from '../../commands/receivers/resume.js';
import ReceiversSet from '../../commands/receivers/set.js';
import ReceiversTest from '../../commands/receivers/test.js';
import SessionsShow from '../../commands/sessions/show.js';
import { verifyWebhook } from '../../src/client/verify.js';
import type { Answer, Receiver } from '../../src/contract/index.js';
import { answering, eventIn, eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const CAROL = { number: '+15550000003', name: 'Carol' };
/** A durable receiver that is tried again at once. */
const SOON = { retry: 'durable', schedule: { pauses: [1] } };

describe('the API for the receivers of a session, over the wire', () => {
  let world: World;
  let audit: TestReceiver;
  const more: TestReceiver[] = [];

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await world.phones.addPhone(CAROL);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  beforeEach(async () => {
    audit = await started();
    world.receiver.respond(answering(200));
  });
  afterEach(async () => {
    for (const { id } of await list()) {
      if (id !== '1') await world.api.post('/receivers/remove', { clientId: 'acme', id });
    }
    for (const receiver of more.splice(0)) await receiver.stop();
  });

  async function started(): Promise<TestReceiver> {
    const receiver = await startReceiver();
    more.push(receiver);
    return receiver;
  }
  async function list(): Promise<Receiver[]> {
    const { body } = await world.api.get('/receivers?clientId=acme');
    const answer: Answer<'listReceivers'> = JSON.parse(JSON.stringify(body));
    return answer.receivers;
  }
  async function one(id: string): Promise<Receiver> {
    const found = (await list()).find((receiver) => receiver.id === id);
    if (!found) throw new Error(`there is no receiver ${id}`);
    return found;
  }
  async function change(path: string, settings: object): Promise<Receiver> {
    const { status, body } = await world.api.post(path, { clientId: 'acme', ...settings });
    expect(status, JSON.stringify(body)).to.equal(200);
    const answer: Answer<'addReceiver'> = JSON.parse(JSON.stringify(body));
    return answer.receiver;
  }
  const add = (settings: object = {}) => change('/receivers', { url: audit.url, ...settings });
  const update = (id: string, settings: object) => change('/receivers/update', { id, ...settings });
  const refusal = async (path: string, settings: object) => {
    const { status, body } = await world.api.post(path, { clientId: 'acme', ...settings });
    return [status, body.error];
  };
  const write = async (text: string, person = BOB) =>
    (await world.phones.write(person.number, { to: ALICE.number, text })).messageId;
  const idsAt = ({ calls }: TestReceiver) => calls.map((call) => eventIn(call)?.messageId);
  /** Message ids in the order in which they arrived from the network, which need not be that in which they were written. */
  const inOrder = (ids: readonly string[]) =>
    world.tail.entries.flatMap((entry) => {
      if (entry.kind !== 'event' || !('messageId' in entry.event)) return [];
      return ids.includes(entry.event.messageId) ? [entry.event.messageId] : [];
    });
  const failedOf = async (receiver: string) => {
    const path = `/failed-deliveries?clientId=acme&receiver=${receiver}`;
    const answer: Answer<'listFailedDeliveries'> = JSON.parse(
      JSON.stringify((await world.api.get(path)).body),
    );
    return answer.failedDeliveries;
  };

  it('lists the webhook as receiver 1 with the others, and never shows a token or the value of a header', async () => {
    const added = await add({ token: 'audit-token', name: 'audit', headers: { 'X-Api-Key': 'key-1' } });
    expect(added).to.include({ name: 'audit', url: audit.url, hasToken: true, retry: 'contract', failed: 0 });
    expect(added.headers).to.deep.equal(['x-api-key']);
    const [webhook, other] = await list();
    expect(webhook).to.include({ id: '1', url: world.receiver.url, hasToken: true });
    expect(other).to.deep.equal(added);
    const shown = JSON.stringify(await list());
    for (const secret of ['audit-token', 'key-1', WEBHOOK_TOKEN]) expect(shown).not.to.contain(secret);
  });

  it('never uses an id again, and refuses a ninth receiver', async () => {
    const first = await add();
    expect(
      (await world.api.post('/receivers/remove', { clientId: 'acme', id: first.id })).body,
    ).to.deep.equal({
      ...{ ok: true, clientId: 'acme', id: first.id, discarded: 0 },
    });
    const others: number[] = [];
    for (let n = 2; n <= 8; n++) others.push(Number((await add()).id));
    expect(others).to.deep.equal(others.map((_, n) => Number(first.id) + 1 + n));
    expect(await refusal('/receivers', { url: audit.url })).to.deep.equal([
      409,
      'session acme has 8 receivers with its webhook, which is the limit; remove one first',
    ]);
    expect(await refusal('/receivers/update', { id: first.id, name: 'x' })).to.deep.equal([
      404,
      `session acme has no receiver ${first.id}`,
    ]);
  });

  it('refuses to change the webhook, and says how to', async () => {
    const isWebhook = 'id: receiver 1 is the webhook of the session;';
    expect(await refusal('/receivers/update', { id: '1' })).to.deep.equal([
      400,
      `${isWebhook} change it with /set-webhook or /pause-webhook`,
    ]);
    expect(await refusal('/receivers/remove', { id: '1' })).to.deep.equal([
      400,
      `${isWebhook} switch it off with /set-webhook and an empty webhookUrl`,
    ]);
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const removed = await runCommand(ReceiversRemove, ['acme', '1'], env);
    expect(removed.stderr).to.contain(
      `${isWebhook} switch it off with \`switchboard sessions webhook acme\`, with \`--off\``,
    );
    const paused = await runCommand(ReceiversPause, ['acme', '1'], env);
    expect(paused.stderr).to.contain(
      `${isWebhook} change it with \`switchboard sessions webhook acme\`, also to pause it`,
    );
  });

  it('calls each receiver with its own token, headers and delivery id', async () => {
    await add({ token: 'audit-token', headers: { 'X-Api-Key': 'key-1', 'user-team': 'a b' } });
    const messageId = await write('hello both');
    await eventOf(audit, messageId);
    await eventOf(world.receiver, messageId);
    const [call] = audit.calls;
    const webhookCall = await world.receiver.find((candidate) => eventIn(candidate)?.messageId === messageId);
    if (!call) throw new Error('unreachable: the event was found');
    expect(call.headers).to.include({ 'x-api-key': 'key-1', 'user-team': 'a b', 'x-sn-attempt': '1' });
    verifyWebhook({ headers: call.headers, body: call.body, token: 'audit-token' });
    verifyWebhook({ headers: webhookCall.headers, body: webhookCall.body, token: WEBHOOK_TOKEN });
    expect(call.body).to.equal(webhookCall.body);
    expect(call.headers['x-sn-delivery']).not.to.equal(webhookCall.headers['x-sn-delivery']);
    expect(webhookCall.headers).not.to.have.property('x-api-key');
  });

  it('also signs with the previous token while the token of a receiver is replaced', async () => {
    const { id } = await add({ token: 'token-1' });
    const changed = await update(id, { token: 'token-2', previousTokenFor: 3_600 });
    expect(Date.parse(changed.previousTokenUntil ?? '')).to.be.greaterThan(Date.now());
    await world.api.post('/send-test-event', { clientId: 'acme', type: 'text', receiver: id });
    const [call] = audit.calls;
    if (!call) throw new Error('the receiver got no call');
    for (const token of ['token-1', 'token-2']) {
      verifyWebhook({ headers: call.headers, body: call.body, token });
    }
    expect(await update(id, { token: 'token-3' })).not.to.have.property('previousTokenUntil');
  });

  it('sends a receiver the opt-in types that it names, and the webhook only those of the session', async () => {
    await add({ filter: { types: ['message_status'] } });
    const { body } = await world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'Hi' });
    const call = await audit.find((candidate) => candidate.headers['x-sn-event'] === 'message_status');
    expect(JSON.parse(call.body)).to.include({ messageId: body.messageId });
    await eventOf(world.receiver, String(body.messageId));
    expect(audit.calls.some(({ headers }) => headers['x-sn-event'] === 'text')).to.equal(false);
    expect(world.receiver.calls.some(({ headers }) => headers['x-sn-event'] === 'message_status')).to.equal(
      false,
    );
  });

  it('sends a receiver only the events that pass its filter', async () => {
    await add({ filter: { senders: [CAROL.number], direction: 'received' } });
    const fromBob = await write('from Bob');
    await eventOf(world.receiver, fromBob);
    const fromCarol = await write('from Carol', CAROL);
    await eventOf(audit, fromCarol);
    expect(idsAt(audit)).to.deep.equal([fromCarol]);
  });

  it('lists the failed events of each receiver separately, and sends them again to that receiver only', async () => {
    const { id } = await add();
    audit.respond(answering(404));
    const messageId = await write('refused by one');
    await eventOf(world.receiver, messageId);
    await until('the failed delivery', async () => (await failedOf(id)).length === 1);
    const [failed] = await failedOf(id);
    expect(failed).to.include({ receiver: id, messageId, reason: 'answered 404' });
    expect(await failedOf('1')).to.deep.equal([]);
    expect((await one(id)).failed).to.equal(1);
    audit.respond(answering(200));
    const before = world.receiver.calls.length;
    const resent = await world.api.post(`/failed-deliveries/${failed?.id}/resend`);
    expect(resent.body).to.include({ delivered: true, deliveryId: failed?.id });
    expect(audit.calls.at(-1)?.headers['x-sn-delivery']).to.equal(failed?.id);
    expect(world.receiver.calls).to.have.length(before);
    expect(await failedOf(id)).to.deep.equal([]);
  });

  it('makes as many attempts as the schedule of a receiver says', async () => {
    const { id } = await add({ schedule: { attempts: 2 } });
    audit.respond(answering(500));
    await write('two attempts');
    await until('the failed delivery', async () => (await failedOf(id)).length === 1);
    expect((await failedOf(id))[0]).to.include({ attempts: 2, reason: 'answered 500' });
    expect(audit.calls.map(({ headers }) => headers['x-sn-attempt'])).to.deep.equal(['1', '2']);
  });

  it('pauses a durable receiver that answers 410, keeps its waiting events, and delivers them in order once it is resumed', async () => {
    const { id } = await add(SOON);
    audit.respond(answering(410));
    const first = await write('first');
    await until('the pause', async () => (await one(id)).paused === 'it answered 410');
    const second = await write('second');
    await eventOf(world.receiver, second);
    await until('the waiting events', async () => (await one(id)).waiting?.events === 2);
    const health = JSON.parse(JSON.stringify((await world.api.get('/health/clients')).body));
    expect(health.clients[0].receivers).to.have.nested.property('[0].paused', 'it answered 410');
    const fleet = JSON.parse(JSON.stringify((await world.api.get('/fleet')).body));
    expect(fleet.sessions[0].receivers[0]).to.include({ id, origin: audit.url });
    const tried = audit.calls.length;
    audit.respond(answering(200));
    await update(id, { paused: false });
    await eventOf(audit, second);
    expect(idsAt(audit).slice(tried)).to.deep.equal([first, second]);
    await until('an empty queue', async () => (await one(id)).waiting === undefined);
  });

  it('does not pause a receiver with a new address when its previous address answers 410', async () => {
    const { id } = await add(SOON);
    const next = await started();
    let answer: () => void = () => undefined;
    audit.respond((response, call, index) => {
      answer = () => answering(410)(response, call, index);
    });
    const event = await write('to the address before');
    await audit.received(1);
    await update(id, { url: next.url });
    answer();
    await eventOf(next, event);
    expect((await one(id)).paused).to.equal(undefined);
  });

  it('does not pause the webhook with a new address when its previous address answers 410', async () => {
    const next = await started();
    let answer: () => void = () => undefined;
    audit.respond((response, call, index) => {
      answer = () => answering(410)(response, call, index);
    });
    const setWebhook = (webhookUrl: string, retry: string) =>
      world.api.post('/set-webhook', { clientId: 'acme', webhookUrl, retry });
    try {
      await setWebhook(audit.url, 'durable');
      const event = await write('to the address before');
      await audit.received(1);
      await setWebhook(next.url, 'durable');
      answer();
      await eventOf(next, event);
      expect((await one('1')).paused).to.equal(undefined);
    } finally {
      await setWebhook(world.receiver.url, 'contract');
    }
  });

  it('counts a receiver as down when it refuses the events of one chat, although it accepts those of others', async () => {
    const { id } = await add(SOON);
    const metrics = async () => {
      const headers = { authorization: `Bearer ${TOKEN}` };
      return (await fetch(new URL('/metrics', world.api.url), { headers })).text();
    };
    const isDown = async () => /^switchboard_receivers\{state="down"[^}]*\} 1$/m.test(await metrics());
    const fromBob = await write('refused');
    await eventOf(audit, fromBob);
    await until('an accepted event', async () => (await one(id)).waiting === undefined);
    expect(await isDown()).to.equal(false);
    audit.respond((response, call) => {
      response.statusCode = eventIn(call)?.pushName === BOB.name ? 503 : 200;
      response.end();
    });
    await write('refused', BOB);
    await until('the metric', isDown);
    await eventOf(audit, await write('accepted', CAROL));
    await until('the one that waits', async () => {
      const { delivered, waiting } = await one(id);
      return delivered === 2 && waiting?.events === 1;
    });
    expect((await one(id)).waiting).to.include({ circuit: 'closed' });
    expect(await isDown()).to.equal(true);
    audit.respond(answering(200));
    await until('an empty queue', async () => (await one(id)).waiting === undefined);
    expect(await isDown()).to.equal(false);
  });

  it('drops the waiting events of a receiver that is removed', async () => {
    const { id } = await add(SOON);
    audit.respond(answering(503));
    await write('never delivered');
    await until('the waiting event', async () => (await one(id)).waiting?.events === 1);
    const { body } = await world.api.post('/receivers/remove', { clientId: 'acme', id });
    expect(body).to.include({ discarded: 1 });
    await world.stopDaemon();
    expect(await world.inspect((store) => store.waitingDeliveries.list('acme'))).to.deep.equal([]);
    await world.startDaemon();
    await world.connected();
    expect((await list()).map((receiver) => receiver.id)).to.deep.equal(['1']);
  });

  it('removes the failed events of a removed receiver, and stores none for a call that fails afterwards', async () => {
    const { id } = await add();
    audit.respond(answering(404));
    world.receiver.respond(answering(404));
    await write('refused by both');
    await until('the failed deliveries', async () => {
      return (await failedOf(id)).length === 1 && (await failedOf('1')).length === 1;
    });
    const calls: ServerResponse[] = [];
    audit.respond((response) => void calls.push(response));
    world.receiver.respond(answering(200));
    await write('refused after the removal');
    await until('the call', async () => calls.length === 1);
    expect((await world.api.post('/receivers/remove', { clientId: 'acme', id })).status).to.equal(200);
    expect(await failedOf(id)).to.deep.equal([]);
    const fleet = JSON.parse(JSON.stringify((await world.api.get('/fleet')).body));
    expect(fleet.sessions[0].webhook.failed).to.equal(1);
    for (const response of calls) response.writeHead(404).end();
    await until('its end', async () => {
      const ends = world.tail.entries.filter((entry) => entry.kind === 'dropped' && entry.receiver === id);
      return ends.length === 2;
    });
    await world.stopDaemon();
    const kept = await world.inspect((store) =>
      store.failedDeliveries.list({ clientId: 'acme', limit: 100 }),
    );
    expect(kept.map(({ receiver }) => receiver)).to.deep.equal([undefined]);
    await world.startDaemon();
    await world.connected();
    await world.api.post(`/failed-deliveries/${kept[0]?.id}/resend`);
    expect(await failedOf('1')).to.deep.equal([]);
  });

  it('delivers the waiting events of one receiver after a restart under the same ids, and repeats none to the others', async () => {
    const { id } = await add(SOON);
    audit.respond(answering(503));
    const messageId = await write('over a restart');
    await eventOf(world.receiver, messageId);
    await until('the waiting event', async () => (await one(id)).waiting?.events === 1);
    await audit.received(1);
    await world.restartDaemon();
    audit.respond(answering(200));
    await until('an empty queue', async () => (await one(id)).waiting === undefined);
    const tries = audit.calls.filter((call) => eventIn(call)?.messageId === messageId);
    expect(new Set(tries.map(({ headers }) => headers['x-sn-delivery'])).size).to.equal(1);
    expect(idsAt(world.receiver).filter((got) => got === messageId)).to.have.length(1);
  });

  it('delivers every event to seven receivers, in the order of each chat, while the eighth is down', async () => {
    await world.api.post('/set-webhook', {
      ...{ clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry: 'durable' },
    });
    const others: TestReceiver[] = [];
    for (let n = 0; n < 6; n++) {
      const receiver = await started();
      others.push(receiver);
      await add({ url: receiver.url, ...SOON });
    }
    audit.respond(() => undefined);
    const dead = await add({ retry: 'contract' });
    const from = world.receiver.calls.length;
    const written: string[] = [];
    for (let n = 0; n < 20; n++) written.push(await write(`to all ${n}`));
    // the stream may be later than the receivers
    await until('the order of arrival', async () => inOrder(written).length === written.length);
    for (const receiver of others) {
      await receiver.received(written.length);
      expect(idsAt(receiver)).to.deep.equal(inOrder(written));
    }
    await until('the webhook', async () => idsAt(world.receiver).slice(from).length === written.length);
    expect(idsAt(world.receiver).slice(from)).to.deep.equal(inOrder(written));
    expect((await one(dead.id)).delivered).to.equal(0);
    await world.api.post('/set-webhook', {
      ...{ clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, retry: 'contract' },
    });
  });

  it('refuses the part of a schedule that its kind of retries does not use', async () => {
    const attempts =
      'schedule.attempts: only with retry contract; durable retries have pauses and giveUpHours';
    const durable = { url: audit.url, retry: 'durable' };
    expect(await refusal('/receivers', { ...durable, schedule: { attempts: 3 } })).to.deep.equal([
      400,
      attempts,
    ]);
    const broker = { url: 'redis://127.0.0.1:1/0?stream=a', schedule: { attempts: 3 } };
    expect(await refusal('/receivers', broker)).to.deep.equal([400, attempts]);
    for (const [field, value] of [
      ['pauses', [1]],
      ['giveUpHours', 5],
    ] as const) {
      const refused = await refusal('/receivers', { url: audit.url, schedule: { [field]: value } });
      expect(refused).to.deep.equal([400, `schedule.${field}: only with retry durable`]);
    }
    const { id } = await add({ schedule: { attempts: 2 } });
    expect(await refusal('/receivers/update', { id, retry: 'durable' })).to.deep.equal([400, attempts]);
    expect(await one(id)).to.deep.include({ retry: 'contract', schedule: { attempts: 2 } });
    expect((await update(id, { retry: 'durable', schedule: { pauses: [1] } })).retry).to.equal('durable');
  });

  it('refuses a command that names no change, and warns of a receiver that is added twice', async () => {
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const { id } = await add({ name: 'audit' });
    const nothing = await runCommand(ReceiversSet, ['acme', id], env);
    expect([nothing.exitCode, nothing.stderr]).to.deep.equal([
      2,
      `error: nothing to change: give a flag such as --receiver-url or --name
  → pause or resume it: switchboard receivers pause acme ${id}\n`,
    ]);
    const other = await runCommand(ReceiversAdd, ['acme', audit.url, '--name', 'other'], env);
    expect(other.stderr).to.equal('');
    const twice = await runCommand(ReceiversAdd, ['acme', audit.url, '--name', 'audit'], env);
    expect(twice.exitCode).to.equal(0);
    expect(twice.stderr).to.contain(`receiver ${id} has the same address and name`);
    expect(twice.stderr).to.contain(`switchboard receivers remove acme ${(await list()).at(-1)?.id}`);
  });

  it('explains that --url is the address of the daemon when it is given the address of a receiver', async () => {
    const env = { SWITCHBOARD_TOKEN: 'a-token', SWITCHBOARD_URL: undefined };
    const { id } = await add();
    for (const url of [audit.url, 'nats://127.0.0.1:1/x']) {
      const set = await runCommand(ReceiversSet, ['acme', id, '--name', 'x', '--url', url], env);
      expect(set.stderr).to.contain('with --receiver-url: --url is that of the daemon');
      const added = await runCommand(ReceiversAdd, ['acme', audit.url, `--url=${url}`], env);
      expect(added.stderr).to.contain('as an argument: --url is that of the daemon');
    }
    const refused = await runCommand(ReceiversSet, ['acme', id, '--url', world.api.url, '--name', 'x'], env);
    expect(refused.stderr).not.to.contain('--receiver-url');
  });

  it('can be used from the command line', async () => {
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const added = await runCommand(
      ReceiversAdd,
      ['acme', audit.url, '--name', 'audit', '--direction', 'sent', '--header', 'X-Team: a', '--json'],
      env,
    );
    const { receiver }: Answer<'addReceiver'> = JSON.parse(added.stdout);
    expect(receiver).to.deep.include({ name: 'audit', filter: { direction: 'sent' }, headers: ['x-team'] });
    const named = ['acme', receiver.id];
    const narrowed = ['--type', 'text', '--header', 'X-Team: b', '--attempts', '2', '--json'];
    const changed = await runCommand(ReceiversSet, [...named, ...narrowed], env);
    expect(JSON.parse(changed.stdout).receiver).to.deep.include({
      ...{ filter: { types: ['text'] }, headers: ['x-team'], schedule: { attempts: 2 } },
    });
    await runCommand(ReceiversSet, [...named, '--usual-schedule'], env);
    const set = await runCommand(ReceiversSet, [...named, '--all-events', '--retry', 'durable'], env);
    expect(set.stdout).to.equal(
      `receiver ${receiver.id} (audit): ${audit.url} · retry durable · events all\n`,
    );
    const paused = await runCommand(ReceiversPause, named, env);
    expect(paused.stdout).to.contain('paused: an operator paused it');
    const messageId = await write('while it is paused');
    await eventOf(world.receiver, messageId);
    await until('the waiting event', async () => (await one(receiver.id)).waiting?.events === 1);
    const shown = await runCommand(SessionsShow, ['acme'], env);
    expect(shown.stdout).to.match(/^receivers +\d+ \(paused: an operator paused it; 1 event waits/m);
    const waits = await runCommand(FailedList, ['--session', 'acme', '--receiver', receiver.id], env);
    expect(waits.stderr).to.contain(`acme, receiver ${receiver.id}: 1 event waits`);
    const tested = await runCommand(ReceiversTest, [...named, '--type', 'call'], env);
    expect(tested.stdout).to.match(/^delivered \w{26}\n$/);
    expect(audit.calls.map(({ headers }) => headers['x-sn-event'])).to.deep.equal(['call']);
    expect((await runCommand(ReceiversResume, named, env)).stdout).not.to.contain('paused');
    await eventOf(audit, messageId);
    const listed = await runCommand(ReceiversList, ['acme'], env);
    expect(listed.stdout)
      .to.match(/^1 +webhook /m)
      .and.match(new RegExp(`^${receiver.id} +audit +works +durable `, 'm'));
    const removed = await runCommand(ReceiversRemove, named, env);
    expect(removed.stdout).to.equal(`removed receiver ${receiver.id} of acme\n`);
  });
});
