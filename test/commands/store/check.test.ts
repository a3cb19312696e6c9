import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Check from '../../../commands/store/check.js';
import { contact } from '../../contracts/store/harness.js';
import { MONGODB_URL } from '../../store/support/mongo.js';
import { KeptStore, keep, keepFile } from '../../support/kept-store.js';
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

  it('finds nothing wrong with what belongs together', async () => {
    await kept.open(async (store) => {
      await keep(store, 'M1');
      await keepFile(store, 'M2');
      const expected = { id: '11111111-1111-4111-8111-111111111111', clientId: 'acme', chatRoomId: ROOM };
      await keep(store, 'M3', { fileId: expected.id });
      await store.expectedFiles.add({ ...expected, messageId: 'M3', since: 1, past: false });
    });
    expect(await check()).to.deep.equal({ exitCode: 0, faults: { ...NONE, repaired: false } });
    expect((await kept.run(Check)).stdout).to.equal('everything belongs together\n');
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
    expect(stdout)
      .to.contain('1 × a file whose message is gone')
      .and.contain('1 × a message whose file is gone');
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
    it('finds a file whose bytes are gone, and the message that named it', async () => {
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

  it('forgets changes of messages that never came, when it repairs', async () => {
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

  it('is refused while a daemon has the database, or may run beside it', async () => {
    const world = await startWorld({ settings: kept.settings });
    try {
      const { exitCode, stderr, stdout } = await runCli(['store', 'check', ...kept.flags]);
      if (MONGODB_URL) {
        expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: 'everything belongs together\n' });
      } else {
        expect(exitCode).to.equal(6);
        expect(stderr).to.contain('in use by another daemon').and.contain('stop the daemon, run this');
      }
    } finally {
      await world.stop();
    }
  });

  it('says so when there is no store, and begins none', async () => {
    const folder = join(kept.dataDir, 'nothing');
    const missing = await runCli(['store', 'check', '--data-dir', folder, '--store', 'sqlite']);
    expect(missing.exitCode).to.equal(5);
    expect(missing.stderr).to.contain('name the right --data-dir');
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
