import type { GroupMetadata } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { GroupCache, type GroupQueries } from '../../src/link/baileys/groups/group-cache.js';
import { Groups } from '../../src/link/baileys/groups/groups.js';

const JID = '120363040000000001@g.us';
const notification = (from = JID) => ({ tag: 'notification', attrs: { type: 'w:gp2', from } });

describe('the members of groups that are kept', () => {
  let asked: string[];
  let members: number;
  /** Runs while the network is asked. */
  let meanwhile: () => void;
  let cache: GroupCache;
  let groups: Groups;

  beforeEach(() => {
    asked = [];
    members = 2;
    meanwhile = () => undefined;
    const groupMetadata = async (id: string): Promise<GroupMetadata> => {
      asked.push(id);
      const told = metadata(id, members);
      meanwhile();
      return told;
    };
    const refuse = () => Promise.reject(new Error('not asked for here'));
    const queries: GroupQueries = {
      groupMetadata,
      groupFetchAllParticipating: async () => ({ [JID]: await groupMetadata(JID) }),
      query: refuse,
      groupParticipantsUpdate: refuse,
      groupInviteCode: refuse,
      groupRevokeInvite: refuse,
      groupLeave: refuse,
    };
    cache = new GroupCache(groupMetadata);
    groups = new Groups(queries, cache, () => undefined);
  });

  const kept = async (jid = JID) => (await cache.get(jid)).participants.length;

  it('are asked for once, by whoever wants to know first', async () => {
    await groups.get(JID);
    expect(await Promise.all([kept(), kept()])).to.deep.equal([2, 2]);
    expect(asked).to.deep.equal([JID]);
  });

  it('are asked for again after a change', async () => {
    await kept();
    members = 3;
    expect(await kept()).to.equal(2);
    cache.onNotification(notification());
    expect(await kept()).to.equal(3);
  });

  for (const [what, ask] of Object.entries({
    'a group': () => groups.get(JID),
    'all groups': () => groups.list(),
  }))
    it(`are not those from before a change that is told of while ${what} is asked for`, async () => {
      meanwhile = () => {
        members = 3;
        cache.onNotification(notification());
      };
      await ask();
      meanwhile = () => undefined;
      expect(await kept()).to.equal(3);
    });

  it('are few enough to be kept, however large the groups are', async () => {
    members = 20_000;
    const jids = [1, 2, 3].map((n) => `12036304000000000${n}@g.us`);
    for (const jid of jids) expect(await kept(jid)).to.equal(20_000);
    for (const jid of jids.toReversed()) await kept(jid);
    expect(asked).to.have.length(4);
    members = 60_000;
    expect(await kept('120363040000000009@g.us'), 'answered though not kept').to.equal(60_000);
  });
});

function metadata(id: string, members: number): GroupMetadata {
  const participants = Array.from({ length: members }, (_, n) => ({
    id: `${90_000_000_000_001 + n}@lid`,
    admin: null,
  }));
  return { id, subject: 'Friends', owner: undefined, participants };
}
