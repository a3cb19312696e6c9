import { join } from 'node:path';
import { expect } from 'chai';
import SessionsExport from '../../commands/sessions/export.js';
import SessionsImport from '../../commands/sessions/import.js';
import type { RawSettings } from '../../src/gateway/config/schema.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const PASSPHRASE = 'four words and a comma,';
const PRIVATE =
  '127.0.0.1 is a loopback, link-local, private or reserved address; --allow-private-urls permits it';

describe('a session whose receivers are in a private network', () => {
  const settings: RawSettings = { allowPrivateUrls: true };
  let world: World;
  let folder: TempDir;
  /** Its file when it had a webhook only, and with all receivers. */
  let early: string;
  let file: string;
  before(async () => {
    folder = await makeTempDir();
    early = join(folder.path, 'early.session');
    file = join(folder.path, 'acme.session');
    world = await startWorld({ settings });
    await linkSession(world, 'acme');
    expect((await run(SessionsExport, 'acme', '--file', early, '--yes')).exitCode).to.equal(0);
    expect((await run(SessionsExport, 'acme', '--undo', '--yes')).exitCode).to.equal(0);
    await world.connected();
    await world.api.post('/receivers', { clientId: 'acme', url: 'https://example.com/hook' });
    await world.api.post('/receivers', { clientId: 'acme', url: world.receiver.url });
    expect((await run(SessionsExport, 'acme', '--file', file, '--yes')).exitCode).to.equal(0);
    expect((await run(SessionsExport, 'acme', '--delete', '--yes')).exitCode).to.equal(0);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const run = (command: typeof SessionsExport | typeof SessionsImport, ...argv: string[]) =>
    runCommand(command, argv, {
      ...{ SWITCHBOARD_URL: world.daemon.url, SWITCHBOARD_TOKEN: TOKEN, SWITCHBOARD_PASSPHRASE: PASSPHRASE },
    });
  const imported = (from: string) => run(SessionsImport, from, '--watch', '0');
  const restart = async (allowPrivateUrls: boolean) => {
    await world.stopDaemon();
    settings.allowPrivateUrls = allowPrivateUrls;
    await world.startDaemon();
  };
  const receivers = async () => {
    const { body } = await world.api.get('/receivers?clientId=acme');
    return Array.isArray(body.receivers) ? body.receivers.map(({ url }) => url) : [];
  };

  it('is not imported without --allow-private-urls: the error names the field, and nothing is stored', async () => {
    await restart(false);
    for (const [field, from] of [
      ['webhookUrl', early],
      ['receivers[1].url', file],
    ] as const) {
      const { stdout, exitCode } = await imported(from);
      expect(stdout).to.equal(`1 of 1  acme  +15550000001 was not taken over: ${field}: ${PRIVATE}\n`);
      expect(exitCode).to.equal(1);
      expect((await world.api.get('/clients')).body.clients).to.deep.equal([]);
    }
  });

  it('is refused by the API in each address field, and for each further host of a broker', async () => {
    const url = 'kafka://kafka.example/events?brokers=10.0.0.1:9092';
    const receiver = {
      ...{ id: '2', name: '', url, token: '', retry: 'durable', filter: {}, headers: {}, schedule: {} },
      ...{ previousToken: null, previousTokenUntil: 0, paused: '' },
    };
    const { status, body } = await world.api.post('/adopt', { clientId: 'acme', receivers: [receiver] });
    expect(status).to.equal(400);
    expect(body.error).to.match(/^receivers\[0\]\.url: 10\.0\.0\.1 is a loopback/);
    expect((await world.api.get('/clients')).body.clients).to.deep.equal([]);
  });

  it('is imported with --allow-private-urls', async () => {
    await restart(true);
    const { stdout, exitCode } = await imported(file);
    expect([stdout, exitCode]).to.deep.equal(['1 of 1  acme  +15550000001 connected\n', 0]);
    expect(await receivers()).to.deep.equal([
      world.receiver.url,
      'https://example.com/hook',
      world.receiver.url,
    ]);
  });
});
