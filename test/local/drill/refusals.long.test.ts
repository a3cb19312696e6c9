import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../../src/local/drill/tcp-proxy.js';
import { type CliEnd, runCli } from '../../support/spawn-cli.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

describe('a drill that cannot be run', function () {
  this.timeout(120_000);
  let temp: TempDir;
  beforeEach(async () => {
    temp = await makeTempDir();
  });
  afterEach(() => temp.remove());

  const refused = async (...flags: string[]): Promise<CliEnd> => {
    const end = await runCli(['drill', '--minutes', '1', ...flags], {
      env: { TMPDIR: temp.path },
    });
    expect(await readdir(temp.path)).to.deep.equal([]);
    return end;
  };

  it('names a settings file that does not exist', async () => {
    const file = join(temp.path, 'none.json');
    const { exitCode, stderr } = await refused('--config', file);
    expect(stderr).to.equal(`error: --config: there is no file ${file}\n`);
    expect(exitCode).to.equal(2);
  });

  it('refuses a JUnit file in a folder that does not exist, before it starts anything', async () => {
    const { exitCode, stderr } = await refused('--junit', join(temp.path, 'none', 'drill.xml'));
    expect(stderr).to.equal(`error: --junit: there is no folder ${join(temp.path, 'none')}\n`);
    expect(exitCode).to.equal(2);
  });

  it('refuses a folder as its JUnit file', async () => {
    const { exitCode, stderr } = await refused('--junit', temp.path);
    expect(stderr).to.equal(`error: --junit: ${temp.path} is a folder\n`);
    expect(exitCode).to.equal(2);
  });

  it('plays no fault of brokers with --no-brokers', async () => {
    const { exitCode, stderr } = await refused('--no-brokers', '--only', 'broker-kill,broker-freeze');
    expect(stderr).to.contain('not run: broker-kill: no broker runs: --no-brokers,');
    expect(stderr).to.contain('error: none of these faults can be played here');
    expect(exitCode).to.equal(2);
  });

  it('explains that a MongoDB cannot be reached, and names it by the address of --store', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const { exitCode, stderr } = await refused('--store', `mongodb://user:the-password@${address}/x`);
    const [error] = stderr.split('\n');
    expect(error).to.equal(
      `error: the MongoDB server at ${address} cannot be used: nothing listens there (connection refused)`,
    );
    expect(stderr).not.to.contain('warning').and.not.to.contain('the-password');
    expect(exitCode).to.equal(3);
  });

  it('names a MongoDB that accepts connections and does not answer', async () => {
    const silent = createServer();
    const port = await new Promise<number>((resolve) => {
      silent.listen(0, '127.0.0.1', () => {
        const address = silent.address();
        resolve(address !== null && typeof address === 'object' ? address.port : 0);
      });
    });
    const { exitCode, stderr } = await refused('--store', `mongodb://127.0.0.1:${port}/x`);
    silent.close();
    expect(stderr).to.contain(
      `error: the MongoDB server at 127.0.0.1:${port} cannot be used: it accepts connections but does not answer`,
    );
    expect(stderr).not.to.contain('warning');
    expect(exitCode).to.equal(3);
  });
});
