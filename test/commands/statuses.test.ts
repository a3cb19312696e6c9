import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import StatusesDelete from '../../commands/statuses/delete.js';
import StatusesPost from '../../commands/statuses/post.js';
import StatusesPrivacy from '../../commands/statuses/privacy.js';
import StatusesSetPrivacy from '../../commands/statuses/set-privacy.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { FakeDaemon } from '../terminal/cli/support/fake-daemon.js';

const BOB = '+15550000002';

describe('the commands about statuses', () => {
  let daemon: FakeDaemon;
  let folder: TempDir;

  beforeEach(async () => {
    folder = await makeTempDir();
    daemon = await FakeDaemon.start();
    daemon.on('POST /post-status', { status: 'sent', messageId: '3EB0', people: 2 });
  });
  afterEach(async () => {
    await daemon.stop();
    await folder.remove();
  });

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, ['acme', ...argv], { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: 't' });
  const bodies = () => daemon.callsOf('/post-status').map(({ text }) => JSON.parse(text));

  it('post a text with its look, to some contacts, and a file by its URL', async () => {
    const look = ['--background', '#1E6E4F', '--font', '2', '--to', BOB, '--meta', '{"userId":"u1"}'];
    expect((await run(StatusesPost, 'Closed', ...look)).stdout).to.equal('sent 3EB0 to 2 contacts\n');
    await run(StatusesPost, '--file', 'https://example.com/a.jpg', '--caption', 'Menu');
    expect(bodies()).to.deep.equal([
      {
        ...{ clientId: 'acme', body: 'Closed', backgroundColor: '#1E6E4F', font: 2, audience: [BOB] },
        metaData: { userId: 'u1' },
      },
      { clientId: 'acme', downloadUrl: 'https://example.com/a.jpg', caption: 'Menu' },
    ]);
  });

  it('upload a file of this machine as a form', async () => {
    const path = join(folder.path, 'menu.jpg');
    await writeFile(path, 'the picture');
    const meta = '{"userId":"u1"}';
    const options = ['--caption', 'Menu', '--to', BOB, '--to', '9', '--meta', meta];
    const { stdout } = await run(StatusesPost, '--file', path, ...options);
    expect(stdout).to.equal('sent 3EB0 to 2 contacts\n');
    const [call] = daemon.callsOf('/post-status');
    expect(call?.headers['content-type']).to.match(/^multipart\/form-data; boundary=/);
    expect(call?.headers['idempotency-key']).to.match(/^[\w-]{36}$/);
    const parts = { clientId: 'acme', caption: 'Menu', audience: `${BOB},9`, metaData: meta };
    for (const [name, value] of Object.entries(parts))
      expect(call?.text).to.contain(`name="${name}"\r\n\r\n${value}\r\n`);
  });

  it('refuse a status without a content, and one with two', async () => {
    for (const argv of [[], ['a text', '--file', 'menu.jpg']]) {
      const { exitCode, stderr } = await run(StatusesPost, ...argv);
      expect(exitCode).to.equal(2);
      expect(stderr).to.contain('give a text, or --file with --caption');
    }
    expect(daemon.calls).to.deep.equal([]);
  });

  it('delete a status only after a confirmation', async () => {
    daemon.on('POST /delete-status', { ok: true });
    const { exitCode, stderr } = await run(StatusesDelete, '3EB0');
    expect(exitCode).to.equal(2);
    expect(stderr).to.contain('--yes');
    expect(daemon.callsOf('/delete-status')).to.deep.equal([]);
    expect((await run(StatusesDelete, '3EB0', '--yes')).stdout).to.equal('deleted 3EB0\n');
  });

  it('take no font that the daemon refuses', async () => {
    expect((await run(StatusesPost, 'Closed', '--font', '11')).exitCode).to.equal(2);
    expect(daemon.calls).to.deep.equal([]);
  });

  it('show and set who may see them', async () => {
    const people = [{ lid: '90000000000002', phone: BOB, name: 'Bob' }];
    daemon.on('GET /status-privacy', { mode: 'except', people });
    const { stdout } = await run(StatusesPrivacy);
    expect(stdout)
      .to.match(/^all contacts see the statuses, but for these people\n/)
      .and.contain(BOB);
    daemon.on('POST /set-status-privacy', { ok: true });
    const answer = await run(StatusesSetPrivacy, 'only', BOB, '90000000000003');
    const [call] = daemon.callsOf('/set-status-privacy');
    const set = { clientId: 'acme', mode: 'only', people: [BOB, '90000000000003'] };
    expect(JSON.parse(call?.text ?? '')).to.deep.equal(set);
    expect(answer.stdout).to.equal('set the audience of acme: only 2 people\n');
  });
});
