import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import SendText from '../../commands/send/text.js';
import SessionsExport from '../../commands/sessions/export.js';
import SessionsImport from '../../commands/sessions/import.js';
import type { Answer } from '../../src/contract/index.js';
import { createLog } from '../../src/gateway/log.js';
import { readSealed } from '../../src/terminal/cli/adopt/sealed-file.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import {
  ALICE,
  BOB,
  linkSession,
  reached,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const RECEIVER_TOKEN = 'token-of-the-receiver';
const PASSPHRASE = 'four words and a comma,';

describe('sessions that move between Switchboards', () => {
  let old: World;
  let fresh: World;
  let folder: TempDir;
  let file: string;
  let printed = '';
  const destination = {
    write: (line: string) => {
      printed += line;
    },
  };
  before(async () => {
    const overrides = { log: createLog({ level: 'trace', pretty: false, destination }) };
    folder = await makeTempDir();
    file = join(folder.path, 'acme.session');
    // with MongoDB the session moves there from SQLite, and back
    old = await startWorld({ wire: true, settings: { store: 'sqlite' }, overrides });
    fresh = await startWorld({ settings: { network: `sandbox+${old.sandbox.wsUrl}` }, overrides });
    await old.phones.addPhone(BOB);
    await linkSession(old, 'acme', ALICE, { extraEvents: ['session_status'] });
    await old.api.post('/set-reject-calls', { clientId: 'acme', enabled: true });
    await eventOf(old.receiver, await fromBob('before'));
    await fromAlice(old, 'from the old one');
  });
  after(async () => {
    await fresh.stop();
    await old.stop();
    await folder.remove();
  });

  const fromBob = async (text: string) =>
    (await old.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  const fromAlice = async (world: World, body: string) => {
    const sent = await world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const { messageId } = sent.body;
    return old.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);
  };
  const run = async (
    command: typeof SessionsExport | typeof SessionsImport | typeof SendText,
    world: World,
    argv: string[],
  ) => {
    const place = { SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const result = await runCommand(command, argv, { SWITCHBOARD_PASSPHRASE: PASSPHRASE, ...place });
    printed += result.stdout + result.stderr;
    return result;
  };
  const exported = (world: World, ...argv: string[]) =>
    run(SessionsExport, world, ['acme', '--yes', ...argv]);
  const imported = (world: World, path = file) => run(SessionsImport, world, [path, '--watch', '0']);
  const linkedAtIn = async (world: World) =>
    (await world.api.get('/policy/sends?clientId=acme')).body.linkedAt;
  /** Without what each daemon counts for itself. */
  const receiversOf = async (world: World): Promise<object[]> => {
    const answer: Answer<'listReceivers'> = JSON.parse(
      JSON.stringify((await world.api.get('/receivers?clientId=acme')).body),
    );
    return answer.receivers.map(({ delivered: _, dropped: __, last: ___, ...rest }) => rest);
  };
  const statusAt = async (world: World) => (await world.api.get('/clients')).body.clients;

  it('are not exported without a file, with a short passphrase, or when they are not linked', async () => {
    expect((await exported(old)).stderr).to.contain('name a file with --file');
    const place = { SWITCHBOARD_URL: old.daemon.url, SWITCHBOARD_TOKEN: TOKEN };
    const short = await runCommand(SessionsExport, ['acme', '--yes', '--file', file], {
      ...{ ...place, SWITCHBOARD_PASSPHRASE: 'short' },
    });
    expect([short.stderr, short.exitCode]).to.deep.equal([
      'error: the passphrase must have at least 12 characters\n',
      2,
    ]);
    expect((await old.api.post('/export', { clientId: 'nobody' })).status).to.equal(404);
    expect(await old.api.post('/export-keys', { clientId: 'acme' })).to.deep.include({
      status: 409,
      body: { error: 'session acme is connected; call /export, which stops it' },
    });
    expect(await statusAt(old)).to.have.nested.property('[0].status', 'connected');
  });

  it('are not reported as exported when another client took over the link', async () => {
    await old.phones.fault({ kind: 'conflict', number: ALICE.number, count: 1 });
    await reached(old, 'acme', 'replaced');
    for (const wish of ['--delete', '--undo']) {
      const { stderr, exitCode } = await exported(old, wish);
      expect([stderr, exitCode]).to.deep.equal(['error: acme is replaced: it is not exported\n', 6]);
    }
    await old.api.post('/reconnect', { clientId: 'acme' });
    await reached(old, 'acme', 'connected');
  });

  it('are used by the old gateway again after --undo, even if it was restarted meanwhile', async () => {
    const first = join(folder.path, 'first.session');
    const { stdout, stderr, exitCode } = await exported(old, '--file', first);
    expect(stdout, stderr).to.match(/^acme is stopped here; \S+first.session has it with \d+ keys\n$/);
    expect(exitCode).to.equal(0);
    const refused = await old.api.post('/send-message', {
      clientId: 'acme',
      to: BOB.number,
      body: 'too early',
    });
    expect(refused.status).to.equal(404);
    expect(refused.body).to.have.property('error').that.contains('sessions export acme --undo');
    expect(refused.body).to.have.property('error').that.does.not.contain('reconnect');
    const typed = await run(SendText, old, ['acme', BOB.number, 'too early']);
    expect(typed.stderr).to.contain('sessions export acme --undo').and.not.to.contain('reconnect');
    await old.restartDaemon();
    expect(await statusAt(old)).to.have.nested.property('[0].status', 'replaced');
    expect((await exported(old, '--undo')).stdout).to.equal('acme connects here again\n');
    await reached(old, 'acme', 'connected');
    await eventOf(old.receiver, await fromBob('once more'));
    const again = await exported(old, '--undo');
    expect([again.exitCode, again.stderr]).to.deep.equal([
      6,
      'error: acme is connected: it is not exported\n',
    ]);
  });

  it('continue in the other gateway with their settings, and no message is lost or duplicated', async () => {
    // the network does not learn that this one was received
    old.wire.watch(() => 'hold');
    const unacknowledged = await fromBob('received, not acknowledged');
    await eventOf(old.receiver, unacknowledged);
    const linkedAt = await linkedAtIn(old);
    const webhook = { clientId: 'acme', webhookUrl: old.receiver.url };
    await old.api.post('/set-webhook', { ...webhook, webhookToken: 'token-before' });
    const { body } = await old.api.post('/set-webhook', {
      ...{ ...webhook, webhookToken: WEBHOOK_TOKEN, previousTokenFor: 3_600 },
    });
    const audit = { clientId: 'acme', url: `${old.receiver.url}/audit`, token: RECEIVER_TOKEN };
    const settings = { filter: { types: ['call'] }, headers: { 'x-key': 'a' }, schedule: { attempts: 2 } };
    await old.api.post('/receivers', { ...audit, ...settings, name: 'audit' });
    await old.api.post('/receivers/update', { clientId: 'acme', id: '2', paused: true });
    const receivers = await receiversOf(old);
    expect(receivers[0]).to.include({ previousTokenUntil: body.previousTokenUntil });
    expect(receivers[1]).to.deep.include({ id: '2', ...settings, headers: ['x-key'], hasToken: true });
    expect((await exported(old, '--file', file)).exitCode).to.equal(0);
    old.wire.restore();
    const waiting = await fromBob('while nobody is there');
    const { stdout, exitCode } = await imported(fresh);
    expect([stdout, exitCode]).to.deep.equal(['1 of 1  acme  +15550000001 connected\n', 0]);
    expect(await eventOf(old.receiver, waiting)).to.include({ body: 'while nobody is there' });
    expect(await fromAlice(fresh, 'from the new one')).to.include({ text: 'from the new one' });
    await eventOf(old.receiver, await fromBob('after'));
    for (const messageId of [unacknowledged, waiting]) {
      expect(eventsOf(old.receiver, messageId), messageId).to.have.lengthOf(1);
    }
    const view = { clientId: 'acme', webhookUrl: old.receiver.url, status: 'connected' };
    expect(await statusAt(fresh))
      .to.have.nested.property('[0]')
      .that.deep.includes(view);
    expect(await statusAt(fresh)).to.have.deep.nested.property('[0].extraEvents', ['session_status']);
    expect(await statusAt(old)).to.have.nested.property('[0].status', 'replaced');
    expect(await linkedAtIn(fresh)).to.equal(linkedAt);
    expect(await receiversOf(fresh)).to.deep.equal(receivers);
  });

  it('can return to the old gateway after they were deleted there', async () => {
    const deleted = await exported(old, '--delete');
    expect(deleted.stdout).to.equal('acme is deleted here; its device stays linked\n');
    const back = join(folder.path, 'back.session');
    const passphrase = join(folder.path, 'passphrase');
    await writeFile(passphrase, 'another passphrase, in a file\n');
    const byFile = ['--passphrase-file', passphrase];
    await fresh.api.post('/pause-webhook', { clientId: 'acme', paused: true });
    expect((await exported(fresh, '--file', back, ...byFile)).exitCode).to.equal(0);
    expect((await imported(old, back)).exitCode).to.equal(4);
    const survey = await run(SessionsImport, old, [back, ...byFile, '--dry-run']);
    expect(survey.stdout)
      .to.match(/^acme {2}\+15550000001 {2}\S+back\.session\n/)
      .and.contain('can be taken over');
    const home = await run(SessionsImport, old, [back, ...byFile, '--watch', '0']);
    expect(home.stdout).to.contain('acme  +15550000001 connected');
    expect(await statusAt(old)).to.have.nested.property('[0].webhookPaused', 'an operator paused it');
    await old.api.post('/pause-webhook', { clientId: 'acme', paused: false });
    await eventOf(old.receiver, await fromBob('home again'));
    expect(await fromAlice(old, 'from home')).to.include({ text: 'from home' });
  });

  it('are kept in a file for the owner alone, which distinguishes a wrong passphrase from damage', async () => {
    const bytes = await readFile(file);
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(bytes.includes('credentials')).to.equal(false);
    const wrong = await runCommand(SessionsImport, [file], {
      ...{
        SWITCHBOARD_URL: fresh.daemon.url,
        SWITCHBOARD_TOKEN: TOKEN,
        SWITCHBOARD_PASSPHRASE: 'another one',
      },
    });
    expect([wrong.stderr, wrong.exitCode]).to.deep.equal([
      `error: the passphrase is not that of ${file}\n`,
      4,
    ]);
    const broken = join(folder.path, 'broken.session');
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(changed.length - 1) ^ 1, changed.length - 1);
    for (const content of [changed, bytes.subarray(0, -7), bytes.subarray(0, 30)]) {
      await writeFile(broken, content);
      const { stderr, exitCode } = await imported(fresh, broken);
      expect(stderr).to.contain(`${broken} is damaged: it was cut or changed. Nothing was imported.`);
      expect(exitCode).to.equal(1);
    }
    await writeFile(broken, '{}');
    expect((await imported(fresh, broken)).stderr).to.contain('is no file of switchboard sessions export');
  });

  it('leave no secret in logs and output', async () => {
    const line = JSON.parse(await readSealed(file, PASSPHRASE));
    const { noiseKey, advSecretKey, signedIdentityKey } = line.credentials;
    const [preKey] = Object.values<{ private: { data: string } }>(line.keys['pre-key']);
    const secrets = [
      noiseKey.private.data,
      advSecretKey,
      signedIdentityKey.private.data,
      preKey?.private.data,
    ];
    expect(printed).to.contain('the session was exported');
    for (const secret of [...secrets, WEBHOOK_TOKEN, RECEIVER_TOKEN, PASSPHRASE]) {
      expect(secret).to.be.a('string');
      expect(printed).not.to.contain(secret);
    }
  });
});
