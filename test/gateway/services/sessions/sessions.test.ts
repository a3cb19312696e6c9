import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { type Reason, reason } from '../../../../src/domain/reasons.js';
import type { LinkEvent, LinkOptions } from '../../../../src/gateway/link/link.js';
import { SOLE_OWNERSHIP } from '../../../../src/gateway/services/sessions/ownership.js';
import type { SessionRegistry } from '../../../../src/gateway/services/sessions/registry.js';
import { SessionParts } from '../../../../src/gateway/services/sessions/session-parts.js';
import { Admission, NODE_RETURNS } from '../../../../src/gateway/services/sessions/waiting.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { causeOf } from '../../../support/reasons.js';
import { ME, playedLink } from '../../../support/rig/link.js';
import { HOSTED } from '../../../support/rig/receiving.js';
import { type PlayedSessions, Rig } from '../../../support/rig/rig.js';

// a store that fails at one instant cannot be had over the wire: here the links are played by hand
describe('SessionRegistry', () => {
  let rig: Rig;
  let store: Store;
  let sessions: SessionRegistry;
  let opened: LinkOptions[];
  let failing: string | undefined;
  /** Runs while a session is being ended. */
  let whileEnding: () => void;
  /** The node has the leases of its sessions. */
  let isHeld: boolean;
  beforeEach(async () => {
    rig = await Rig.start();
    store = rig.store;
    failing = undefined;
    whileEnding = () => undefined;
    isHeld = true;
    const parts = new SessionParts();
    parts.add({ end: async () => whileEnding() });
    ({ sessions, opened } = rig.sessions(playedLink(), {
      store: breakable(store),
      parts,
      ownership: { ...SOLE_OWNERSHIP, holds: () => isHeld },
    }));
  });
  afterEach(async () => {
    failing = undefined;
    await rig.close();
  });

  function breakable(real: Store): Store {
    const guard = async (step: string) => {
      if (failing === step) throw new GatewayError('store_unavailable', 'the store is away');
    };
    return {
      ...real,
      keys: {
        ...real.keys,
        credentials: (clientId) => real.keys.credentials(clientId),
        get: (clientId, type, ids) => real.keys.get(clientId, type, ids),
        commit: (clientId, commit) => real.keys.commit(clientId, commit),
        clear: (clientId) => guard('clear').then(() => real.keys.clear(clientId)),
      },
      forget: (clientId) => guard('forget').then(() => real.forget(clientId)),
      ping: () => real.ping(),
      close: () => real.close(),
    };
  }

  /** A session that is linked, and then unlinked by the phone. */
  async function unlinked(clientId: string): Promise<void> {
    await sessions.start(clientId, {});
    await store.keys.commit(clientId, { credentials: new Uint8Array([1]) });
    opened.at(-1)?.emit({ type: 'open', me: ME });
    opened.at(-1)?.emit({ type: 'closed', reason: causeOf('logged_out') });
    await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))));
    expect(sessions.get(clientId).status).to.equal('logged_out');
  }
  const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('never opens a link with credentials that should have been deleted', async () => {
    await unlinked('acme');
    failing = 'clear';
    const before = opened.length;
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'store_unavailable')).to.equal(true);
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'store_unavailable')).to.equal(true);
    expect(opened).to.have.length(before);
    failing = undefined;
    await sessions.start('acme', {});
    expect(opened).to.have.length(before + 1);
    expect(await store.keys.credentials('acme')).to.equal(undefined);
  });

  it('ends or pairs a session again although its data could not be deleted', async () => {
    await sessions.start('acme', {});
    opened.at(-1)?.emit({ type: 'open', me: ME });
    failing = 'forget';
    expect(isGatewayError(await failure(sessions.disconnect('acme')), 'store_unavailable')).to.equal(true);
    expect(sessions.get('acme').status).to.equal('logged_out');
    failing = undefined;
    const before = opened.length;
    await sessions.start('acme', {});
    expect(opened).to.have.length(before + 1);
    await sessions.disconnect('acme');
    expect(sessions.has('acme')).to.equal(false);
    expect(await store.sessions.get('acme')).to.equal(undefined);
  });

  it('leaves a session to the node that claimed it while this node ended it', async () => {
    await sessions.start('acme', {});
    failing = 'forget';
    whileEnding = () => sessions.release(sessions.find('acme'));
    await failure(sessions.disconnect('acme'));
    expect(sessions.has('acme')).to.equal(false);
    expect(() => sessions.find('acme')).to.throw('moved to another node');
  });

  it('does not contain a session that was lost while it was being created', async () => {
    isHeld = false;
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'session_elsewhere')).to.equal(true);
    expect(sessions.all()).to.deep.equal([]);
    isHeld = true;
    expect(await sessions.start('acme', {})).to.include({ clientId: 'acme' });
  });

  it('adopts no session while it stops', async () => {
    await store.sessions.create({ ...HOSTED, clientId: 'late' });
    const stopped = sessions.stop();
    expect(await sessions.adopt('late')).to.equal(undefined);
    await stopped;
  });

  it('refuses a pairing code for a session that waits for an operator, without "already paired"', async () => {
    await unlinked('acme');
    const error = await failure(sessions.pairPhone('acme', '15550000001'));
    expect(isGatewayError(error, 'session_terminal')).to.equal(true);
  });

  it('keeps the webhook of the second of two concurrent first starts', async () => {
    await Promise.all([
      sessions.start('acme', { webhookUrl: 'https://example.org/1' }),
      sessions.start('acme', { webhookUrl: 'https://example.org/2' }),
    ]);
    expect(sessions.get('acme').webhookUrl).to.equal('https://example.org/2');
  });

  it('does not say that a session started which was deleted meanwhile', async () => {
    await sessions.start('acme', {});
    const started = failure(sessions.start('acme', { webhookUrl: 'https://example.org/1' }));
    await store.forget('acme');
    expect(isGatewayError(await started, 'session_unknown')).to.equal(true);
  });
});

