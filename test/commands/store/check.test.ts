import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Check from '../../../commands/store/check.js';
import Prune from '../../../commands/store/prune.js';
import type { ClusterStore } from '../../../src/gateway/store/store.js';
import { pruneStore } from '../../../src/local/store/prune.js';
import { CliError } from '../../../src/terminal/cli/errors.js';
import { parseAge } from '../../../src/terminal/cli/flags.js';
import { contact, message, roomUpdate } from '../../contracts/store/harness.js';
import { LeaseTable } from '../../gateway/cluster/support/tables.js';
import { MONGODB_URL } from '../../gateway/store/support/mongo.js';
import { KeptStore, keep, keepFile } from '../../support/kept-store.js';
import { ManualClock } from '../../support/manual-clock.js';
import { runCli } from '../../support/spawn-cli.js';
import { startWorld } from '../../support/world.js';

const ROOM = 'acme-1-2';
const NONE = {
  bytesWithoutFile: 0,
  filesWithoutBytes: 0,
  filesWithoutMessage: 0,
  messagesWithoutFile: 0,
  wrongRooms: 0,
  staleChanges: 0,
};

describe('switchboard store check', () => {
  let kept: KeptStore;
  beforeEach(async () => {
    kept = await KeptStore.begin();
  });
  afterEach(() => kept.drop());

  const check = async (...argv: string[]) => {
    const { exitCode, stdout } = await kept.run(Check, '--json', ...argv);
    return { exitCode, faults: JSON.parse(stdout) };
  };

  it('finds no problems in a consistent store', async () => {
    await kept.open(async (store) => {
      await keep(store, 'M1');
      await keepFile(store, 'M2');
      const expected = { id: '11111111-1111-4111-8111-111111111111', clientId: 'acme', chatRoomId: ROOM };
      await keep(store, 'M3', { fileId: expected.id });
      await store.expectedFiles.add({ ...expected, messageId: 'M3', since: 1, past: false });
    });
    expect(await check()).to.deep.equal({ exitCode: 0, faults: { ...NONE, repaired: false } });
    expect((await kept.run(Check)).stdout).to.equal('no problems found\n');
  });

  it('finds a file without its message, a message without its file and a wrong room, and repairs them', async () => {
    const orphan = await kept.open(async (store) => {
      const id = await keepFile(store, 'M1');
      await keep(store, 'M2', { fileId: '22222222-2222-4222-8222-222222222222' });
      await store.history.remove('acme', ROOM, 'M1');
      await store.history.updateRoom('acme', ROOM, { unreadCount: 7 });
      return id;
    });
    const found = { ...NONE, filesWithoutMessage: 1, messagesWithoutFile: 1, wrongRooms: 1 };
    expect(await check()).to.deep.equal({ exitCode: 1, faults: { ...found, repaired: false } });
    const { exitCode, stdout, stderr } = await kept.run(Check);
    expect(exitCode).to.equal(1);
    expect(stdout).to.contain('1 × file without its message').and.contain('1 × message without its file');
    expect(stderr).to.contain('switchboard store check --repair');
    expect(await check('--repair')).to.deep.equal({ exitCode: 0, faults: { ...found, repaired: true } });
    expect(await check()).to.deep.equal({ exitCode: 0, faults: { ...NONE, repaired: false } });
    await kept.open(async ({ history, files }) => {
      expect(await files.get(orphan)).to.equal(undefined);
      expect(await history.message('acme', ROOM, 'M2')).to.include({ fileId: '', body: 'body M2' });
      expect(await history.room('acme', ROOM)).to.include({ unreadCount: 1, lastMessage: 'body M2' });
    });
  });

  it('keeps the file of a message that an interrupted move has brought into the room of its LID', async () => {
    const number = 'acme-1-15550000002';
    const { moved, left } = await kept.open(async (store) => {
      await store.contacts.learn('acme', contact({ lid: '2', pn: '15550000002' }));
      const ids = {
        moved: await keepFile(store, 'M1', { chatRoomId: number }),
        left: await keepFile(store, 'M2', { chatRoomId: number }),
      };
      for (const messageId of ['M1', 'M2']) await store.history.remove('acme', number, messageId);
      await keep(store, 'M1', { fileId: ids.moved });
      await keep(store, 'M2');
      return ids;
    });
    expect((await check('--repair')).faults).to.include({ filesWithoutMessage: 1, messagesWithoutFile: 0 });
    await kept.open(async ({ files }) => {
      expect(await files.get(moved)).to.include({ messageId: 'M1' });
      expect(await files.get(left)).to.equal(undefined);
    });
  });

  if (!MONGODB_URL) {
    it('finds a file without bytes, and the message that names it', async () => {
      const id = await kept.open((store) => keepFile(store, 'M1'));
      await rm(join(kept.dataDir, 'media'), { recursive: true });
      expect((await check()).faults).to.include({ filesWithoutBytes: 1, messagesWithoutFile: 0 });
      expect((await check('--repair')).faults).to.include({ filesWithoutBytes: 1, messagesWithoutFile: 1 });
      await kept.open(async ({ history, files }) => {
        expect(await files.get(id)).to.equal(undefined);
        expect(await history.message('acme', ROOM, 'M1')).to.include({ fileId: '' });
      });
      expect((await check()).exitCode).to.equal(0);
    });
  }

  it('repairs by deleting changes of messages that never arrived', async () => {
    const pending = { targetId: 'M1', chatRoomId: ROOM, change: {}, messageId: 'C1' };
    await kept.open(async ({ history }) => {
      await history.addPending('acme', { ...pending, at: 1 });
      await history.addPending('acme', { ...pending, targetId: 'M2', messageId: 'C2', at: Date.now() });
    });
    expect((await check()).exitCode).to.equal(0);
    expect((await check('--repair')).faults).to.include({ staleChanges: 1 });
    await kept.open(async ({ history }) => {
      expect(await history.pending('acme', ROOM, 'M2')).to.have.length(1);
    });
  });

  it('refuses while a daemon uses the database, or may run beside it', async () => {
    const world = await startWorld({ settings: kept.settings });
    try {
      const { exitCode, stderr, stdout } = await runCli(['store', 'check', ...kept.flags]);
      if (MONGODB_URL) {
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'no problems found\n' });
      } else {
        expect(exitCode).to.equal(6);
        expect(stderr).to.contain('in use by another daemon').and.contain('stop the daemon, run this');
        const prune = await runCli(['store', 'prune', '--older-than', '36h', '--yes', ...kept.flags]);
        expect(prune.exitCode).to.equal(6);
        expect(prune.stderr)
          .to.contain('switchboard sessions retention CLIENTID 2, or')
          .and.contain('stop the daemon, run this');
      }
    } finally {
      await world.stop();
    }
  });

  it('reports a missing store, and creates none', async () => {
    const folder = join(kept.dataDir, 'nothing');
    const missing = await runCli(['store', 'check', '--data-dir', folder, '--store', 'sqlite']);
    expect(missing.exitCode).to.equal(5);
    expect(missing.stderr)
      .to.contain(`there is no folder ${folder}`)
      .and.contain('name the data directory: --data-dir');
    const env = { SWITCHBOARD_ENCRYPTION_KEY: '0'.repeat(64) };
    const keyed = await runCli(['store', 'check', '--data-dir', folder, '--store', 'sqlite'], { env });
    expect(keyed.exitCode).to.equal(5);
    expect(keyed.stderr).to.contain('There is no database in');
    expect(await readdir(kept.dataDir)).to.not.include('nothing');
  });

  it('changes nothing with the wrong key', async () => {
    const env = { SWITCHBOARD_ENCRYPTION_KEY: '0'.repeat(64) };
    const { exitCode, stderr } = await runCli(['store', 'check', '--repair', ...kept.flags], { env });
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^error: .*key/);
  });
});

