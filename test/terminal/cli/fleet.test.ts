import { expect } from 'chai';
import type { FleetSession } from '../../../src/contract/index.js';
import { DaemonClient } from '../../../src/terminal/cli/client.js';
import { LiveFleet } from '../../../src/terminal/cli/fleet/live-fleet.js';
import type { FleetState } from '../../../src/terminal/cli/fleet/model.js';
import type { PairItem } from '../../../src/terminal/cli/pair.js';
import { startHttpProxy } from '../../support/proxies.js';
import { answering } from '../../support/receiver.js';
import { freePort } from '../../support/tcp-proxy.js';
import { ALICE, BOB, linkSession, nextQr, startWorld, TOKEN, type World } from '../../support/world.js';
import { attempt, statusEvent } from './support/entries.js';
import { FakeDaemon } from './support/fake-daemon.js';

/** Resolves with the state once it fits. */
function until(fleet: LiveFleet, fits: (state: FleetState) => boolean): Promise<FleetState> {
  if (fits(fleet.state)) return Promise.resolve(fleet.state);
  return new Promise((resolve) => {
    const unsubscribe = fleet.subscribe(() => {
      if (!fits(fleet.state)) return;
      unsubscribe();
      resolve(fleet.state);
    });
  });
}

const rowOf = ({ sessions }: FleetState, clientId: string): FleetSession | undefined =>
  sessions.find((row) => row.clientId === clientId);

