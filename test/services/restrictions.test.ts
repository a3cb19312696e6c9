import { expect } from 'chai';
import type { Restriction } from '../../src/link/link.js';
import { Restrictions } from '../../src/services/activity/restrictions.js';
import { playedLink } from '../support/rig/link.js';
import { type PlayedSessions, Rig } from '../support/rig/rig.js';

const LOCK: Restriction = { kind: 'reachout-lock', active: true, cause: 'DEFAULT' };

describe('Restrictions', () => {
  let rig: Rig;
  let played: PlayedSessions;
  let answers: (Restriction[] | Error)[];
  let restrictions: Restrictions;

  beforeEach(async () => {
    rig = await Rig.start();
    answers = [];
    const link = playedLink({
      restrictions: async () => {
        const answer = answers.shift() ?? new Error('no answer');
        if (answer instanceof Error) throw answer;
        return answer;
      },
    });
    played = rig.sessions(link);
    const { clock, log } = rig;
    const announcements = { optIn: () => undefined };
    restrictions = new Restrictions({ sessions: played.sessions, announcements, clock, log });
    await played.connect();
  });
  afterEach(async () => {
    await restrictions.stop();
    await rig.close();
  });

  it('ask a silent network again when somebody needs to know, until it answers', async () => {
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

  it('take a network that refuses to tell for one that answered', async () => {
    answers = [[], []];
    restrictions.connected('acme');
    await restrictions.idle();
    expect(restrictions.state('acme')).to.equal('answered');
    const failure = await restrictions.of('acme').catch(String);
    expect(failure).to.include('does not tell the restrictions');
  });
});