const DAY_MS = 24 * 60 * 60_000;
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

  it('deletes older messages of all sessions, and nothing else', async () => {
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

  it('skips a room in which a daemon is recording a message', async () => {
    const clock = new ManualClock();
    const counts = await kept.open(async (store) => {
      const { history } = store;
      for (const chatRoomId of [ROOM, 'acme-1-3']) {
        await keep(store, 'M1', { sentAt: daysAgo(1), chatRoomId });
        // the count includes a second message: one still being recorded, one pruned
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

  it('prints its result as JSON, and finds nothing the second time', async () => {
    await kept.open((store) => keep(store, 'M1', { sentAt: daysAgo(3) }));
    const argv = ['--older-than', '48h', '--yes', '--json'];
    const first = JSON.parse((await kept.run(Prune, ...argv)).stdout);
    expect(first).to.include({ messages: 1, files: 0 });
    expect(Date.parse(first.before)).to.be.within(daysAgo(2) - DAY_MS, daysAgo(2));
    expect(JSON.parse((await kept.run(Prune, ...argv)).stdout)).to.include({ messages: 0, files: 0 });
  });

  it('deletes nothing without a confirmation', async () => {
    await kept.open((store) => keep(store, 'M1', { sentAt: daysAgo(100) }));
    for (const argv of [[], ['--json']]) {
      const { exitCode } = await kept.run(Prune, '--older-than', '90d', ...argv);
      expect(exitCode).to.equal(2);
    }
    await kept.open(async ({ history }) => {
      expect(await history.messages('acme', ROOM, { limit: 10 })).to.have.length(1);
    });
  });

  it('runs as a separate process', async () => {
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

  it('accepts hours, days, weeks and years', () => {
    expect(['36h', '90d', '12w', '2y'].map((text) => parseAge(text).ms / DAY_MS)).to.deep.equal([
      1.5, 90, 84, 730,
    ]);
    for (const text of ['90', 'd', '0d', '-1d', '1.5d', '90m', '90 d', '']) {
      expect(() => parseAge(text), text).to.throw(CliError, 'is not an age such as 90d');
    }
  });
});
