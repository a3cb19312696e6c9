import { expect } from 'chai';
import { startTcpProxy } from '../../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { diagnose, type Patient, WELL_LIMITS } from './support/diagnose.js';
import { TOKEN, WellDaemon } from './support/well.js';

describe('doctor, of a daemon', () => {
  let daemon: WellDaemon;
  let folder: TempDir;

  beforeEach(async () => {
    daemon = await WellDaemon.start();
    folder = await makeTempDir();
  });
  afterEach(async () => {
    await daemon.http.stop();
    await folder.remove();
  });

  const look = (changes: Partial<Patient> = {}) =>
    diagnose({ url: daemon.http.url, token: TOKEN, dataDir: folder.path, ...changes });

  it('finds no problem in a healthy daemon', async () => {
    const { results, troubles } = await look();
    expect(troubles).to.deep.equal([]);
    expect(results.map(({ id }) => id)).to.include.members(['daemon', 'clock', 'store', 'token', 'version']);
  });

  it('reports that nothing listens, and skips the checks that need a daemon with the reason', async () => {
    const gone = await startTcpProxy('127.0.0.1', 1);
    await gone.stop();
    const diagnosis = await look({ url: `http://127.0.0.1:${gone.port}` });
    expect(diagnosis.of('daemon')).to.include({ level: 'failed', trouble: 'daemon-refused' });
    expect(diagnosis.of('daemon').advice).to.contain('switchboard start');
    for (const id of ['clock', 'store', 'token', 'sessions', 'session', 'webhook']) {
      expect(diagnosis.of(id).level, id).to.equal('skipped');
      expect(diagnosis.of(id).detail, id).to.match(/^needs \w+/);
    }
  });

  it('finds that a host does not exist', async () => {
    const diagnosis = await look({ url: 'http://nowhere.invalid:3000' });
    const { trouble, facts } = diagnosis.of('daemon');
    expect(trouble).to.be.oneOf(['daemon-unknown-host', 'daemon-unreachable']);
    expect(facts?.fault).to.equal(trouble?.replace('daemon-', ''));
  });

  it('finds that a daemon does not answer', async () => {
    const proxy = await startTcpProxy('127.0.0.1', Number(new URL(daemon.http.url).port));
    proxy.freeze();
    const limits = { ...WELL_LIMITS, probeMs: 200 };
    const diagnosis = await look({ url: `http://127.0.0.1:${proxy.port}`, limits });
    expect(diagnosis.of('daemon').trouble).to.equal('daemon-timeout');
    await proxy.stop();
  });

  it('finds an https address without TLS', async () => {
    const diagnosis = await look({ url: daemon.http.url.replace('http', 'https') });
    expect(diagnosis.of('daemon').trouble).to.equal('daemon-tls');
  });

  it('finds that the server is not a Switchboard daemon', async () => {
    daemon.http.on('GET /health/live', { hello: 'world' });
    const diagnosis = await look();
    expect(diagnosis.of('daemon')).to.include({ level: 'failed', trouble: 'daemon-stranger' });
  });

  it('reports a wrong token alone, and nothing about the network that only the daemon knows', async () => {
    for (const token of ['another', undefined]) {
      const { results } = await look({ token, network: undefined });
      const failed = results.filter(({ level }) => level === 'failed').map(({ id }) => id);
      expect(failed).to.deep.equal(['token']);
      expect(results.find(({ id }) => id === 'network')?.level).to.equal('skipped');
    }
  });

  it('distinguishes a wrong token from a missing one', async () => {
    expect((await look({ token: 'another' })).of('token').trouble).to.equal('token-wrong');
    const missing = await diagnose({ url: daemon.http.url, dataDir: folder.path });
    expect(missing.of('token').trouble).to.equal('token-missing');
    expect(missing.of('sessions')).to.include({ level: 'skipped', detail: 'needs token, see above' });
  });

  const skews: [seconds: number, trouble: string | undefined][] = [
    [3, undefined],
    [-20, 'clock-off'],
    [20, 'clock-off'],
    [-90, 'clock-far-off'],
  ];
  for (const [seconds, trouble] of skews) {
    it(`reports ${trouble ?? 'nothing'} for a clock that differs by ${seconds} s`, async () => {
      daemon.http.on('GET /health/live', () => ({
        headers: { date: new Date(Date.now() + seconds * 1_000).toUTCString() },
        body: { status: 'ok', podName: 'n', uptime: '1s' },
      }));
      expect((await look()).of('clock').trouble).to.equal(trouble);
    });
  }

  it('finds a store that does not answer, and one that answers late', async () => {
    daemon.node.store = { ms: 900 };
    expect((await look()).of('store')).to.deep.include({ trouble: 'store-slow', facts: { ms: 900 } });
    daemon.http.on('GET /health/ready', () => ({
      status: 503,
      body: { status: 'unavailable', database: false },
    }));
    const without = await look();
    expect(without.of('store')).to.include({ level: 'failed', trouble: 'store-unreachable' });
    expect(without.of('nodes')).to.include({ level: 'skipped', detail: 'needs store, see above' });
  });

  it('ignores a single slow answer of the store', async () => {
    let asked = 0;
    daemon.http.on('GET /fleet', () => ({
      body: { nodes: [{ ...daemon.node, store: { ms: asked++ < 2 ? 900 : 3 } }], sessions: [] },
    }));
    expect((await look()).of('store').level).to.equal('ok');
  });

  it('finds a daemon of another version', async () => {
    const program = { release: '2026-11', nodeVersion: '20.19.0', nodeRange: '>=20.19' };
    const found = (await look({ program })).of('version');
    expect(found).to.deep.include({
      trouble: 'version-mismatch',
      facts: { daemon: '2026-01', command: '2026-11' },
    });
  });

  it('ends a check at its timeout, and skips all checks after the total timeout', async () => {
    daemon.http.on('GET /clients', () => new Promise(() => undefined));
    const diagnosis = await look({
      limits: { ...WELL_LIMITS, checkMs: 300 },
    });
    expect(diagnosis.of('sessions')).to.include({ level: 'warning', trouble: 'check-unfinished' });
    expect(diagnosis.of('session').level).to.equal('skipped');
  });

  it('names the cause for each network that cannot be reached', async () => {
    const gone = await startTcpProxy('127.0.0.1', 1);
    await gone.stop();
    const networks = {
      [`ws://127.0.0.1:${gone.port}`]: 'network-refused',
      [daemon.http.url.replace('http', 'wss')]: 'network-tls',
      'sandbox+ws://': 'network-address',
    };
    for (const [network, trouble] of Object.entries(networks)) {
      expect((await look({ network })).of('network').trouble, network).to.equal(trouble);
    }
    const reached = await look({ network: `sandbox+${daemon.http.url.replace('http', 'ws')}/ws/chat` });
    expect(reached.of('network').level).to.equal('ok');
  });
});
