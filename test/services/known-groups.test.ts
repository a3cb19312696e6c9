import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { pino } from 'pino';
import { GatewayError } from '../../src/domain/errors.js';
import { LIMITS } from '../../src/domain/limits.js';
import type { Group } from '../../src/link/port/groups.js';
import { KnownGroups } from '../../src/services/groups/known-groups.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { message, roomUpdate } from '../contracts/store/harness.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { GROUP, groupOf, HOSTED } from './receive-rig.js';
import { playedLink } from './support/played-links.js';

const ADMIN = '90000000000003';
const ROOM = 'acme-90000000000001-120363040000000000';

describe('what is known of groups', () => {
  let folder: TempDir;
  let store: Store;
  let clock: ManualClock;
  let groups: KnownGroups;
  let asked: number;
  let answer: () => Promise<Group>;
  let isConnected: boolean;

  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    clock = new ManualClock();
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
      log: pino({ level: 'silent' }),
    });
  });
  afterEach(async () => {
    await store.close();
    await folder.remove();
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

  it('is asked for once', async () => {
    expect(await Promise.all([subject(), subject()])).to.deep.equal(['Friends', 'Friends']);
    expect(await subject()).to.equal('Friends');
    expect(asked).to.equal(1);
  });

  it('tells who its admins are, by either address', async () => {
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

  it('is not waited for longer than messages can wait, and kept when it comes late', async () => {
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

  it('is not asked for with every message when the network does not tell it', async () => {
    answer = () => Promise.reject(new Error('refused'));
    expect([await subject(), await subject()]).to.deep.equal([undefined, undefined]);
    expect(asked).to.equal(1);
    answer = async () => groupOf(ADMIN);
    clock.advance(60_000);
    expect(await subject()).to.equal('Friends');
  });

  it('is asked for as soon as there is a connection', async () => {
    isConnected = false;
    expect(await subject()).to.equal(undefined);
    expect(await groups.isAdmin('acme', GROUP.chat, { lid: ADMIN })).to.equal(undefined);
    isConnected = true;
    expect(await subject()).to.equal('Friends');
  });

  it('tells nothing of admins while the network does not answer, and takes a refusal for a no', async () => {
    const isAdmin = () => groups.isAdmin('acme', GROUP.chat, { lid: ADMIN });
    answer = () => Promise.reject(new GatewayError('lookup_failed', 'no answer'));
    expect(await isAdmin()).to.equal(undefined);
    answer = async () => groupOf(ADMIN);
    expect(await isAdmin()).to.equal(true);
    answer = () => Promise.reject(new GatewayError('group_forbidden', 'no member any more'));
    groups.changed('acme', GROUP.chat);
    expect([await isAdmin(), await isAdmin()]).to.deep.equal([false, false]);
    expect(asked).to.equal(4);
  });

  it('is asked for again after a change', async () => {
    await subject();
    answer = async () => groupOf(ADMIN, 'Old friends');
    groups.changed('acme', GROUP.chat);
    expect(await subject()).to.equal('Old friends');
    expect(asked).to.equal(2);
  });

  it('is not what was asked before a change and told after it', async () => {
    let tell: (group: Group) => void = () => undefined;
    answer = () =>
      new Promise((resolve) => {
        tell = resolve;
      });
    const first = subject();
    await setImmediate();
    const tellOld = tell;
    groups.changed('acme', GROUP.chat);
    answer = async () => groupOf(ADMIN, 'Old friends');
    tellOld(groupOf(ADMIN));
    await first;
    expect(await subject()).to.equal('Old friends');
  });

  it('gives the room its name, however many changes come at once', async () => {
    await openRoom();
    let count = 0;
    answer = async () => groupOf(ADMIN, `Version ${count}`);
    for (; count < 20; count += 1) groups.changed('acme', GROUP.chat);
    await renamed('Version 20');
    expect(asked).to.be.at.most(3);
  });

  it('makes no room, and asks nobody for the sake of one that is not there', async () => {
    groups.changed('acme', GROUP.chat);
    groups.changed('nobody', GROUP.chat);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(asked).to.equal(0);
    expect(await store.history.rooms('acme')).to.deep.equal([]);
  });

  it('leaves the room its name when the number is no member any more, or is not connected', async () => {
    await openRoom();
    answer = () => Promise.reject(new Error('forbidden'));
    groups.changed('acme', GROUP.chat);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    isConnected = false;
    groups.changed('acme', GROUP.chat);
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    expect(await roomName()).to.equal('Friends');
  });

  it('is forgotten with its session', async () => {
    await subject();
    groups.forget('acme');
    await subject();
    expect(asked).to.equal(2);
  });
});
