import { expect } from 'chai';
import { workerConfig } from '../../src/workers/settings.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { workersConfig } from './support/workers-config.js';

describe('the settings of a worker', () => {
  let dir: TempDir;
  before(async () => {
    dir = await makeTempDir();
  });
  after(() => dir.remove());

  const shared = { url: 'http://0.0.0.0:4000', networkUrl: undefined };

  it('let it listen after the port of the address under which other machines reach this one', async () => {
    const config = await workersConfig(dir.path, {
      nodeUrl: 'http://machine.example:3000/',
      host: '0.0.0.0',
    });
    const where = { host: '0.0.0.0', port: 3002, nodeUrl: 'http://machine.example:3002' };
    expect(workerConfig(config, 2, shared)).to.include(where);
    const withoutPort = { ...config, nodeUrl: 'https://machine.example' };
    expect(workerConfig(withoutPort, 1, shared)).to.include({ nodeUrl: 'https://machine.example:444' });
  });

  it('name the public address of the whole, or where the router came to listen', async () => {
    const anyPort = await workersConfig(dir.path, { port: 0 });
    expect(workerConfig(anyPort, 1, shared).publicUrl).to.equal(shared.url);
    const named = await workersConfig(dir.path, { port: 0, publicUrl: 'https://gateway.example' });
    expect(workerConfig(named, 1, shared).publicUrl).to.equal('https://gateway.example');
  });

  it('name the sandbox network that runs beside it, and any other as it is', async () => {
    const config = await workersConfig(dir.path, { network: 'sandbox' });
    const networkUrl = 'ws://127.0.0.1:4001/ws/chat';
    expect(workerConfig(config, 1, { ...shared, networkUrl }).network).to.equal(`sandbox+${networkUrl}`);
    const elsewhere = await workersConfig(dir.path);
    expect(workerConfig(elsewhere, 1, shared).network).to.equal(elsewhere.network);
  });
});