describe('a session that loses its link', () => {
  let rig: Rig;
  let played: PlayedSessions;
  beforeEach(async () => {
    rig = await Rig.start();
    const backoff = { pausesMs: [1_000, 2_000, 4_000], endless: true };
    played = rig.sessions(playedLink(), { backoff });
    await played.sessions.start('acme', {});
    await open();
  });
  afterEach(() => rig.close());

  async function open(): Promise<void> {
    played.opened.at(-1)?.emit({ type: 'open', me: ME });
    await setImmediate();
  }

  /** Loses the link, or fails a login. @returns milliseconds until the next attempt, which then begins */
  async function close(): Promise<number> {
    await played.disconnect();
    const { retryAt } = played.sessions.find('acme');
    const pauseMs = retryAt - rig.clock.now();
    rig.clock.advance(pauseMs);
    await setImmediate();
    return pauseMs;
  }

  it('backs off after failed logins only', async () => {
    expect(await close()).to.be.within(75, 125);
    expect([await close(), await close(), await close()]).to.deep.equal([1_000, 2_000, 4_000]);
    await open();
    expect(await close()).to.be.within(75, 125);
    expect(await close()).to.equal(1_000);
  });

  it('keeps the reason why the QR codes of a pairing ended, until a pairing begins again', async () => {
    const { sessions } = played;
    expect(await sessions.start('fresh', {})).to.include({ reason: undefined });
    played.opened.at(-1)?.emit({ type: 'closed', reason: causeOf('qr_expired') });
    await setImmediate();
    expect(sessions.get('fresh')).to.deep.include({ status: 'initializing', reason: causeOf('qr_expired') });
    expect(await sessions.start('fresh', {})).to.include({ reason: undefined });
  });

  it('backs off until a link has lasted 30 s', async () => {
    for (let loss = 1; loss <= 8; loss++) {
      expect(await close(), `loss ${loss}`).to.be.within(75, 125);
      await open();
    }
    expect(await close()).to.be.within(750, 1_250);
    await open();
    expect(await close()).to.be.within(1_500, 2_500);
    await open();
    rig.clock.advance(30_000);
    expect(await close()).to.be.within(75, 125);
  });

  it('backs off when too many links of its node are lost', async () => {
    const { sessions, opened } = played;
    const others = Array.from({ length: NODE_RETURNS.burst }, (_, index) => `other${index}`);
    for (const name of others) {
      await sessions.start(name, {});
      await open();
    }
    for (const link of opened) link.emit({ type: 'closed', reason: causeOf('connection_lost') });
    await setImmediate();
    const pauses = sessions.all().map(({ retryAt }) => retryAt - rig.clock.now());
    expect(pauses.filter((ms) => ms < 1_000)).to.have.length(NODE_RETURNS.burst);
    expect(pauses.filter((ms) => ms >= 1_000)).to.deep.equal([1_000]);
  });
});

