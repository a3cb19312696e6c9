import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Export from '../../../commands/store/export.js';
import type { Store } from '../../../src/gateway/store/store.js';
import { exportSession } from '../../../src/local/store/export.js';
import { KeptStore, keep, keepFile } from '../../support/kept-store.js';
import { runCli } from '../../support/spawn-cli.js';

/** More than are read at once. */
const MANY = 450;
const OTHER_ROOM = 'acme-1-3';

describe('switchboard store export', () => {
  let kept: KeptStore;
  let to: string;
  beforeEach(async () => {
    kept = await KeptStore.begin();
    to = join(kept.dataDir, 'export');
  });
  afterEach(() => kept.drop());

  const text = (path: string) => readFile(join(to, path), 'utf8');
  const lines = async (path: string) =>
    (await text(path))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('writes each room, its files and an index', async () => {
    const id = await kept.open(async (store) => {
      await keep(store, 'M1', { sentAt: 1_000, extras: { edited: true, reactionTimes: { a: 1 } } });
      await keep(store, 'M3', { sentAt: 3_000, chatRoomId: OTHER_ROOM });
      return keepFile(store, 'M2', { sentAt: 2_000, fileName: 'holiday.txt', content: 'sunny' });
    });
    const { exitCode, stdout } = await kept.run(Export, 'acme', '--to', to);
    const said = `3 messages of 2 rooms and 1 files are in ${to}\n`;
    expect({ exitCode, stdout }).to.deep.equal({ exitCode: 0, stdout: said });
    const index = JSON.parse(await text('index.json'));
    expect(index).to.deep.include({
      clientId: 'acme',
      number: '+15550000001',
      name: 'Acme',
      orgId: 'org-1',
      messages: 3,
      files: 1,
      missingFiles: 0,
    });
    expect(
      index.rooms.map(({ file, messages }: { file: string; messages: number }) => [file, messages]),
    ).to.deep.equal([
      [`rooms/${OTHER_ROOM}.jsonl`, 1],
      ['rooms/acme-1-2.jsonl', 2],
    ]);
    const [first, second] = await lines('rooms/acme-1-2.jsonl');
    expect(first).to.deep.include({
      messageId: 'M1',
      body: 'body M1',
      fromMe: false,
      sentAt: '1970-01-01T00:00:01.000Z',
      extras: { edited: true },
    });
    expect(first).to.not.have.any.keys('content', 'fileId', 'file');
    expect(second.file).to.equal(`media/${id}-holiday.txt`);
    expect(await text(second.file)).to.equal('sunny');
  });

  it('writes long rooms completely, the oldest message first', async () => {
    await kept.open(async (store) => {
      for (let index = 0; index < MANY; index++) await keep(store, `M${index}`, { sentAt: 1_000 + index });
    });
    expect((await kept.run(Export, 'acme', '--to', to)).exitCode).to.equal(0);
    const ids = (await lines('rooms/acme-1-2.jsonl')).map(({ messageId }) => messageId);
    expect(ids).to.deep.equal(Array.from({ length: MANY }, (_, index) => `M${index}`));
  });

  it('writes each message once while a daemon is running', async () => {
    const written = await kept.open(async (store) => {
      for (let index = 0; index < MANY; index++) {
        const add = index === 49 ? keepFile : keep;
        await add(store, `M${index}`, { sentAt: 1_000 + 2 * index });
      }
      let looks = Math.ceil(MANY / 200) + 1;
      const messages: Store['history']['messages'] = async (...asked) => {
        const page = await store.history.messages(...asked);
        looks -= 1;
        // the whole room has been looked at: one goes, one comes late, and one goes that a page begins with
        if (looks === 0) {
          await store.history.remove('acme', 'acme-1-2', 'M100');
          await keep(store, 'late', { sentAt: 1_000 + 2 * 150 + 1 });
          await keep(store, 'later', { sentAt: 1_000 + 2 * 150 + 1 });
          await store.history.remove('acme', 'acme-1-2', 'M250');
        }
        return page;
      };
      const options = { clientId: 'acme', to, exportedAt: '', counted: { add: () => undefined } };
      await exportSession({ ...store, history: { ...store.history, messages } }, options);
      return (await lines('rooms/acme-1-2.jsonl')).map(({ messageId }) => messageId);
    });
    const there = Array.from({ length: MANY }, (_, index) => `M${index}`);
    there.splice(151, 0, 'late', 'later');
    expect(written).to.deep.equal(there.filter((id) => id !== 'M100' && id !== 'M250'));
  });

  it('writes files with safe names, readable by their owner only', async () => {
    const names = [
      '../../etc/passwd',
      '..',
      'a/b\\c:d*?.pdf',
      `${'x'.repeat(300)}.jpg`,
      '.hidden',
      'späße ✓.txt',
    ];
    await kept.open(async (store) => {
      for (const [index, fileName] of names.entries()) await keepFile(store, `M${index}`, { fileName });
    });
    expect((await kept.run(Export, 'acme', '--to', to)).exitCode).to.equal(0);
    const written = await readdir(join(to, 'media'));
    expect(written).to.have.length(names.length);
    for (const name of written) expect(name).to.match(/^[0-9a-f-]{36}-[\p{L}\p{N}][\p{L}\p{N}._-]{0,80}$/u);
    expect(await readdir(to)).to.have.members(['index.json', 'media', 'rooms']);
    for (const path of ['index.json', 'rooms/acme-1-2.jsonl', `media/${written[0]}`]) {
      expect((await stat(join(to, path))).mode & 0o777).to.equal(0o600);
    }
    expect((await stat(to)).mode & 0o777).to.equal(0o700);
  });

  it('reports missing files', async () => {
    await kept.open((store) => keep(store, 'M1', { fileId: '22222222-2222-4222-8222-222222222222' }));
    const { stdout, stderr } = await kept.run(Export, 'acme', '--to', to);
    expect(stdout).to.contain('and 0 files');
    expect(stderr).to.contain('1 files are missing in the store');
    expect((await lines('rooms/acme-1-2.jsonl'))[0]).to.not.have.property('file');
  });

  it('writes an index without rooms for a session without a history', async () => {
    const { exitCode, stdout } = await kept.run(Export, 'other', '--to', to, '--json');
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.deep.include({ clientId: 'other', messages: 0, rooms: [] });
    expect(JSON.parse(await text('index.json'))).to.deep.equal(JSON.parse(stdout));
  });

  it('refuses a folder that is not empty, and an unknown session', async () => {
    const unknown = await kept.run(Export, 'nobody', '--to', to);
    expect(unknown.exitCode).to.equal(5);
    expect(unknown.stderr).to.contain('no session nobody');
    await mkdir(to);
    await writeFile(join(to, 'mine.txt'), 'mine');
    const full = await kept.run(Export, 'acme', '--to', to);
    expect(full.exitCode).to.equal(6);
    expect(full.stderr).to.contain('is not empty');
    expect(await readdir(to)).to.deep.equal(['mine.txt']);
  });

  it('runs as a separate process', async () => {
    await kept.open((store) => keep(store, 'M1'));
    const { exitCode, stdout } = await runCli([
      'store',
      'export',
      'acme',
      '--to',
      to,
      '--json',
      ...kept.flags,
    ]);
    expect(exitCode).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ messages: 1 });
  });
});
