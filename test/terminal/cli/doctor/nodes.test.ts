import { expect } from 'chai';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { FakeDaemon } from '../support/fake-daemon.js';
import { type Diagnosis, diagnose } from './support/diagnose.js';
import { TOKEN, WellDaemon, wellNode, wellSession } from './support/well.js';

const SILENT = { silentSeconds: 9, sessions: 2 };

describe('doctor, of nodes that share a store', () => {
  let daemon: WellDaemon;
  let folder: TempDir;
  before(async () => {
    daemon = await WellDaemon.start();
    folder = await makeTempDir();
  });
  after(async () => {
    await daemon.http.stop();
    await folder.remove();
  });
  beforeEach(() => {
    daemon.nodes = [wellNode('a', { self: true }), wellNode('b')];
    daemon.leases = [lease('acme', 'id-a'), lease('beta', 'id-b', { ageSeconds: 7_200 })];
    daemon.session = wellSession('acme', { podName: 'a' });
  });

  const look = (): Promise<Diagnosis> =>
    diagnose({ url: daemon.http.url, token: TOKEN, dataDir: folder.path, network: 'sandbox' });

  function lease(clientId: string, nodeId: string, changes: object = {}) {
    const podName = nodeId.replace('id-', '');
    return { clientId, podName, nodeId, epoch: 1, ageSeconds: 60, leftSeconds: 15, ...changes };
  }

  it('finds no problem in healthy nodes, and reports their session counts', async () => {
    const diagnosis = await look();
    expect(diagnosis.troubles).to.deep.equal([]);
    expect(diagnosis.of('nodes').detail).to.equal('2 nodes: a with 1 session, b with 1 session');
    expect(diagnosis.of('node-urls').level).to.equal('ok');
    expect(diagnosis.of('leases').detail).to.equal('2 sessions held, the longest for 2 h');
  });

  it('skips node checks for a single node and for an API secret', async () => {
    daemon.nodes = [wellNode('n', { self: true, url: '' })];
    const diagnosis = await look();
    for (const id of ['nodes', 'node-urls', 'leases']) expect(diagnosis.of(id).level, id).to.equal('skipped');
    daemon.http.on('GET /nodes', () => ({ status: 403, body: { error: 'the master token is required' } }));
    expect((await look()).of('nodes').detail).to.contain('master token');
    daemon.http.on('GET /nodes', () => ({ body: { nodes: daemon.nodes, leases: daemon.leases } }));
  });

  const ills: [trouble: string, check: string, b: Record<string, unknown>, said: RegExp][] = [
    ['node-silent', 'nodes', SILENT, /no heartbeat of b for 9 s/],
    ['node-name-twice', 'nodes', { podName: 'a' }, /several nodes have the name a/],
    ['node-versions-differ', 'nodes', { version: '2025-12' }, /a \(2026-01\), b \(2025-12\)/],
    ['node-draining', 'nodes', { draining: true }, /b with 1 session left$/],
    ['node-url-loopback', 'node-urls', { url: 'http://127.0.0.1:3000' }, /b announces .*127\.0\.0\.1/],
  ];
  for (const [trouble, check, changes, said] of ills) {
    it(`finds ${trouble}`, async () => {
      daemon.nodes = [wellNode('a', { self: true }), wellNode('b', changes)];
      expect((await look()).of(check))
        .to.include({ trouble })
        .and.have.property('detail')
        .that.matches(said);
    });
  }

  it('finds that no node takes sessions while all are draining', async () => {
    daemon.nodes = daemon.nodes.map((node) => ({ ...node, draining: true }));
    expect((await look()).of('nodes').detail).to.match(/draining: a .*, b .*; no node takes new sessions/);
  });

  it('finds a node that others cannot reach, and names the server that answers instead', async () => {
    const { node } = daemon;
    const other = await FakeDaemon.start();
    try {
      for (const [answer, trouble, said] of [
        [undefined, 'node-unreachable', /^a cannot reach b at \S+; this machine cannot either$/],
        [{ podName: 'b' }, 'node-unreachable', /; this machine can$/],
        [{ podName: 'c' }, 'node-url-stranger', /but c answers there$/],
      ] as const) {
        if (answer) other.on('GET /health/live', answer);
        const url = answer ? other.url.replace('127.0.0.1', '0.0.0.0') : 'http://b.invalid:3000';
        daemon.nodes = [wellNode('a', { self: true }), wellNode('b', { url })];
        daemon.node = { ...node, nodeId: 'id-b', reachable: false };
        const found = (await look()).of('node-urls');
        expect([found.trouble, found.level]).to.deep.equal([trouble, 'failed']);
        expect(found.detail).to.match(said);
        expect(String(found.advice).includes('same --token')).to.equal(
          /; this machine can$/.test(found.detail),
        );
      }
    } finally {
      daemon.node = node;
      await other.stop();
    }
  });

  it('finds leases that are not renewed', async () => {
    for (const [leases, said] of [
      [[lease('acme', 'id-a'), lease('beta', 'id-x', { podName: '' })], /^1 session of a node that is gone/],
      [[lease('acme', 'id-a', { leftSeconds: 0 })], /^1 session of a: lease not renewed, expires within 0 s/],
      [
        [lease('acme', 'id-a', { leftSeconds: 4 }), lease('beta', 'id-b')],
        /of a: lease not renewed, expires within 4 s/,
      ],
    ] as const) {
      daemon.leases = [...leases];
      const found = (await look()).of('leases');
      expect(found.trouble).to.equal('leases-overdue');
      expect(found.detail).to.match(said);
    }
  });

  it('finds a session without a node, unless a terminal status explains it', async () => {
    const free = { podName: '', connected: false, reason: 'no node holds it' };
    daemon.session = wellSession('acme', { ...free, status: 'reconnecting' });
    const found = (await look()).of('session', 'acme');
    expect(found).to.include({ trouble: 'session-unheld', level: 'failed' });
    expect(found.advice).to.contain('switchboard nodes list');
    daemon.session = wellSession('acme', { ...free, status: 'banned' });
    expect((await look()).of('session', 'acme').trouble).to.equal('session-banned');
  });
});