describe('the sessions of a daemon', () => {
  let rig: Rig;
  let played: PlayedSessions;
  beforeEach(async () => {
    rig = await Rig.start();
    const vitals = () => ({ lastStanzaAt: rig.clock.now(), lastPongAt: 0, silentMs: 0 });
    played = rig.sessions(playedLink({ vitals }), {
      versions: {
        current: () => ({ version: [2, 3000, newest], source: 'setting' }),
        outdated: async () => found,
      },
    });
  });
  afterEach(() => rig.close());

  let newest = 1;
  let found: 'newer' | Reason = reason('client_outdated', { kind: 'no_page', version: '2.3000.1' });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (isGatewayError(error) ? error.code : error),
    );
  const emit = async (event: LinkEvent) => {
    played.opened.at(-1)?.emit(event);
    await setImmediate();
  };

  it('read a reason that the release before stored in words, and give it a code and advice', async () => {
    const words = 'Another client took over this link. Stop the other client, then call /reconnect.';
    const record = { ...HOSTED, clientId: 'former', status: 'replaced' as const, statusReason: words };
    await rig.store.sessions.create(record);
    await played.sessions.restore();
    const [health] = played.sessions.health('former');
    expect(health).to.deep.include({
      reason: words,
      reasonCode: 'replaced',
      advice: [{ operation: 'reconnect', arguments: { clientId: 'former' } }],
    });
  });

  it('are loaded at the start, and those that are paired connect', async () => {
    for (const [clientId, fields] of Object.entries({
      paired: {},
      fresh: { jid: '' },
      lost: { status: 'logged_out' },
      banned: { status: 'banned', bannedUntil: rig.clock.now() + 60_000 },
    } as const)) {
      await rig.store.sessions.create({ ...HOSTED, clientId, ...fields });
    }
    const restored = await played.sessions.restore();
    for (const session of restored) session.resume();
    await setImmediate();
    expect(played.opened.map(({ clientId }) => clientId)).to.deep.equal(['paired']);
    const states = played.sessions.views().map(({ clientId, status }) => [clientId, status]);
    expect(Object.fromEntries(states)).to.deep.equal({
      paired: 'reconnecting',
      fresh: 'initializing',
      lost: 'logged_out',
      banned: 'banned',
    });
    rig.clock.advance(60_000);
    await setImmediate();
    expect(played.opened.map(({ clientId }) => clientId)).to.deep.equal(['paired', 'banned']);
  });

  it('are listed by name, and one alone when it is named', async () => {
    for (const clientId of ['b', 'c', 'a']) await played.sessions.start(clientId, {});
    const names = async (only?: string) => (await played.sessions.list(only)).map(({ clientId }) => clientId);
    expect(await names()).to.deep.equal(['a', 'b', 'c']);
    expect(await names('b')).to.deep.equal(['b']);
    expect(await names('d')).to.deep.equal([]);
  });

  it('are opened by their own secrets only, until these are removed', async () => {
    for (const clientId of ['a', 'b', 'c']) await played.sessions.start(clientId, {});
    await played.sessions.setApiSecret('a', 'one');
    await played.sessions.setApiSecret('b', 'two');
    expect(await played.sessions.sessionsOfSecret('one')).to.deep.equal(['a']);
    expect(await played.sessions.sessionsOfSecret('two')).to.deep.equal(['b']);
    expect(await played.sessions.sessionsOfSecret('')).to.deep.equal([]);
    expect(played.sessions.get('a').hasSecret).to.equal(true);
    await played.sessions.setApiSecret('a', '');
    expect(await played.sessions.sessionsOfSecret('one')).to.deep.equal([]);
    expect(played.sessions.get('a').hasSecret).to.equal(false);
  });

  it('are refused when they are unknown', async () => {
    expect(() => played.sessions.find('nobody'))
      .to.throw(GatewayError)
      .with.property('code', 'session_unknown');
    expect(await codeOf(played.sessions.disconnect('nobody').then(() => undefined))).to.equal(
      'session_unknown',
    );
  });

  it('give a pairing code while they show a QR code, and none when they are paired or fail', async () => {
    await played.sessions.start('acme', {});
    const code = played.sessions.pairPhone('acme', '15550000001');
    await emit({ type: 'qr', qr: 'one' });
    expect(await code).to.equal('ABCD-EFGH');
    await emit({ type: 'open', me: ME });
    expect(await codeOf(played.sessions.pairPhone('acme', '15550000001'))).to.equal('session_already_paired');
    await played.sessions.start('other', {});
    const late = codeOf(played.sessions.pairPhone('other', '15550000001'));
    rig.clock.advance(LIMITS.connectionWaitMs);
    expect(await late).to.equal('pairing_code_refused');
  });

  it('count as connected only as long as traffic proves it', async () => {
    let lastPongAt = 0;
    const { sessions, opened } = rig.sessions(
      playedLink({
        vitals: () => ({ lastStanzaAt: 0, lastPongAt, silentMs: rig.clock.monotonic() - lastPongAt }),
      }),
    );
    await sessions.start('acme', {});
    opened.at(-1)?.emit({ type: 'open', me: ME });
    await setImmediate();
    lastPongAt = rig.clock.now();
    const connected = () => sessions.health().map((health) => [health.connected, health.loggedIn]);
    expect(connected()).to.deep.equal([[true, true]]);
    rig.clock.advance(59_999);
    expect(connected()).to.deep.equal([[true, true]]);
    rig.clock.advance(1);
    expect(connected()).to.deep.equal([[false, true]]);
  });

  it('connect at once with a newer version, and report the look-up when there is none', async () => {
    await played.sessions.start('acme', {});
    await emit({ type: 'closed', reason: causeOf('client_outdated') });
    expect(played.sessions.get('acme').reason).to.deep.equal(found);
    expect(played.opened).to.have.length(1);
    await played.sessions.reconnect('acme').catch(() => undefined);
    await played.sessions.start('acme', {});
    newest = 2;
    found = 'newer';
    await emit({ type: 'closed', reason: causeOf('client_outdated') });
    expect(played.opened.at(-1)?.version).to.deep.equal([2, 3000, 2]);
  });

  it('accept a webhook only on a public address, where private ones are not permitted', async () => {
    const { sessions } = rig.sessions(playedLink(), { allowPrivateUrls: false });
    const inside = 'https://127.0.0.1/';
    expect(await codeOf(sessions.start('acme', { webhookUrl: inside }))).to.equal('invalid_request');
    expect(await codeOf(sessions.start('acme', { pollLookupUrl: inside }))).to.equal('invalid_request');
    expect(await sessions.start('acme', {})).to.include({ clientId: 'acme' });
  });

  it('connect through the proxy that their start names', async () => {
    const proxy = 'http://proxy.example:3128';
    await played.sessions.start('acme', { proxy });
    expect(played.opened.at(-1)?.proxy).to.equal(proxy);
    await played.sessions.disconnect('acme');
    await played.sessions.start('acme', {});
    await emit({ type: 'closed', reason: causeOf('connection_lost') });
    await played.sessions.start('acme', { proxy });
    expect(played.opened.at(-1)?.proxy).to.equal(proxy);
  });
});

describe('Admission', () => {
  it('limits how many links connect at once, and admits first those for which people wait', async () => {
    const admission = new Admission(new ManualClock());
    const order: string[] = [];
    const leave: (() => void)[] = [];
    let most = 0;
    const enter = (name: string, urgent: boolean) =>
      admission.enter(
        () =>
          new Promise((resolve) => {
            order.push(name);
            leave.push(resolve);
            most = Math.max(most, leave.length);
          }),
        { urgent },
      );
    for (let index = 0; index < 20; index++) enter(`back ${index}`, false);
    enter('asked for', true);
    while (order.length < 21) {
      await Promise.resolve();
      if (leave.length === 8) for (const done of leave.splice(0)) done();
      if (order.length >= 16) for (const done of leave.splice(0)) done();
    }
    expect(most).to.equal(8);
    expect(order.indexOf('asked for')).to.be.lessThan(9);
  });
});
