import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import type { Restriction } from '../../../../src/gateway/link/link.js';
import { Restrictions } from '../../../../src/gateway/services/activity/restrictions.js';
import { SessionParts } from '../../../../src/gateway/services/sessions/session-parts.js';
import { ME, playedLink } from '../../../support/rig/link.js';
import { type PlayedSessions, Rig } from '../../../support/rig/rig.js';

const LOCK: Restriction = { kind: 'reachout-lock', active: true, cause: 'DEFAULT' };

describe('Restrictions', () => {
  let rig: Rig;
  let played: PlayedSessions;
  let answers: (Restriction[] | Error)[];
  let restrictions: Restrictions;
  let announced: boolean[];

  beforeEach(async () => {
    rig = await Rig.start();
    answers = [];
    announced = [];
    const link = playedLink({
      restrictions: async () => {
        const answer = answers.shift() ?? new Error('no answer');
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    played = rig.sessions(link);
    await played.connect();
    restrictions = begun();
  });
  afterEach(async () => {
    await restrictions.stop();
    await rig.close();
  });

  /** Those of a process that has just begun. */
  const begun = () => {
    const { clock, log, retry } = rig;
    return new Restrictions({
      ...{ sessions: played.sessions, retry, clock, log },
      parts: new SessionParts(),
      announcements: {
        optIn: (_record, event) => void ('restricted' in event && announced.push(event.restricted)),
      },
    });
  };
  /** As after a restart: only what the store has is known, and the network is silent. */
  const restarted = async () => {
    await restrictions.idle();
    await restrictions.stop();
    const stored = await rig.store.sessions.get('acme');
    played.sessions.find('acme').record.restrictions = stored?.restrictions ?? '';
    restrictions = begun();
    await restrictions.resume('acme');
    return restrictions.active('acme');
  };
  const told = async (...told: Restriction[]) => {
    for (const restriction of told) restrictions.take(played.sessions.find('acme'), restriction);
    await restrictions.idle();
  };

  it('are known after a restart before the network has answered, until their time is over', async () => {
    const lock = { ...LOCK, until: rig.clock.now() + 60_000 };
    const limit: Restriction = { kind: 'new-chat-limit', active: true, cause: 'CAPPED', quota: 9, used: 9 };
    await told(lock, limit);
    expect(await restarted()).to.deep.equal([lock, limit]);
    rig.clock.advance(60_000);
    expect(restrictions.active('acme')).to.deep.equal([limit]);
    expect(await restarted()).to.deep.equal([limit]);
  });

  it('are forgotten when the network says otherwise, which is announced also after a restart', async () => {
    await told(LOCK);
    expect(await restarted()).to.deep.equal([LOCK]);
    expect(announced).to.deep.equal([true]);
    await told({ ...LOCK, active: false });
    expect(announced).to.deep.equal([true, false]);
    expect(await restarted()).to.deep.equal([]);
  });

  it('belong to the linked number: another number begins without them', async () => {
    await told(LOCK);
    const pair = async (pn: string) => {
      restrictions.reset('acme');
      played.opened.at(-1)?.emit({ type: 'paired', me: { ...ME, pn } });
      await setImmediate();
      restrictions.connected('acme');
      return restrictions.active('acme');
    };
    expect(await pair(ME.pn)).to.deep.equal([LOCK]);
    expect(await pair('15550000002')).to.deep.equal([]);
  });

  it('are empty when the record contains values that this release does not know', async () => {
    await played.sessions.find('acme').update({ restrictions: '{"lock":{"kind":"another"}}' });
    expect(await restarted()).to.deep.equal([]);
  });

  it('report whether the network declines to say if it imposes a time lock', async () => {
    const limit: Restriction = { kind: 'new-chat-limit', active: false, cause: 'NONE' };
    const answered = async (...answer: Restriction[]) => {
      answers = [answer];
      await restrictions.askAnew('acme');
      return restrictions.declines('acme');
    };
    expect(restrictions.declines('acme')).to.equal(false);
    expect(await answered()).to.equal(true);
    expect(restrictions.state('acme')).to.equal('answered');
    expect(await answered(limit)).to.equal(true);
    expect(await answered({ ...LOCK, active: false })).to.equal(false);
    await restrictions.askAnew('acme');
    expect([restrictions.state('acme'), restrictions.declines('acme')]).to.deep.equal(['silent', false]);
  });

  it('ask a silent network again when a caller needs them, until it answers', async () => {
    restrictions.connected('acme');
    expect(restrictions.state('acme')).to.equal('asked');
    await restrictions.idle();
    expect(restrictions.state('acme')).to.equal('silent');
    answers = [[LOCK]];
    await restrictions.ask('acme');
    expect(restrictions.state('acme')).to.equal('answered');
    expect(restrictions.active('acme')).to.deep.equal([LOCK]);
    expect(restrictions.ask('acme')).to.equal(undefined);
  });

  it('treat a refusal of the network as an answer', async () => {
    answers = [[], []];
    restrictions.connected('acme');
    await restrictions.idle();
    expect(restrictions.state('acme')).to.equal('answered');
    const failure = await restrictions.of('acme').catch(String);
    expect(failure).to.include('does not tell the restrictions');
  });
});
