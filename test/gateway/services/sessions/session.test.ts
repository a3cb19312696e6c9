import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError, isGatewayError } from '../../../../src/domain/errors.js';
import { reason as reasonFor, writeReason } from '../../../../src/domain/reasons.js';
import type { CloseReason, SessionStatus } from '../../../../src/domain/session.js';
import type { Link, LinkEvent } from '../../../../src/gateway/link/link.js';
import { linkedSince } from '../../../../src/gateway/services/sessions/linked-number.js';
import { NextAttempt } from '../../../../src/gateway/services/sessions/next-attempt.js';
import { RecordWriter } from '../../../../src/gateway/services/sessions/record.js';
import { SessionParts } from '../../../../src/gateway/services/sessions/session-parts.js';
import { ManualClock } from '../../../support/manual-clock.js';
import { causeOf } from '../../../support/reasons.js';
import { ME, playedLink } from '../../../support/rig/link.js';
import { type PlayedSessions, Rig } from '../../../support/rig/rig.js';

const REPEATED = reasonFor('pairing_step_failed', { kind: 'repeated' });

describe('a session and its link', () => {
  let rig: Rig;
  let played: PlayedSessions;
  let calls: string[];
  let link: Partial<Link>;
  /** What the session announced: its status, and the reason. */
  let announced: [SessionStatus, string][];

  beforeEach(async () => {
    rig = await Rig.start();
    calls = [];
    announced = [];
    link = {};
    const noted = (name: string) => async () => void calls.push(name);
    const parts = new SessionParts();
    parts.add({
      hear(heard) {
        if (heard.type === 'status') {
          const { status, statusReason } = heard.session.record;
          announced.push([status, statusReason]);
        }
        if (heard.type !== 'link') return;
        calls.push(heard.event.type);
        throw new Error(`no part of ${heard.session.clientId} takes this`);
      },
    });
    played = rig.sessions(
      playedLink({
        renew: () => void calls.push('renew'),
        cut: () => void calls.push('cut'),
        close: noted('close'),
        logout: async () => link.logout?.() ?? true,
      }),
      {
        backoff: { pausesMs: [1_000, 2_000, 60_000], endless: true },
        parts,
      },
    );
    await played.sessions.start('acme', {});
  });
  afterEach(() => rig.close());

  const session = () => played.sessions.find('acme');
  const record = () => session().record;
  const shown = () => played.sessions.health('acme')[0]?.reason;
  const stored = async () => {
    await session().stop();
    return rig.store.sessions.get('acme');
  };
  async function emit(event: LinkEvent): Promise<void> {
    played.opened.at(-1)?.emit(event);
    await setImmediate();
  }
  const open = () => emit({ type: 'open', me: ME });
  const close = (reason: CloseReason, retryAfterMs?: number) =>
    emit({ type: 'closed', reason: causeOf(reason), ...(retryAfterMs && { retryAfterMs }) });
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: unknown) => (isGatewayError(error) ? error.code : error),
    );

  const ends: [CloseReason, SessionStatus, pauseMs: number, advice?: string][] = [
    ['renewed', 'reconnecting', 0],
    ['connection_closed', 'reconnecting', 100],
    ['connection_lost', 'reconnecting', 100],
    ['connection_silent', 'reconnecting', 100],
    ['network_unreachable', 'reconnecting', 100],
    ['proxy_failed', 'reconnecting', 100, 'setProxy'],
    ['connect_timeout', 'reconnecting', 100],
    ['service_unavailable', 'reconnecting', 100],
    ['stream_error', 'reconnecting', 100],
    ['undecodable_frame', 'reconnecting', 100],
    ['library_fault', 'reconnecting', 100],
    ['store_unavailable', 'reconnecting', 100],
    ['certificate_untrusted', 'reconnecting', 60_000],
    ['client_outdated', 'reconnecting', 60_000],
    ['logged_out', 'logged_out', 0, 'start'],
    ['device_mismatch', 'logged_out', 0, 'start'],
    ['data_damaged', 'logged_out', 0, 'start'],
    ['pairing_unfinished', 'logged_out', 0, 'start'],
    ['replaced', 'replaced', 0, 'reconnect'],
    ['account_restricted', 'banned', 0, 'reconnect'],
    ['account_locked', 'banned', 0, 'reconnect'],
    ['banned', 'banned', 0, 'reconnect'],
  ];
  it('gives its link no message with a damaged record, and ends the link when the store fails', async () => {
    const findSent = async () => played.opened.at(-1)?.findSent('M1');
    rig.store.sends.get = () => Promise.reject(new GatewayError('store_damaged', 'one row'));
    expect(await findSent()).to.equal(undefined);
    rig.store.sends.get = () => Promise.reject(new GatewayError('store_unavailable', 'all rows'));
    expect(await codeOf(findSent())).to.equal('store_unavailable');
  });

  for (const [reason, status, pauseMs, advice] of ends) {
    it(`is ${status} after ${reason}${pauseMs ? `, and tries again after about ${pauseMs} ms` : ''}`, async () => {
      await open();
      await close(reason);
      expect(record().status).to.equal(status);
      expect(session().reason).to.deep.equal(causeOf(reason));
      expect(session().lastDisconnect).to.deep.equal(causeOf(reason));
      const [health] = played.sessions.health('acme');
      expect(health?.reasonCode).to.equal(reason);
      expect(health?.advice).to.deep.equal(
        advice && [{ operation: advice, arguments: { clientId: 'acme' } }],
      );
      const { retryAt } = session();
      if (pauseMs) expect(retryAt - rig.clock.now()).to.be.within(pauseMs * 0.75, pauseMs * 1.25);
      else expect(retryAt).to.equal(0);
      expect(played.opened).to.have.length(reason === 'renewed' ? 2 : 1);
      expect((await stored())?.status).to.equal(status);
    });
  }

  it('does not report the reconnect that the network requests after each pairing', async () => {
    await emit({ type: 'paired', me: ME });
    await close('restart_required');
    expect([record().status, record().statusReason, session().lastDisconnect]).to.deep.equal([
      'initializing',
      '',
      undefined,
    ]);
    expect(played.opened).to.have.length(2);
  });

  it('connects again on its own when a temporary ban has ended, and not before', async () => {
    await open();
    await close('account_restricted', 3_600_000);
    expect(record()).to.include({ status: 'banned' });
    const end = rig.clock.now() + 3_600_000;
    expect(shown()).to.contain(`It ends at ${new Date(end).toISOString()}`);
    rig.clock.advance(3_599_999);
    await setImmediate();
    expect(played.opened).to.have.length(1);
    rig.clock.advance(1);
    await setImmediate();
    expect(played.opened).to.have.length(2);
    expect(record()).to.include({ status: 'reconnecting', statusReason: '' });
    await open();
    expect(await stored()).to.include({ status: 'connected', bannedUntil: 0 });
  });

  it('stays banned when the ban has no end, until an operator starts it again', async () => {
    await open();
    await close('banned');
    rig.clock.advance(365 * 24 * 3_600_000);
    await setImmediate();
    expect(played.opened).to.have.length(1);
    await played.sessions.reconnect('acme');
    expect(record().status).to.equal('reconnecting');
    expect(played.opened).to.have.length(2);
  });

  it('opens one link, however often it is started', async () => {
    await Promise.all([played.sessions.start('acme', {}), played.sessions.start('acme', {})]);
    await open();
    await played.sessions.start('acme', {});
    expect(played.opened).to.have.length(1);
  });

  it('skips the pause and ends a live link when it is told to reconnect', async () => {
    await open();
    await close('connection_lost');
    await close('connection_lost');
    await played.sessions.reconnect('acme');
    expect(played.opened).to.have.length(2);
    expect(session().retryAt).to.equal(0);
    await open();
    const reconnected = played.sessions.reconnect('acme');
    await setImmediate();
    expect(calls).to.deep.equal(['renew']);
    await close('renewed');
    await reconnected;
    expect(played.opened).to.have.length(3);
  });

  it('refuses to reconnect a session that is not paired or was unlinked', async () => {
    expect(await codeOf(played.sessions.reconnect('acme'))).to.equal('session_unpaired');
    await open();
    await close('logged_out');
    expect(await codeOf(played.sessions.reconnect('acme'))).to.equal('session_terminal');
  });

  it('forgets to whom an unlinked number belonged before it is paired again', async () => {
    await open();
    await close('logged_out');
    await played.sessions.start('acme', {});
    const none = { jid: '', pn: '', lid: '', name: '' };
    expect(record()).to.include(none);
    expect(await stored()).to.include({ ...none, status: 'initializing' });
  });

  describe('the time since which a number is linked', () => {
    const BOB = {
      jid: '15550000002:1@s.whatsapp.net',
      pn: '15550000002',
      lid: '90000000000002',
      name: 'Bob',
    };
    const HOUR_MS = 60 * 60_000;
    const pair = async (me: typeof ME) => {
      rig.clock.advance(HOUR_MS);
      await emit({ type: 'paired', me });
      return rig.clock.now();
    };
    const unlink = async () => {
      await close('logged_out');
      await played.sessions.start('acme', {});
    };

    it('is the time of the pairing, and not the creation of the session', async () => {
      const pairedAt = await pair(ME);
      rig.clock.advance(HOUR_MS);
      await open();
      expect(linkedSince(record())).to.equal(pairedAt);
      expect(linkedSince((await stored()) ?? record())).to.equal(pairedAt);
    });

    it('stays the same when the same number is paired again', async () => {
      const pairedAt = await pair(ME);
      await unlink();
      await pair({ ...ME, jid: '15550000001:2@s.whatsapp.net' });
      expect(linkedSince((await stored()) ?? record())).to.equal(pairedAt);
    });

    it('changes when another number is paired', async () => {
      await pair(ME);
      await unlink();
      const pairedAt = await pair(BOB);
      expect(linkedSince((await stored()) ?? record())).to.equal(pairedAt);
    });

    it('is the creation of the session if an earlier release linked the number, as long as the number stays', async () => {
      await pair(ME);
      await session().update({ linkedAt: 0, linkedNumber: '' });
      const { createdAt } = record();
      expect(linkedSince(record())).to.equal(createdAt);
      await unlink();
      await pair(ME);
      expect(linkedSince(record())).to.equal(createdAt);
      await session().update({ linkedAt: 0, linkedNumber: '' });
      await unlink();
      const pairedAt = await pair(BOB);
      expect(linkedSince(record())).to.equal(pairedAt);
    });
  });

  it('continues when one of its parts fails to handle an event', async () => {
    await open();
    await emit({ type: 'picture-changed', jid: '2@lid' });
    expect(calls).to.deep.equal(['picture-changed']);
    // a linked number that is asked for a QR code is linked no more
    await emit({ type: 'qr', qr: 'again' });
    expect(record().status).to.equal('logged_out');
  });

  it('shows why a pairing fails, with the next QR code, until it succeeds', async () => {
    await emit({ type: 'qr', qr: 'one' });
    await emit({ type: 'pairing-failed', reason: REPEATED });
    expect(record().statusReason).to.equal(writeReason(REPEATED));
    await emit({ type: 'qr', qr: 'two' });
    expect(played.sessions.qr('acme')).to.deep.equal({ clientId: 'acme', status: 'qr', qr: 'two' });
    expect(record().statusReason).to.equal(writeReason(REPEATED));
    await open();
    expect([record().statusReason, played.sessions.qr('acme').qr]).to.deep.equal(['', '']);
    expect(announced).to.deep.equal([
      ['qr', ''],
      ['qr', writeReason(REPEATED)],
      ['connected', ''],
    ]);
  });

  it('shows each step of a passkey, and hides the QR code that was scanned', async () => {
    await emit({ type: 'qr', qr: 'one' });
    const steps = ['sending', 'finishing'] as const;
    for (const step of steps) {
      await emit({ type: 'passkey', state: { step, expiresAt: 1 } });
      expect(shown()).to.match(/^passkey: /);
      expect(played.sessions.passkey('acme')).to.deep.equal({ step, expiresAt: 1 });
      expect(played.sessions.qr('acme').qr).to.equal('');
    }
    await open();
    expect(played.sessions.passkey('acme')).to.equal(undefined);
  });

  it('warns when the network does not confirm that the device was unlinked', async () => {
    await open();
    link.logout = () => Promise.reject(new Error('cut off'));
    expect(await played.sessions.disconnect('acme')).to.have.property('warning');
    expect(played.sessions.has('acme')).to.equal(false);
    await played.sessions.start('acme', {});
    await open();
    link.logout = async () => true;
    expect(await played.sessions.disconnect('acme')).to.deep.equal({});
  });

  it('is cut off and writes nothing more once another node holds it', async () => {
    await open();
    const lost = session();
    expect(played.sessions.release(lost)).to.equal(true);
    lost.abandon();
    expect(calls).to.deep.equal(['cut']);
    expect(played.sessions.release(lost)).to.equal(false);
    await open();
    await lost.start();
    expect(played.opened).to.have.length(1);
  });

  it('is closed and not reported as ended when the daemon stops', async () => {
    await open();
    await played.sessions.stop();
    expect(calls).to.deep.equal(['close']);
    expect(await rig.store.sessions.get('acme')).to.include({ status: 'connected' });
  });

  it('reconnects when its proxy changes, and stays connected when the proxy is the same', async () => {
    await open();
    const proxy = 'http://proxy.example:3128';
    const changed = played.sessions.setProxy('acme', proxy);
    await setImmediate();
    await close('renewed');
    await changed;
    expect(calls).to.deep.equal(['renew']);
    expect(played.opened.at(-1)?.proxy).to.equal(proxy);
    await open();
    await played.sessions.setProxy('acme', proxy);
    expect(calls).to.deep.equal(['renew']);
    expect(await stored()).to.include({ proxy });
  });
});

