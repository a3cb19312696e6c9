import { expect } from 'chai';
import Prune from '../../../commands/store/prune.js';
import { parseAge } from '../../../src/cli/age.js';
import { CliError } from '../../../src/cli/cli-error.js';
import { pruneStore } from '../../../src/cli/store-prune.js';
import type { ClusterStore } from '../../../src/store/store.js';
import { LeaseTable } from '../../cluster/support/lease-table.js';
import { message, roomUpdate } from '../../contracts/store/harness.js';
import { KeptStore, keep, keepFile } from '../../support/kept-store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { runCli } from '../../support/spawn-cli.js';

const DAY_MS = 24 * 60 * 60_000;
const ROOM = 'acme-1-2';
/** Of a store that several daemons may share; nothing of it is used here. */
const SHARED: ClusterStore = {
  leases: new LeaseTable(),
  nodes: {
    announce: async () => ({ draining: false }),
    list: async () => [],
    drain: async () => false,
    leave: async () => undefined,
  },
};

describe('switchboard store prune', () => {
  let kept: KeptStore;
  beforeEach(async () => {
    kept = await KeptStore.begin();
  });
  afterEach(() => kept.drop());

  const daysAgo = (days: number) => Date.now() - days * DAY_MS;

  it('deletes what is older, of all sessions, and nothing else', async () => {
    const [old, young] = await kept.open(async (store) => {
      const ids = [
        await keepFile(store, 'M1', { sentAt: daysAgo(100) }),
        await keepFile(store, 'M2', { sentAt: daysAgo(80) }),
      ];
      await keep(store, 'M3', { sentAt: daysAgo(91) }, 'other');
      return ids;
    });
    const { exitCode, stdout } = await kept.run(Prune, '--older-than', '90d', '--yes');
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'deleted 2 messages and 1 file\n' });
    await kept.open(async ({ history, files }) => {
      const left = await history.messages('acme', ROOM, { limit: 10 });
      expect(left.map(({ messageId }) => messageId)).to.deep.equal(['M2']);
      expect(await history.messages('other', ROOM, { limit: 10 })).to.deep.equal([]);
      expect(await files.get(old ?? '')).to.equal(undefined);
      expect(await files.get(young ?? '')).to.not.equal(undefined);
      // the one that is left is all that can be unread
      expect(await history.room('acme', ROOM)).to.include({ unreadCount: 1 });
      expect(await history.room('other', ROOM)).to.include({ unreadCount: 0, lastMessage: '' });
    });
  });

  it('leaves a room alone of which a daemon is just recording a message', async () => {
    const clock = new ManualClock();
    const counts = await kept.open(async (store) => {
      const { history } = store;
      for (const chatRoomId of [ROOM, 'acme-1-3']) {
        await keep(store, 'M1', { sentAt: daysAgo(1), chatRoomId });
        // told of a second one: on its way to the first room, and pruned from the other
        await history.updateRoom('acme', chatRoomId, { unreadCount: 2 });
      }
      const shared = { ...store, cluster: SHARED };
      const pruned = pruneStore(shared, daysAgo(90), clock);
      await clock.scheduled(1_000);
      await history.record('acme', roomUpdate({ unread: false }), message('M2', { fromMe: false }));
      clock.advance(1_000);
      await pruned;
      return (await history.rooms('acme')).map(({ chatRoomId, unreadCount }) => [chatRoomId, unreadCount]);
    });
    expect(Object.fromEntries(counts)).to.deep.equal({ [ROOM]: 2, 'acme-1-3': 1 });
  });

  it('says as JSON what it did, and finds nothing the second time', async () => {
    await kept.open((store) => keep(store, 'M1', { sentAt: daysAgo(3) }));
    const argv = ['--older-than', '48h', '--yes', '--json'];
    const first = JSON.parse((await kept.run(Prune, ...argv)).stdout);
    expect(first).to.include({ messages: 1, files: 0 });
    expect(Date.parse(first.before)).to.be.within(daysAgo(2) - DAY_MS, daysAgo(2));
    expect(JSON.parse((await kept.run(Prune, ...argv)).stdout)).to.include({ messages: 0, files: 0 });
  });

  it('deletes nothing without a yes', async () => {
    await kept.open((store) => keep(store, 'M1', { sentAt: daysAgo(100) }));
    for (const argv of [[], ['--json']]) {
      const { exitCode } = await kept.run(Prune, '--older-than', '90d', ...argv);
      expect(exitCode).to.equal(2);
    }
    await kept.open(async ({ history }) => {
      expect(await history.messages('acme', ROOM, { limit: 10 })).to.have.length(1);
    });
  });

  it('works as a process of its own', async () => {
    const { exitCode, stdout } = await runCli([
      'store',
      'prune',
      '--older-than',
      '90d',
      '--yes',
      ...kept.flags,
    ]);
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'deleted 0 messages and 0 files\n' });
    expect((await runCli(['store', 'prune', '--yes', ...kept.flags])).exitCode).to.equal(2);
  });

  it('understands hours, days, weeks and years', () => {
    expect(['36h', '90d', '12w', '2y'].map((text) => parseAge(text).ms / DAY_MS)).to.deep.equal([
      1.5, 90, 84, 730,
    ]);
    for (const text of ['90', 'd', '0d', '-1d', '1.5d', '90m', '90 d', '']) {
      expect(() => parseAge(text), text).to.throw(CliError, 'is not an age such as 90d');
    }
  });
});
