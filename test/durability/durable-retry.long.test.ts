import { expect } from 'chai';
import FailedList from '../../commands/failed/list.js';
import SessionsShow from '../../commands/sessions/show.js';
import SessionsWebhook from '../../commands/sessions/webhook.js';
import { Chance } from '../support/chance.js';
import { eventIn, Inbound } from '../support/inbound.js';
import { answering } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { ALICE, startKillableWorld, TOKEN, WEBHOOK_TOKEN, type World } from '../support/world.js';

const PATIENCE_MS = 120_000;
const EVENTS = 15;
const bearer = { headers: { authorization: `Bearer ${TOKEN}` } };

describe('a session whose receiver has durable retries', function () {
  this.timeout(PATIENCE_MS);
  let world: World;
  let inbound: Inbound;

  before(async () => {
    world = await startKillableWorld({ leaseSeconds: 8 });
    inbound = new Inbound(world);
  });
  after(() => world.stop());

  const health = async (): Promise<{ waiting?: { events: number }; openJournal: number }> => {
    const { body } = await world.api.get('/health/clients');
    const { clients } = JSON.parse(JSON.stringify(body));
    // a node that has lost its lease shows none for a moment
    return clients[0] ?? { openJournal: Number.NaN };
  };
  const nothingWaits = async () => {
    const { waiting, openJournal } = await health();
    return waiting === undefined && openJournal === 0;
  };
  /** Message ids in the order in which the daemon announced them, when all of them wait and the journal is closed. */
  const writeWhileDown = async (text: string): Promise<string[]> => {
    const written = new Set<string>();
    for (let n = 0; n < EVENTS; n++) written.add(await inbound.write(`${text} ${n}`));
    await until('the waiting events', async () => {
      const { waiting, openJournal } = await health();
      return waiting?.events === EVENTS && openJournal === 0;
    });
    const announced = world.tail.entries.flatMap((entry) => {
      if (entry.kind !== 'event' || !('messageId' in entry.event)) return [];
      return written.has(entry.event.messageId) ? [entry.event.messageId] : [];
    });
    // a node that lost its lease for a moment announces again what it could not close
    return [...new Set(announced)];
  };
  /** The ids of messages in the calls that the receiver accepted, without repeats. */
  const idsSince = (from: number) => [
    ...new Set(world.receiver.calls.slice(from).map((call) => eventIn(call).messageId)),
  ];

  it('shows the setting, and the waiting events while the receiver is down', async () => {
    const webhook = { clientId: 'acme', webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN };
    const { body } = await world.api.post('/set-webhook', { ...webhook, retry: 'durable' });
    expect(body).to.include({ ok: true, retry: 'durable' });
    expect((await world.api.get('/clients')).body.clients).to.have.nested.property('[0].retry', 'durable');
    await until('an empty queue', nothingWaits);
    world.receiver.respond(answering(503));
    const written = await writeWhileDown('down');
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const { stderr } = await runCommand(FailedList, ['--session', 'acme'], env);
    expect(stderr).to.contain(`acme: ${EVENTS} events wait for the receiver since 2`);
    const shown = await runCommand(SessionsShow, ['acme'], env);
    expect(shown.stdout)
      .to.match(/^retry +durable$/m)
      .and.match(/^waiting +15 events wait/m);
    const metrics = await (await fetch(`${world.api.url}/metrics`, bearer)).text();
    expect(metrics).to.match(/^switchboard_webhook_waiting\{.*\} 1[45]$/m);
    expect(metrics).to.match(/^switchboard_webhook_durable_bytes\{.*\} [1-9]/m);
    const from = world.receiver.calls.length;
    world.receiver.respond(answering(200));
    await until('an empty queue', nothingWaits);
    expect(idsSince(from)).to.deep.equal(written);
    expect((await world.api.get('/failed-deliveries')).body).to.deep.equal({ failedDeliveries: [] });
  });

  it('delivers every event in order after the daemon was killed while they waited', async () => {
    world.receiver.respond(answering(503));
    const written = await writeWhileDown('killed');
    await world.killDaemon();
    const kept = await world.inspect((store) => store.waitingDeliveries.list('acme'));
    expect(kept.map(({ messageId }) => messageId)).to.deep.equal(written);
    const from = world.receiver.calls.length;
    world.receiver.respond(answering(200));
    await world.startDaemon();
    await world.connected();
    await inbound.write('after');
    await until('the newest event', async () => inbound.missing() === 0);
    expect(idsSince(from).slice(0, EVENTS)).to.deep.equal(written);
    const ids = new Set(kept.map(({ id }) => id));
    const delivered = world.receiver.calls.slice(from).map(({ headers }) => headers['x-sn-delivery']);
    expect(delivered.slice(0, EVENTS).every((id) => ids.has(String(id)))).to.equal(true);
    await until('an empty queue', nothingWaits);
  });

  const chance = new Chance();
  it(`tries the receiver for each chat while it fails half of its calls (seed ${chance.seed})`, async () => {
    const from = world.receiver.calls.length;
    world.receiver.respond((response) => response.writeHead(chance.pick(200, 500)).end());
    const people = Array.from({ length: 12 }, (_, n) => ({
      number: `+155500001${10 + n}`,
      name: `Person ${n}`,
    }));
    for (const person of people) await world.phones.addPhone(person);
    const written: string[] = [];
    for (const { number } of people) {
      written.push((await world.phones.write(number, { to: ALICE.number, text: 'hello' })).messageId);
    }
    await until('a call for each chat', async () => written.every((id) => idsSince(from).includes(id)));
    world.receiver.respond(answering(200));
    await until('an empty queue', nothingWaits);
    expect((await world.api.get('/failed-deliveries')).body).to.deep.equal({ failedDeliveries: [] });
  });

  it('pauses the receiver at its 410, keeps it paused over a restart, and resumes it by a command', async () => {
    world.receiver.respond(answering(410));
    const messageId = await inbound.write('gone');
    await until('the pause', async () => {
      const { clients } = (await world.api.get('/clients')).body;
      return JSON.stringify(clients).includes('"webhookPaused":"it answered 410"');
    });
    await world.killDaemon();
    await world.startDaemon();
    await world.connected();
    const env = { SWITCHBOARD_URL: world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const run = (...argv: string[]) => runCommand(SessionsWebhook, ['acme', ...argv], env);
    const shown = await runCommand(SessionsShow, ['acme'], env);
    expect(shown.stdout).to.match(/^webhook paused +it answered 410$/m);
    world.receiver.respond(answering(200));
    const from = world.receiver.calls.length;
    expect(await run('--resume')).to.include({ stdout: 'the webhook of acme gets calls\n' });
    await until('an empty queue', nothingWaits);
    expect(idsSince(from)).to.include(messageId);
    const { stdout } = await run('--pause', '--json');
    expect(JSON.parse(stdout)).to.deep.equal({ ok: true, clientId: 'acme', paused: true });
    const webhook = { clientId: 'acme', webhookUrl: world.receiver.url };
    await world.api.post('/set-webhook', webhook);
    expect((await world.api.get('/clients')).body.clients).to.not.have.nested.property('[0].webhookPaused');
  });

  it('loses nothing when the daemon is killed at the moment at which the receiver accepts', async () => {
    await world.killDaemon();
    await world.startDaemon();
    await world.connected();
    const from = world.receiver.calls.length;
    const messageId = await inbound.write('accepted');
    await world.receiver.received(from + 1);
    await world.killDaemon();
    await world.startDaemon();
    await world.connected();
    await inbound.write('next');
    await until('the newest event', async () => inbound.missing() === 0);
    const calls = world.receiver.calls.filter((call) => eventIn(call).messageId === messageId);
    expect(new Set(calls.map(({ headers }) => headers['x-sn-delivery'])).size).to.equal(1);
  });
});
