import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadConfig } from '../../../src/gateway/config/load.js';
import { openNetwork } from '../../../src/gateway/daemon/network.js';
import { startSandbox } from '../../../src/sandbox/index.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

describe('--sandbox-port', () => {
  it('is named in the error when another program listens on the port', async () => {
    const folder = await makeTempDir();
    const taken = await startSandbox();
    const flags = { dataDir: folder.path, network: 'sandbox', sandboxPort: taken.port };
    const config = await loadConfig({ flags, env: {}, defaultDataDir: folder.path });
    const error = await openNetwork(config).catch((failure) => failure);
    expect(error)
      .to.be.an('error')
      .with.property('message')
      .that.matches(new RegExp(`port ${taken.port} is in use.* --sandbox-port`));
    await taken.stop();
    await folder.remove();
  });
});

describe('--network-root', () => {
  let folder: TempDir;
  const key = randomBytes(32);

  beforeEach(async () => {
    folder = await makeTempDir();
  });

  afterEach(() => folder.remove());

  async function open(content: string | Uint8Array, network = 'ws://127.0.0.1:1/ws') {
    const networkRoot = join(folder.path, 'root');
    await writeFile(networkRoot, content);
    return openNetwork({ ...(await config()), network, networkRoot });
  }

  async function config() {
    return loadConfig({ flags: { dataDir: folder.path }, env: {}, defaultDataDir: folder.path });
  }

  for (const [form, content] of [
    ['raw bytes', key],
    ['hex', `${key.toString('hex')}\n`],
    ['base64', key.toString('base64')],
  ] as const) {
    it(`accepts a key in ${form}`, async () => {
      expect(Buffer.from((await open(content)).rootKey ?? []).equals(key)).to.equal(true);
    });
  }

  it('refuses a file that contains no key, or does not exist', async () => {
    const failure = (work: Promise<unknown>) => work.then(() => '').catch((error: Error) => error.message);
    expect(await failure(open('no key'))).to.match(/must hold 32 bytes/);
    const missing = { ...(await config()), network: 'ws://127.0.0.1:1/ws', networkRoot: '/nowhere/root' };
    expect(await failure(openNetwork(missing))).to.match(/cannot be read/);
  });
});
