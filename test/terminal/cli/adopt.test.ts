import { createHash } from 'node:crypto';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import AdoptBaileys from '../../../commands/adopt/baileys.js';
import AdoptJson from '../../../commands/adopt/json.js';
import AdoptWaha from '../../../commands/adopt/waha.js';
import { readBaileysFolders } from '../../../src/terminal/cli/adopt/baileys-folder.js';
import { readJsonLines } from '../../../src/terminal/cli/adopt/json-lines.js';
import { readWahaFolders } from '../../../src/terminal/cli/adopt/waha-folder.js';
import { runCommand } from '../../support/run-command.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

/** Credentials of a finished pairing, as far as the command line looks at them. */
const CREDENTIALS = JSON.stringify({ account: {}, me: { id: '15550000001:3@s.whatsapp.net' } });

describe('the stores of other programs', () => {
  let folder: TempDir;
  beforeEach(async () => {
    folder = await makeTempDir();
  });
  afterEach(() => folder.remove());

  /** @param files contents by name */
  const write = async (name: string, files: Readonly<Record<string, string>>) => {
    const dir = join(folder.path, name);
    await mkdir(dir, { recursive: true });
    for (const [file, content] of Object.entries(files)) await writeFile(join(dir, file), content);
  };
  const dryRun = () => runCommand(AdoptBaileys, [folder.path, '--dry-run']);

  it('name the ids of keys in the names of their files', async () => {
    await write('bot', {
      'creds.json': CREDENTIALS,
      'session-163176381364484_1.0.json': '{}',
      'sender-key-120363040000000001@g.us--163176381364484_1--0.json': '{}',
      'sender-key-memory-1555-1600@g.us.json': '{}',
      'app-state-sync-key-AAAA__b+=.json': '{}',
      'app-state-sync-version-regular_high.json': '{}',
      'tctoken-__index.json': '{}',
      'lid-mapping-15550000002.json': '"163176381364484"',
      'baileys_store.json': '{}',
    });
    const [number] = await readBaileysFolders(join(folder.path, 'bot'));
    const found: string[] = [];
    for await (const { type, id } of number?.keys() ?? []) found.push(`${type} ${id}`);
    expect(found).to.have.members([
      'session 163176381364484_1.0',
      'sender-key 120363040000000001@g.us::163176381364484_1::0',
      'sender-key-memory 1555-1600@g.us',
      'app-state-sync-key AAAA/b+=',
      'app-state-sync-version regular_high',
      'tctoken __index',
      'lid-mapping 15550000002',
    ]);
  });

  it('may have truncated files, which are named and left out', async () => {
    await write('bot', { 'creds.json': CREDENTIALS, 'session-1.0.json': '{"a":', 'session-2.0.json': '' });
    const { stdout, exitCode } = await dryRun();
    expect(stdout)
      .to.contain('cannot be read: session-1.0.json, session-2.0.json')
      .and.contain('can be taken over');
    expect(exitCode).to.equal(0);
  });

  it('cannot be used without credentials, before the end of a pairing, or twice under one name or link', async () => {
    await write('cut', { 'creds.json': '{"me":' });
    await write('half', { 'creds.json': '{"me":{"id":"15550000009@s.whatsapp.net"}}' });
    await write('my-bot', { 'creds.json': CREDENTIALS });
    await write('my_bot', { 'creds.json': CREDENTIALS.replace(':3@', ':4@') });
    await write('twin', { 'creds.json': CREDENTIALS });
    await write('not-a-number', { 'notes.txt': 'x' });
    const { stdout, exitCode } = await dryRun();
    const at = (name: string) => join(folder.path, name);
    expect(stdout.split('\n').filter((line) => line.includes('taken over'))).to.deep.equal([
      '  cannot be taken over: its credentials cannot be read',
      '  cannot be taken over: its pairing was not finished',
      `  cannot be taken over: it would be the session mybot, as ${at('my_bot')} would`,
      `  cannot be taken over: it would be the session mybot, as ${at('my-bot')} would`,
      `  cannot be taken over: ${at('my-bot')} has the same link`,
    ]);
    expect(exitCode).to.equal(1);
  });

  it('include those of WAHA, with the names and webhooks of its sessions', async () => {
    const suffix = createHash('md5').update('sales').digest('hex');
    const settings = JSON.stringify({ webhooks: [{ url: 'https://example.com/waha', events: ['message'] }] });
    await write(`noweb/sales-${suffix}`, {
      'creds.json': CREDENTIALS,
      '.waha.session.config.json': settings,
    });
    await write('noweb/support', { 'creds.json': CREDENTIALS.replace(':3@', ':4@') });
    const numbers = await readWahaFolders(folder.path);
    expect(numbers.map(({ clientId, webhookUrl }) => ({ clientId, webhookUrl }))).to.deep.equal([
      { clientId: 'sales', webhookUrl: 'https://example.com/waha' },
      { clientId: 'support', webhookUrl: undefined },
    ]);
    const { stdout } = await runCommand(AdoptWaha, [folder.path, '--dry-run']);
    expect(stdout).to.contain('sales  +15550000001').and.contain('support  +15550000001');
  });

  it('are refused without a webhook, without keys, or while they are being written, before anything is changed', async () => {
    await write('bot', { 'creds.json': CREDENTIALS });
    const hook = ['--webhook', 'https://example.com/hook'];
    const errorOf = async (...argv: string[]) =>
      (await runCommand(AdoptBaileys, [folder.path, '--url', 'http://127.0.0.1:1', ...argv])).stderr;
    expect(await errorOf())
      .to.contain('it has no webhook')
      .and.contain('--no-webhook');
    expect(await errorOf(...hook))
      .to.contain('its store was written')
      .and.contain('so another program uses it');
    const longAgo = new Date('2026-01-01');
    await utimes(join(folder.path, 'bot', 'creds.json'), longAgo, longAgo);
    expect(await errorOf(...hook)).to.contain('its Signal keys were not found');
    expect(await errorOf('--only', 'other')).to.contain('there is no number that becomes other');
  });

  it('are not found where no folder has credentials', async () => {
    const { stderr, exitCode } = await dryRun();
    expect(stderr).to.contain('has no creds.json, and no folder in it has one');
    expect(exitCode).to.equal(5);
    const missing = await runCommand(AdoptJson, [join(folder.path, 'none.jsonl')]);
    expect([missing.exitCode, missing.stderr]).to.deep.equal([
      5,
      `error: there is no file ${join(folder.path, 'none.jsonl')}\n`,
    ]);
  });

  it('are refused with the line and the field when their JSON lines are wrong', async () => {
    const right = { clientId: 'acme', credentials: JSON.parse(CREDENTIALS) };
    const cases = [
      ['no json', 'line 2: is not a JSON object'],
      [{ ...right, clientId: 'my-bot' }, 'line 2: clientId must have 1 to 64 letters and digits'],
      [{ ...right, credentials: 'x' }, 'line 2: credentials must be an object'],
      [{ ...right, keys: [] }, 'line 2: keys must be an object of families'],
      [{ ...right, keys: { session: 1 } }, 'line 2: keys.session must be an object of keys by id'],
      [{ ...right, orgId: 7 }, 'line 2: orgId must be a text'],
    ] as const;
    for (const [line, message] of cases) {
      const text = typeof line === 'string' ? line : JSON.stringify(line);
      const input = Readable.from([`${JSON.stringify(right)}\n${text}\n`]);
      const error = await readJsonLines(input).catch((reason: unknown) => reason);
      expect(error).to.be.an('error').with.property('message', message);
    }
  });
});