describe('the fleet model', () => {
  let world: World;
  let fleet: LiveFleet;
  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true, port: await freePort() } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
  });
  after(() => world.stop());
  beforeEach(async () => {
    world.receiver.respond(answering(200));
    fleet = new LiveFleet({ client: new DaemonClient({ url: world.daemon.url, token: TOKEN }) });
    await until(fleet, ({ connection, loading }) => connection.state === 'open' && !loading);
  });
  afterEach(() => fleet.close());

  const say = (text: string) => world.phones.write(BOB.number, { to: ALICE.number, text });
  const connected = (state: FleetState) => rowOf(state, 'acme')?.status === 'connected';

  it('shows nodes and sessions, and changes of their state as they happen', async () => {
    expect(fleet.state.nodes.map(({ podName }) => podName)).to.deep.equal(['node-1']);
    expect(rowOf(fleet.state, 'acme')).to.include({ status: 'connected', podName: 'node-1' });
    const lost = until(fleet, (state) => rowOf(state, 'acme')?.status === 'reconnecting');
    await world.phones.fault({ kind: 'disconnect', number: ALICE.number });
    expect(rowOf(await lost, 'acme')?.reason).to.not.equal('');
    await until(fleet, (state) => connected(state) && (rowOf(state, 'acme')?.reconnects ?? 0) > 0);
  });

  it('shows webhook answers, and the failed deliveries of the opened session', async () => {
    world.receiver.respond(answering(403));
    await say('before the look');
    await until(fleet, (state) => rowOf(state, 'acme')?.webhook.failed === 1);
    expect(rowOf(fleet.state, 'acme')?.webhook.last).to.include({ outcome: 'rejected', status: 403 });
    fleet.open('acme');
    const { opened } = await until(fleet, (state) => state.opened?.failed?.length === 1);
    expect(opened?.failed?.[0]).to.include({ clientId: 'acme', type: 'text' });
    await until(fleet, (state) => JSON.stringify(state.opened?.entries).includes('before the look'));
    await say('during the look');
    await until(fleet, (state) => JSON.stringify(state.opened?.entries).includes('during the look'));
    await until(fleet, (state) => state.opened?.failed?.length === 2);
    world.receiver.respond(answering(200));
    await fleet.resend(fleet.state.opened?.failed?.map(({ id }) => id) ?? []);
    expect(fleet.state.notice).to.include({ level: 'done', text: '2 delivered' });
    expect(fleet.state.opened).to.deep.include({ failed: [], resending: [] });
    await until(fleet, (state) => rowOf(state, 'acme')?.webhook.failed === 0);
    fleet.leave();
    expect(fleet.state.opened).to.equal(undefined);
  });

  it('reports when a repeated delivery fails', async () => {
    world.receiver.respond(answering(410));
    await say('refused for good');
    fleet.open('acme');
    const { opened } = await until(fleet, (state) => state.opened?.failed?.length === 1);
    await fleet.resend([opened?.failed?.[0]?.id ?? '']);
    expect(fleet.state.notice?.text).to.match(/1 of 1 failed again: answered 410/);
    expect(fleet.state.opened?.failed).to.have.length(1);
  });

  it('reconnects a session', async () => {
    const before = rowOf(fleet.state, 'acme')?.reconnects ?? 0;
    await fleet.reconnect('acme');
    expect(fleet.state.notice).to.include({ level: 'done', text: 'acme connects again' });
    await until(fleet, (state) => connected(state) && rowOf(state, 'acme')?.reconnects === before + 1);
  });

  it('sets the proxy of a session, and removes it', async () => {
    const proxy = await startHttpProxy();
    try {
      await fleet.setProxy('acme', proxy.url);
      const shown = `http://127.0.0.1:${proxy.port}`;
      expect(fleet.state.notice).to.include({ level: 'done', text: `acme connects through ${shown}` });
      await until(fleet, (state) => connected(state) && rowOf(state, 'acme')?.proxy?.port === proxy.port);
      await fleet.setProxy('acme', null);
      expect(fleet.state.notice).to.include({ level: 'done', text: 'acme connects directly' });
      await until(fleet, (state) => connected(state) && rowOf(state, 'acme')?.proxy === undefined);
    } finally {
      await proxy.stop();
    }
  });

  it('reports refusals of the daemon, and what to do', async () => {
    await fleet.reconnect('nobody');
    expect(fleet.state.notice).to.deep.include({ level: 'error' });
    expect(fleet.state.notice?.text).to.match(/there is no session nobody/);
    expect(fleet.state.notice?.suggestions).to.not.deep.equal([]);
    fleet.say(undefined);
    expect(fleet.state.notice).to.equal(undefined);
  });

  it('pairs a new session, and logs it out again', async () => {
    await world.phones.addPhone({ number: '+15550000041', name: 'Fresh' });
    const { items } = fleet.pair('fresh');
    const seen: PairItem[] = [];
    const ended = (async () => {
      for await (const item of items) seen.push(item);
    })();
    await world.phones.scan('+15550000041', await nextQr(world, 'fresh'));
    await ended;
    expect(seen.at(-1)).to.deep.equal({ type: 'connected', jid: '15550000041@s.whatsapp.net' });
    await until(fleet, (state) => rowOf(state, 'fresh')?.status === 'connected');
    fleet.open('fresh');
    await fleet.disconnect('fresh');
    expect(fleet.state.notice).to.include({ level: 'done', text: 'fresh is logged out and deleted' });
    expect(fleet.state.opened).to.equal(undefined);
    await until(fleet, (state) => rowOf(state, 'fresh') === undefined);
  });

  it('stops a pairing on request', async () => {
    const { items, stop } = fleet.pair('undecided');
    const seen: PairItem[] = [];
    for await (const item of items) {
      seen.push(item);
      stop();
    }
    expect(seen.at(-1)).to.include({ type: 'failed', code: 'interrupted' });
  });

  it('survives a restart of the daemon, and shows the lost connection', async () => {
    fleet.open('acme');
    const away = until(fleet, ({ connection }) => connection.state === 'reconnecting');
    await world.stopDaemon();
    await away;
    expect(rowOf(fleet.state, 'acme')).to.not.equal(undefined);
    await world.startDaemon();
    await until(fleet, (state) => state.connection.state === 'open' && connected(state));
    await say('after the restart');
    await until(fleet, (state) => JSON.stringify(state.opened?.entries).includes('after the restart'));
  });
});

