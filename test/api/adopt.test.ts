import { createHash } from 'node:crypto';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import AdoptBaileys from '../../commands/adopt/baileys.js';
import AdoptJson from '../../commands/adopt/json.js';
import { readBaileysFolders } from '../../src/terminal/cli/adopt/baileys-folder.js';
import { FileDevice } from '../support/file-device.js';
import { eventOf, eventsOf } from '../support/receiver.js';
import { type CommandResult, runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  reached,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const WAITING = ['first', 'second', 'third'];

describe('numbers that another program has linked', () => {
  let world: World;
  let folder: TempDir;
  let tree: string;
  let other: FileDevice;
  before(async () => {
    world = await startWorld();
    folder = await makeTempDir();
    tree = join(folder.path, 'numbers');
    await world.phones.addPhone(BOB);
    other = await FileDevice.link(world, join(tree, 'my-bot'), ALICE);
    await world.phones.people.nameContacts(ALICE.number, [{ number: BOB.number, name: 'Bob Builder' }]);
    await world.phones.write(BOB.number, { to: ALICE.number, text: 'to the other program' });
    await other.read('to the other program');
    await said(await other.say(`${BOB.number.slice(1)}@s.whatsapp.net`, 'from the other program'));
  });
  after(async () => {
    await other.stop();
    await world.stop();
    await folder.remove();
  });

  const said = (messageId: string) =>
    world.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);
  const daemon = () => ({ SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  const adopt = (...argv: string[]): Promise<CommandResult> =>
    runCommand(AdoptBaileys, [tree, ...argv], daemon());
  const fromBob = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;

  it('are listed by --dry-run, with what their store contains and lacks', async () => {
    const { stdout, exitCode } = await adopt('--dry-run');
    expect(stdout).to.match(/^mybot {2}\+15550000001 {2}\S+my-bot\n {2}Signal sessions: \d+, group keys: /);
    expect(stdout).to.contain('  webhook: none\n').and.contain('  can be taken over\n');
    expect(exitCode).to.equal(0);
    expect((await world.api.get('/clients')).body.clients).to.deep.equal([]);
  });

  it('are refused while the other program has just written its store', async () => {
    const now = new Date();
    await utimes(join(tree, 'my-bot', 'creds.json'), now, now);
    const { stderr, exitCode } = await adopt('--no-webhook');
    expect(stderr).to.contain('so another program uses it').and.contain('stop the other program first');
    expect(exitCode).to.equal(6);
    expect((await world.api.get('/clients')).body.clients).to.deep.equal([]);
  });

  it('continue without pairing: each waiting message arrives once, old chats continue, and the store is not changed', async () => {
    await other.stop();
    const stored = await contentOf(join(tree, 'my-bot'));
    const waiting: string[] = [];
    for (const text of WAITING) waiting.push(await fromBob(text));
    const webhook = ['--webhook', world.receiver.url, '--webhook-token', WEBHOOK_TOKEN];
    const { stdout, exitCode } = await adopt('--force', '--watch', '0', ...webhook);
    expect({ stdout, exitCode }).to.deep.equal({
      stdout: '1 of 1  mybot  +15550000001 connected\n',
      exitCode: 0,
    });
    for (const [index, messageId] of waiting.entries()) {
      expect(await eventOf(world.receiver, messageId)).to.include({
        body: WAITING[index],
        clientId: 'mybot',
      });
    }
    const sent = await world.api.post('/send-message', { clientId: 'mybot', to: BOB.number, body: 'hello' });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    expect(await said(String(sent.body.messageId))).to.include({ text: 'hello' });
    await eventOf(world.receiver, await fromBob('after'));
    for (const messageId of waiting) expect(eventsOf(world.receiver, messageId)).to.have.lengthOf(1);
    expect(await contentOf(join(tree, 'my-bot'))).to.deep.equal(stored);
  });

  it('are not adopted twice', async () => {
    const { stdout, exitCode } = await adopt('--force', '--no-webhook', '--watch', '0');
    expect({ stdout, exitCode }).to.deep.equal({
      stdout: '1 of 1  mybot  +15550000001 is here already\n',
      exitCode: 0,
    });
    const copy = { clientId: 'copy', credentials: JSON.parse(await credentials()) };
    const { status, body } = await world.api.post('/adopt', copy);
    expect([status, body.error]).to.deep.equal([409, 'session mybot has this link already']);
  });

  it('stay linked when they are given back, and the other program continues', async () => {
    const another = { clientId: 'mybot', jid: '15550000009@s.whatsapp.net' };
    expect(await world.api.post('/give-back', another)).to.deep.include({ status: 400 });
    const { stdout } = await adopt('--undo', '--yes');
    expect(stdout).to.equal('mybot is given back; its device stays linked\n');
    expect((await adopt('--undo', '--yes')).exitCode).to.equal(5);
    expect((await world.api.get('/clients')).body.clients).to.deep.equal([]);
    other = await FileDevice.open(world, join(tree, 'my-bot'));
    await other.connect();
    await fromBob('back again');
    await other.read('back again');
  });

  it('stop the adoption with a conflict while the other program still uses the link', async () => {
    await other.stop();
    const adoption = adopt('--force', '--no-webhook', '--watch', '600');
    await reached(world, 'mybot', 'connected');
    await other.connect();
    const { stderr, exitCode } = await adoption;
    expect(stderr).to.contain('mybot: another program uses this link too; no further number was taken over');
    expect(exitCode).to.equal(6);
  });

  it('can be adopted from JSON lines too, with webhook and workspace', async () => {
    await other.stop();
    await adopt('--undo', '--yes');
    const [number] = await readBaileysFolders(tree);
    const keys: Record<string, Record<string, unknown>> = {};
    for await (const { type, id, value } of number?.keys() ?? []) {
      keys[type] = { ...keys[type], [id]: value };
    }
    const webhook = { webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN };
    const line = {
      clientId: 'lines',
      // the other program has read the names and settings of chats long ago
      credentials: { ...number?.credentials, accountSyncCounter: 1 },
      keys,
      ...webhook,
      orgId: 'workspace1',
    };
    const file = join(folder.path, 'numbers.jsonl');
    await writeFile(file, `${JSON.stringify(line)}\n`);
    const { stdout } = await runCommand(AdoptJson, [file, '--watch', '0'], daemon());
    expect(stdout).to.equal('1 of 1  lines  +15550000001 connected\n');
    expect(await eventOf(world.receiver, await fromBob('to the lines'))).to.include({
      clientId: 'lines',
      orgId: 'workspace1',
    });
  });

  it("get the names of the phone's address book, and with them an audience for statuses", async () => {
    await until('the address book', async () => {
      const { status } = await world.api.post('/post-status', { clientId: 'lines', body: 'moved in' });
      return status === 200;
    });
    await world.phones.waitForStatus(BOB.number, ({ text }) => text === 'moved in');
  });

  it('are refused with the reason when their state cannot be used, and nothing of it is stored', async () => {
    const { clientId: _, ...unpaired } = { clientId: '', ...JSON.parse(await credentials()), account: null };
    const cases = [
      [{ credentials: {} }, 'credentials: the stored credentials are damaged'],
      [
        { credentials: unpaired },
        'credentials: this number was never linked to the end; link it with /start',
      ],
    ] as const;
    for (const [state, error] of cases) {
      const { status, body } = await world.api.post('/adopt', { clientId: 'broken', begin: true, ...state });
      expect([status, body.error]).to.deep.equal([400, error]);
    }
    expect((await world.api.get('/clients?clientId=broken')).body.clients).to.deep.equal([]);
  });

  it('are adopted without unusable keys, and with the keys of earlier releases', async () => {
    const keys = [
      { type: 'session', id: 'a', value: 7 },
      { type: 'nothing', id: 'b', value: {} },
      // as releases up to 6.7.18 store it
      { type: 'sender-key', id: 'c', value: [{ senderKeyId: 1 }] },
    ];
    const { status, body } = await world.api.post('/adopt', { clientId: 'parts', begin: true, keys });
    expect([status, body.leftOut]).to.deep.equal([200, ['session a', 'nothing b']]);
  });

  it('can be paired when their adoption was never finished', async () => {
    const key = { type: 'app-state-sync-version', id: 'regular', value: { version: 7 } };
    await world.api.post('/adopt', { clientId: 'parts', begin: true, keys: [key] });
    await linkSession(world, 'parts', CAROL);
    const sent = await world.api.post('/send-message', { clientId: 'parts', to: BOB.number, body: 'paired' });
    expect(await said(String(sent.body.messageId))).to.include({ text: 'paired' });
  });

  const credentials = () => readFile(join(tree, 'my-bot', 'creds.json'), 'utf8');
});

/** SHA-256 of each file of a folder. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  for (const name of (await readdir(folder)).sort()) {
    hashes[name] = createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex');
  }
  return hashes;
}
