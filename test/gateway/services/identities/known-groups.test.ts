import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { Group } from '../../../../src/gateway/link/directory.js';
import { KnownGroups } from '../../../../src/gateway/services/identities/known-groups.js';
import type { Store } from '../../../../src/gateway/store/store.js';
import { message, roomUpdate } from '../../../contracts/store/harness.js';
import type { ManualClock } from '../../../support/manual-clock.js';
import { playedLink } from '../../../support/rig/link.js';
import { GROUP, groupOf, HOSTED } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

const ADMIN = '90000000000003';
const ROOM = 'acme-90000000000001-120363040000000000';

describe('KnownGroups', () => {
  let rig: Rig;
  let store: Store;
  let clock: ManualClock;
  let groups: KnownGroups;
  let asked: number;
  let answer: () => Promise<Group>;
  let isConnected: boolean;

  beforeEach(async () => {
    rig = await Rig.start();
    ({ store, clock } = rig);
    asked = 0;
    isConnected = true;
    answer = async () => groupOf(ADMIN);
    const get = () => {
      asked += 1;
      return answer();
    };
    const link = playedLink({ groups: { ...playedLink().groups, get } });
    groups = new KnownGroups({
      store,
      linkOf: async () => (isConnected ? link : undefined),
      recordOf: (clientId) => (clientId === 'acme' ? HOSTED : undefined),
      clock,
      log: rig.log,
    });
  });
  afterEach(() => rig.close());

  const changed = (clientId: string) =>
    groups.hear({
      type: 'link',
      session: rig.sessionOf({ ...HOSTED, clientId }),
      event: { type: 'group-changed', jid: GROUP.chat },
    });
  const subject = async () => (await groups.find('acme', GROUP.chat))?.subject;
  const openRoom = () =>
    store.history.record(
      'acme',
      roomUpdate({ chatRoomId: ROOM, name: 'Friends' }),
      message('M1', { chatRoomId: ROOM }),
    );
  const roomName = async () => (await store.history.room('acme', ROOM))?.name;
  /** Resolves when the room has that name. */
  const renamed = async (name: string) => {
    while ((await roomName()) !== name) await setImmediate();
  };

  it('asks once for a group', async () => {
    expect(await Promise.all([subject(), subject()])).to.deep.equal(['Friends', 'Friends']);
    expect(await subject()).to.equal('Friends');
    expect(asked).to.equal(1);
  });

  it('knows admins by either address', async () => {
    const group = groupOf(ADMIN);
    const members = group.members.map((member) => ({
      ...member,
      pn: member.isAdmin ? '15550000003' : '15550000002',
    }));
    answer = async () => ({ ...group, members });
    const isAdmin = (person: object) => groups.isAdmin('acme', GROUP.chat, person);
    expect(await isAdmin({ lid: ADMIN })).to.equal(true);
    expect(await isAdmin({ pn: '15550000003' })).to.equal(true);
    for (const person of [{ lid: '90000000000002', pn: '15550000002' }, {}]) {
      expect(await isAdmin(person)).to.equal(false);
    }
  });

  it('limits the wait for an answer, and keeps a late answer', async () => {
    let tell: (group: Group) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        tell = resolve;
      });
    const first = subject();
    await clock.scheduled(LIMITS.groupAskMs);
    clock.advance(LIMITS.groupAskMs);
    expect(await first).to.equal(undefined);
    tell(groupOf(ADMIN));
    await setImmediate();
    expect(await subject()).to.equal('Friends');
    expect(asked).to.equal(1);
  });

  it('pauses after a refusal instead of asking for every message', async () => {
    answer = () => Promise.reject(new Error('refused'));
    expect([await subject(), await subject()]).to.deep.equal([undefined, undefined]);
    expect(asked).to.equal(1);
    answer = async () => groupOf(ADMIN);
    clock.advance(60_000);
    expect(await subject()).to.equal('Friends');
  });

  it('asks as soon as the session is connected', async () => {
    isConnected = false;
    expect(await subject()).to.equal(undefined);
    expect(await groups.isAdmin('acme', GROUP.chat, { lid: ADMIN })).to.equal(undefined);
    isConnected = true;
    expect(await subject()).to.equal('Friends');
  });

  it('leaves admins undecided without an answer, and treats a refusal as "not an admin"', async () => {
    const isAdmin = () => groups.isAdmin('acme', GROUP.chat, { lid: ADMIN });
    answer = () => Promise.reject(new GatewayError('lookup_failed', 'no answer'));
    expect(await isAdmin()).to.equal(undefined);
    answer = async () => groupOf(ADMIN);
    expect(await isAdmin()).to.equal(true);
    answer = () => Promise.reject(new GatewayError('group_forbidden', 'no member any more'));
    changed('acme');
    expect([await isAdmin(), await isAdmin()]).to.deep.equal([false, false]);
    expect(asked).to.equal(4);
  });

  it('asks again after a change', async () => {
    await subject();
    answer = async () => groupOf(ADMIN, 'Old friends');
    changed('acme');
    expect(await subject()).to.equal('Old friends');
    expect(asked).to.equal(2);
  });

  it('ignores an answer to a question that was asked before a change', async () => {
    let tell: (group: Group) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        tell = resolve;
      });
    const first = subject();
    await setImmediate();
    const tellOld = tell;
    changed('acme');
    answer = async () => groupOf(ADMIN, 'Old friends');
    tellOld(groupOf(ADMIN));
    await first;
    expect(await subject()).to.equal('Old friends');
  });

  it('renames the room to the subject, however many changes come at once', async () => {
    await openRoom();
    let count = 0;
    answer = async () => groupOf(ADMIN, `Version ${count}`);
    for (; count < 20; count += 1) changed('acme');
    await renamed('Version 20');
    expect(asked).to.be.at.most(3);
  });

  it('creates no room, and asks nothing for a missing one', async () => {
    changed('acme');
    changed('nobody');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(asked).to.equal(0);
    expect(await store.history.rooms('acme')).to.deep.equal([]);
  });

  it('keeps the room’s name when the number has left the group or is not connected', async () => {
    await openRoom();
    answer = () => Promise.reject(new Error('forbidden'));
    changed('acme');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    isConnected = false;
    changed('acme');
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(await roomName()).to.equal('Friends');
  });

  it('forgets the groups of a session', async () => {
    await subject();
    groups.forget('acme');
    await subject();
    expect(asked).to.equal(2);
  });
});