describe('the record of a session', () => {
  let rig: Rig;
  let isAway: boolean;
  let written: object[];
  let writer: RecordWriter;
  beforeEach(async () => {
    rig = await Rig.start();
    [isAway, written] = [false, []];
    writer = new RecordWriter(
      'acme',
      {
        async update(_, changes) {
          if (isAway) throw new GatewayError('store_unavailable', 'away');
          written.push(changes);
          return undefined;
        },
      },
      rig.log,
    );
  });
  afterEach(() => rig.close());

  it('is written in the order of its changes', async () => {
    writer.note({ status: 'qr' });
    await setImmediate();
    await writer.write({ status: 'connected' });
    expect(written).to.deep.equal([{ status: 'qr' }, { status: 'connected' }]);
    await writer.flush();
    expect(written).to.have.length(2);
  });

  it('keeps changes that an outage held back, with later changes, until the next write', async () => {
    isAway = true;
    writer.note({ status: 'qr', statusReason: 'first' });
    await setImmediate();
    isAway = false;
    await writer.write({ status: 'connected' });
    expect(written).to.deep.equal([{ status: 'connected', statusReason: 'first' }]);
  });

  it('is written once more at the end, whether or not that write fails', async () => {
    isAway = true;
    writer.note({ status: 'qr' });
    await setImmediate();
    await writer.flush();
    expect(written).to.deep.equal([]);
    isAway = false;
    await writer.flush();
    expect(written).to.deep.equal([{ status: 'qr' }]);
  });
});

