import { expect } from 'chai';
import Replay from '../../commands/replay.js';
import SessionsRetention from '../../commands/sessions/retention.js';
import SessionsShow from '../../commands/sessions/show.js';
import { verifyWebhook } from '../../src/client/verify.js';
import type { Answer, KeptEvent, ReplayAnswer } from '../../src/contract/index.js';
import { answering, eventIn, eventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const DAY_MS = 24 * 60 * 60_000;
const BOUND = 16 * 1024;
const SECRET = 'secret-of-another-session';

describe('the replay of kept events, over the wire', () => {
  let world: World;
  let audit: TestReceiver;
  /** The store refuses to keep events. */
  let isBroken = false;

  before(async () => {
    world = await startWorld({
      overrides: {
        keptEventBytes: BOUND,
        aroundStore: (store) => ({
          ...store,
          keptEvents: {
            ...store.keptEvents,
            add: async (event) => {
              if (isBroken) throw new Error('the disk is full');
              return store.keptEvents.add(event);
            },
          },
        }),
      },
    });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  after(() => world.stop());

  beforeEach(async () => {
    audit = await startReceiver();
    world.receiver.respond(answering(200));
  });
  afterEach(async () => {
    await keep(0);
    await audit.stop();
  });

  const keep = async (keepEvents: number) => {
    const { body } = await world.api.post('/set-retention', { clientId: 'acme', keepEvents });
    return body;
  };
  const keptEvents = async (query = ''): Promise<Answer<'listKeptEvents'>> => {
    const { status, body } = await world.api.get(`/kept-events?clientId=acme${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return JSON.parse(JSON.stringify(body));
  };
  const kept = async (query = ''): Promise<KeptEvent[]> => (await keptEvents(query)).keptEvents;
  /** Bob writes; resolves when the event is delivered and kept. */
  const write = async (text: string): Promise<string> => {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text });
    await eventOf(world.receiver, messageId);
    await until('the kept event', async () => (await kept()).some((event) => event.messageId === messageId));
    return messageId;
  };
  const replay = async (wish: object): Promise<ReplayAnswer> => {
    const { status, body } = await world.api.post('/replay', { clientId: 'acme', ...wish });
    expect(status, JSON.stringify(body)).to.equal(200);
    return JSON.parse(JSON.stringify(body));
  };
  const add = async (settings: object = {}): Promise<string> => {
    const { body } = await world.api.post('/receivers', { clientId: 'acme', url: audit.url, ...settings });
    const answer: Answer<'addReceiver'> = JSON.parse(JSON.stringify(body));
    return answer.receiver.id;
  };
  const remove = (id: string) => world.api.post('/receivers/remove', { clientId: 'acme', id });
  const idsAt = (calls: TestReceiver['calls']) => calls.map((call) => eventIn(call)?.messageId);
  const always = '1970-01-01T00:00:00.000Z';
  const env = () => ({ SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN });

  it('keeps no events unless the session enables it, shows the setting, and drops the kept events when it is disabled', async () => {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'not kept' });
    await eventOf(world.receiver, messageId);
    expect(await keptEvents()).to.deep.equal({ keptEvents: [] });
    expect(await keep(7)).to.deep.equal({ ok: true, clientId: 'acme', days: null, keepEvents: 7 });
    expect((await world.api.get('/clients')).body.clients).to.have.nested.property('[0].keepEvents', 7);
    expect((await runCommand(SessionsShow, ['acme'], env())).stdout).to.match(/^events kept +7 days$/m);
    const second = await write('kept');
    expect((await kept()).map((event) => event.messageId)).to.deep.equal([second]);
    expect(await keep(0)).to.deep.equal({ ok: true, clientId: 'acme', days: null });
    expect(await kept()).to.deep.equal([]);
    expect((await world.api.get('/clients')).body.clients).not.to.have.nested.property('[0].keepEvents');
  });

  it('sends the events of a period again, in their order, as new signed deliveries that name the original ones', async () => {
    await keep(7);
    const written = [await write('one'), await write('two'), await write('three'), await write('four')];
    const [, third, second] = await kept();
    const from = world.receiver.calls.length;
    const before = world.receiver.calls;
    const answer = await replay({ from: second?.at, to: third?.at });
    expect(answer).to.deep.equal({ ok: true, clientId: 'acme', receiver: '1', replayed: 2, filtered: 0 });
    const calls = world.receiver.calls.slice(from);
    expect(idsAt(calls)).to.deep.equal(written.slice(1, 3));
    expect(calls.map(({ headers }) => headers['x-sn-replayed'])).to.deep.equal([second?.id, third?.id]);
    for (const call of calls) {
      const first = before.find((other) => eventIn(other)?.messageId === eventIn(call)?.messageId);
      expect(call.body).to.equal(first?.body);
      expect(call.headers['x-sn-delivery']).not.to.equal(first?.headers['x-sn-delivery']);
      expect(first?.headers).not.to.have.property('x-sn-replayed');
      verifyWebhook({ headers: call.headers, body: call.body, token: WEBHOOK_TOKEN });
    }
  });

  it('sends events again by their ids and types, page after page, and says which ids are not kept', async () => {
    await keep(7);
    const [first, second] = [await write('one'), await write('two')];
    const [two, one] = await kept();
    const unknown = '01K0000000000000000000000A';
    const from = world.receiver.calls.length;
    expect(await replay({ ids: [two?.id, unknown, one?.id] })).to.deep.include({
      ...{ replayed: 2, filtered: 0, missing: [unknown] },
    });
    expect(idsAt(world.receiver.calls.slice(from))).to.deep.equal([first, second]);
    expect(await replay({ from: always, types: ['image'] })).to.include({ replayed: 0 });
    const page = await replay({ from: always, limit: 1 });
    expect(page).to.include({ replayed: 1 });
    expect(await replay({ from: always, limit: 5, after: page.next })).to.deep.equal({
      ...{ ok: true, clientId: 'acme', receiver: '1', replayed: 1, filtered: 0 },
    });
    expect(idsAt(world.receiver.calls.slice(from + 2))).to.deep.equal([first, second]);
    const newest = await keptEvents('&limit=1&type=text');
    expect(newest.keptEvents).to.deep.equal([two]);
    expect(await kept(`&limit=1&before=${newest.next}`)).to.deep.equal([one]);
  });

  it('sends events to a receiver that was added later, if they pass its filter', async () => {
    await keep(7);
    const messageId = await write('for both');
    const id = await add({ filter: { senders: [CAROL.number] } });
    const from = world.receiver.calls.length;
    expect(await replay({ receiver: id, from: always })).to.include({ replayed: 0, filtered: 1 });
    expect(await replay({ receiver: id, from: always, ignoreFilter: true })).to.include({ replayed: 1 });
    expect(idsAt(audit.calls)).to.deep.equal([messageId]);
    expect(world.receiver.calls).to.have.length(from);
    await remove(id);
  });

  it('refuses a paused receiver and an unknown one', async () => {
    await keep(7);
    const id = await add();
    await world.api.post('/receivers/update', { clientId: 'acme', id, paused: true });
    const refused = async (receiver: string) => {
      const answer = await world.api.post('/replay', { clientId: 'acme', receiver, from: always });
      return [answer.status, answer.headers.get('x-sn-error'), answer.body.error];
    };
    expect(await refused(id)).to.deep.equal([
      ...[409, 'receiver_paused'],
      `receiver ${id} of session acme is paused (an operator paused it): resume it first`,
    ]);
    await remove(id);
    expect(await refused(id)).to.deep.equal([404, 'receiver_unknown', `session acme has no receiver ${id}`]);
    await world.api.post('/pause-webhook', { clientId: 'acme', paused: true });
    expect((await refused('1'))[1]).to.equal('receiver_paused');
    await world.api.post('/pause-webhook', { clientId: 'acme', paused: false });
    expect(audit.calls).to.deep.equal([]);
  });

  it('stops at the first event that the receiver refuses, keeps the header of its failed delivery, and can continue after it', async () => {
    await keep(7);
    const [first, second] = [await write('refused'), await write('taken')];
    const id = await add();
    audit.respond(answering(404, 200));
    const stopped = await replay({ receiver: id, from: always });
    expect(stopped).to.include({ replayed: 0, reason: 'answered 404' });
    expect(await replay({ receiver: id, from: always, after: stopped.next })).to.include({ replayed: 1 });
    expect(idsAt(audit.calls)).to.deep.equal([first, second]);
    const { body } = await world.api.get(`/failed-deliveries?clientId=acme&receiver=${id}`);
    const { failedDeliveries }: Answer<'listFailedDeliveries'> = JSON.parse(JSON.stringify(body));
    const resent = await world.api.post(`/failed-deliveries/${failedDeliveries[0]?.id}/resend`);
    expect(resent.body).to.include({ delivered: true });
    const replayed = audit.calls.map(({ headers }) => headers['x-sn-replayed']);
    expect(replayed[2]).to.be.a('string').and.to.equal(replayed[0]);
    await remove(id);
  });

  it('keeps the newest events, within the limit of bytes', async () => {
    await keep(7);
    const written: string[] = [];
    for (let n = 0; n < 12; n++) written.push(await write(`${n} ${'x'.repeat(1_000)}`));
    await until('a total below the bound', async () => {
      return (await kept()).reduce((sum, { bytes }) => sum + bytes, 0) <= BOUND;
    });
    const left = (await kept()).map(({ messageId }) => messageId).reverse();
    expect(left.length).to.be.greaterThan(3).and.lessThan(written.length);
    expect(left).to.deep.equal(written.slice(-left.length));
  });

  it('delivers an event even if the store fails to keep it', async () => {
    await keep(7);
    isBroken = true;
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'only delivered' });
    await eventOf(world.receiver, messageId);
    isBroken = false;
    const next = await write('kept again');
    expect((await kept()).map((event) => event.messageId)).to.deep.equal([next]);
  });

  it('keeps each opt-in event that a receiver gets', async () => {
    await keep(7);
    const id = await add({ filter: { types: ['message_status'] } });
    await world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'Hi' });
    const statuses = async () => audit.calls.map(({ body }) => JSON.parse(body).status);
    await until('two statuses', async () => (await statuses()).length >= 2);
    await until('two kept statuses', async () => (await kept('&type=message_status')).length >= 2);
    const before = audit.calls.length;
    const { replayed } = await replay({ receiver: id, from: always, types: ['message_status'] });
    expect(replayed).to.be.at.least(2);
    const again = audit.calls.slice(before).filter(({ headers }) => headers['x-sn-replayed']);
    expect(new Set(again.map(({ body }) => body)).size).to.equal(replayed);
    await remove(id);
  });

  it('opens the events of a session only to its own secret and the master token', async () => {
    await linkSession(world, 'other', CAROL);
    await world.api.post('/set-api-secret', { clientId: 'other', secret: SECRET });
    const other = world.api.as(SECRET);
    expect((await other.get('/kept-events?clientId=acme')).status).to.equal(403);
    expect((await other.post('/replay', { clientId: 'acme', from: always })).status).to.equal(403);
    expect((await other.get('/kept-events?clientId=other')).status).to.equal(200);
    expect((await other.post('/set-retention', { clientId: 'other', keepEvents: 1 })).status).to.equal(403);
    await keep(7);
    await write('of acme');
    const [event] = await kept();
    const foreign = await other.post('/replay', { clientId: 'other', ids: [event?.id] });
    expect(foreign.body).to.deep.include({ replayed: 0, missing: [event?.id] });
  });

  it('can be listed and started from the command line', async () => {
    const nothing = await runCommand(SessionsRetention, ['acme'], env());
    expect(nothing).to.deep.include({ exitCode: 2 });
    const set = await runCommand(SessionsRetention, ['acme', '--keep-events', '3'], env());
    expect(set.stdout).to.contain('events of acme are kept 3 days\n');
    const messageId = await write('by command');
    const run = (...argv: string[]) => runCommand(Replay, ['acme', ...argv], env());
    expect((await run('--dry-run')).stdout).to.match(new RegExp(`text +${messageId} +\\d+$`, 'm'));
    const { keptEvents: listed } = JSON.parse((await run('--dry-run', '--from', '1h', '--json')).stdout);
    expect(listed).to.have.length(1);
    const from = world.receiver.calls.length;
    expect((await run('--from', '1h', '--type', 'text')).stdout).to.equal(
      '1 event sent again to receiver 1\n',
    );
    const { stdout } = await run('--id', listed[0].id, '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ clientId: 'acme', receiver: '1', replayed: 1, filtered: 0 });
    expect(idsAt(world.receiver.calls.slice(from))).to.deep.equal([messageId, messageId]);
    world.receiver.respond(answering(404));
    const failed = await run('--from', '1h');
    expect(failed.exitCode).to.equal(1);
    expect(failed.stderr).to.contain('stopped: the receiver did not take an event: answered 404');
  });

  it('deletes events that are older than the session keeps them, at the next housekeeping round', async () => {
    await keep(2);
    const messageId = await write('new');
    await world.stopDaemon();
    await world.inspect(async (store) => {
      const event = { clientId: 'acme', type: 'text', chat: 'c', messageId: 'M', size: 9, body: '{}' };
      await store.keptEvents.add({ ...event, id: 'OLD', at: Date.now() - 3 * DAY_MS });
      // of a session that keeps none
      await store.keptEvents.add({ ...event, id: 'LEFT', clientId: 'other', at: Date.now() - 31 * DAY_MS });
    });
    await world.startDaemon();
    await until('the round', async () => (await kept()).length === 1);
    expect((await kept())[0]).to.include({ messageId });
    await until('the round over all sessions', async () => {
      const { body } = await world.api.get('/kept-events?clientId=other');
      return JSON.stringify(body) === '{"keptEvents":[]}';
    });
  });
});