describe('the fleet model, between polls', () => {
  const NOW = '2026-01-02T03:04:04.000Z';
  let daemon: FakeDaemon;
  let fleet: LiveFleet;
  beforeEach(async () => {
    daemon = await FakeDaemon.start();
    const webhook = {
      origin: 'https://example.com',
      waiting: 0,
      inFlight: 0,
      failed: 0,
      delivered: 0,
      dropped: 0,
    };
    const row = { clientId: 'acme', podName: 'node-1', status: 'connected', since: NOW, reason: '', webhook };
    daemon.on('GET /fleet', { at: NOW, nodes: [], sessions: [row] });
    fleet = new LiveFleet({ client: new DaemonClient({ url: daemon.url }) });
    await until(fleet, ({ connection, loading }) => connection.state === 'open' && !loading);
  });
  afterEach(async () => {
    fleet.close();
    await daemon.stop();
  });

  it('repeats a failed delivery once, despite repeated requests', async () => {
    daemon.on('GET /failed-deliveries', { failedDeliveries: [{ id: '01A' }, { id: '01B' }] });
    const answer = { delivered: true, status: 200, reason: '', durationMs: 1 };
    daemon.on('POST /failed-deliveries/01A/resend', answer);
    daemon.on('POST /failed-deliveries/01B/resend', answer);
    fleet.open('acme');
    await until(fleet, ({ opened }) => opened?.failed?.length === 2);
    await Promise.all([fleet.resend(['01A']), fleet.resend(['01A']), fleet.resend(['01A', '01B'])]);
    expect(daemon.callsOf('/failed-deliveries/01A/resend')).to.have.length(1);
    expect(daemon.callsOf('/failed-deliveries/01B/resend')).to.have.length(1);
    expect(fleet.state.opened?.resending).to.deep.equal([]);
  });

  it('shows an attempt and a status before the next poll', async () => {
    daemon.publish(attempt({ outcome: 'failed', status: 503, attempt: 2, reason: 'answered 503' }));
    const { sessions } = await until(fleet, (state) => rowOf(state, 'acme')?.webhook.last !== undefined);
    expect(sessions[0]?.webhook.last).to.deep.include({
      origin: 'https://example.com',
      outcome: 'failed',
      status: 503,
      attempt: 2,
    });
    daemon.publish(statusEvent('reconnecting', 'connected', 'lost'));
    const lost = await until(fleet, (state) => rowOf(state, 'acme')?.status === 'reconnecting');
    expect(rowOf(lost, 'acme')).to.include({
      reason: 'lost',
      connected: false,
      since: '2026-01-02T03:04:05.000Z',
    });
  });

  it('ignores an older state', async () => {
    const seen = new Set<number | undefined>();
    const last = (state: FleetState) => rowOf(state, 'acme')?.webhook.last?.status;
    fleet.subscribe(() => seen.add(last(fleet.state)));
    daemon.publish(attempt({ at: '2026-01-02T03:04:06.000Z', status: 200 }));
    await until(fleet, (state) => last(state) === 200);
    daemon.publish(attempt({ at: '2026-01-02T03:04:01.000Z', status: 500 }));
    daemon.publish(statusEvent('reconnecting', 'connected'));
    await until(fleet, (state) => rowOf(state, 'acme')?.status === 'reconnecting');
    daemon.publish(attempt({ at: '2026-01-02T03:04:07.000Z', status: 201 }));
    await until(fleet, (state) => last(state) === 201);
    expect([...seen])
      .to.include(200)
      .and.not.include(500);
  });

  it('reports why a poll failed', async () => {
    daemon.on('GET /fleet', () => ({ status: 401, body: { error: 'a valid token is required' } }));
    daemon.publish(statusEvent('reconnecting', 'connected'));
    const { notice, sessions } = await until(fleet, (state) => state.notice !== undefined);
    expect(notice).to.include({ level: 'error', text: 'a valid token is required' });
    expect(sessions).to.have.length(1);
  });
});