describe('the next attempt of a session', () => {
  const LONGEST_TIMER_MS = 2 ** 31 - 1;
  let clock: ManualClock;
  let attempt: NextAttempt;
  let begun: number;
  const begin = () => {
    begun += 1;
  };
  beforeEach(() => {
    clock = new ManualClock();
    attempt = new NextAttempt(clock);
    begun = 0;
  });

  it('begins at its time, and once; a new plan replaces the last one', () => {
    attempt.plan(clock.now() + 1_000, begin);
    attempt.plan(clock.now() + 2_000, begin);
    expect(attempt.at).to.equal(clock.now() + 2_000);
    clock.advance(1_999);
    expect(begun).to.equal(0);
    clock.advance(5_000);
    expect(begun).to.equal(1);
  });

  it('begins at once when its time is past', () => {
    attempt.plan(clock.now() - 1, begin);
    clock.advance(0);
    expect(begun).to.equal(1);
  });

  it('is planned no longer once it is cancelled', () => {
    attempt.plan(clock.now() + 1_000, begin);
    attempt.cancel();
    expect([attempt.at, clock.pending()]).to.deep.equal([0, []]);
  });

  it('may be further away than the longest timer', () => {
    const at = clock.now() + LONGEST_TIMER_MS + 1_000;
    attempt.plan(at, begin);
    clock.advance(LONGEST_TIMER_MS);
    expect([begun, attempt.at]).to.deep.equal([0, at]);
    clock.advance(1_000);
    expect(begun).to.equal(1);
  });
});
