import { expect } from 'chai';
import NodesDrain from '../../commands/nodes/drain.js';
import NodesList from '../../commands/nodes/list.js';
import { soleNode } from '../../src/gateway/services/operations/nodes.js';
import { FakeCluster, memberOf } from '../gateway/http/support/owners.js';
import { createTestServer, type TestServer, TOKEN } from '../gateway/http/support/test-server.js';
import { runCommand } from '../support/run-command.js';

describe('the nodes commands', () => {
  let api: TestServer;
  let cluster: FakeCluster;

  beforeEach(async () => {
    cluster = new FakeCluster();
    api = await createTestServer({ membership: memberOf(cluster) });
    await api.server.start();
  });
  afterEach(() => api.close());

  const run = (command: Parameters<typeof runCommand>[0], ...argv: string[]) =>
    runCommand(command, argv, { SWITCHBOARD_URL: api.server.info.uri, SWITCHBOARD_TOKEN: TOKEN });

  /** Two more nodes: one that holds two sessions, and one that has fallen silent with one. */
  function addNodes(): void {
    cluster.add('id-2', 'http://10.0.0.2:3000', { name: 'node-2', ageMs: 7_200_000 });
    cluster.add('id-3', 'http://10.0.0.3:3000', { name: 'node-3', silentMs: 7_500 });
    cluster.add('id-4', '', { silentMs: 60_000 });
    cluster.hold('id-2', 'acme', 5_000);
    cluster.hold('id-2', 'beta', 5_000);
    cluster.hold('id-4', 'orphan', 5_000);
  }

  it('lists nodes with their state and leases', async () => {
    addNodes();
    const { stdout } = await run(NodesList, '--leases');
    expect(stdout.split('\n').map((line) => line.trim().split(/ {2,}/))).to.deep.equal([
      ['NODE', 'STATE', 'SESSIONS', 'UP', 'VERSION', 'URL', 'ID'],
      ['node-1', '● answers', '0', '1 h', '2026-11', 'http://127.0.0.1:3000', 'node-1'],
      ['node-2', '● there', '2', '2 h', '2026-11', 'http://10.0.0.2:3000', 'id-2'],
      ['node-3', '✗ silent for 7 s', '0', '1 h', '2026-11', 'http://10.0.0.3:3000', 'id-3'],
      [''],
      ['SESSION', 'NODE', 'HELD FOR', 'RUNS OUT IN', 'EPOCH'],
      ['acme', 'node-2', '5 s', '15 s', '1'],
      ['beta', 'node-2', '5 s', '15 s', '1'],
      ['orphan', 'gone (id-4)', '5 s', '15 s', '1'],
      [''],
    ]);
    const { nodes, leases } = JSON.parse((await run(NodesList, '--json')).stdout);
    expect(nodes[1]).to.include({ nodeId: 'id-2', podName: 'node-2', sessions: 2, self: false });
    expect(leases).to.equal(undefined);
  });

  it('reports that the node is the only one', async () => {
    api.services.nodes = soleNode({ podName: 'alone', version: '2026-11', now: () => 0, sessions: () => 3 });
    const { stdout, stderr, exitCode } = await run(NodesList, '--leases');
    expect([stdout, exitCode]).to.deep.equal([
      'NODE   STATE      SESSIONS  UP   VERSION  URL  ID\nalone  ● answers  3         0 s  2026-11       alone\n',
      0,
    ]);
    expect(stderr).to.match(/this is the only node.*MongoDB/);
    const drained = await run(NodesDrain, 'alone');
    expect(drained.exitCode).to.equal(6);
    expect(drained.stderr).to.match(/only one node.*MongoDB/);
    expect(drained.stderr).not.to.contain('nodes list');
  });

  it('drains a node until it holds no sessions, and undoes the drain', async () => {
    addNodes();
    const draining = run(NodesDrain, 'node-2', '--wait');
    const looks = new Promise<void>((resolve) => {
      let count = 0;
      api.server.events.on('response', ({ path }) => {
        count += path === '/nodes' ? 1 : 0;
        if (count === 2) resolve();
      });
    });
    await looks;
    expect(await cluster.isDraining('id-2')).to.equal(true);
    for (const clientId of ['acme', 'beta']) cluster.leases.releaseNow(clientId, 'id-2', 1);
    const { stdout, stderr, exitCode } = await draining;
    expect([stdout, stderr, exitCode]).to.deep.equal(['node-2 is draining; it holds no sessions\n', '', 0]);
    const undone = await run(NodesDrain, 'node-2', '--undo', '--json');
    expect(JSON.parse(undone.stdout).node).to.include({ podName: 'node-2', draining: false, sessions: 0 });
    expect(await cluster.isDraining('id-2')).to.equal(false);
  });

  it('exits with 1 at the timeout, and warns if no node can take the sessions', async () => {
    cluster.hold('node-1', 'acme');
    const { stderr, exitCode } = await run(NodesDrain, 'node-1', '--wait', '--timeout', '1');
    expect(exitCode).to.equal(1);
    expect(stderr).to.match(/^warning: no other node can take its sessions\n/);
    expect(stderr).to.match(/error: node-1 still holds 1 session after 1 s\n.*nodes list/);
  });

  it('refuses an unknown or ambiguous node name', async () => {
    cluster.add('id-2', '', { name: 'twin' });
    cluster.add('id-3', '', { name: 'twin' });
    const twin = await run(NodesDrain, 'twin');
    expect([twin.exitCode, twin.stdout]).to.deep.equal([6, '']);
    expect(twin.stderr).to.match(/id-2, id-3\n.*nodes list/);
    cluster.add('id-2', '', { name: 'twin', silentMs: 6_000 });
    expect(JSON.parse((await run(NodesDrain, 'twin', '--json')).stdout).node.nodeId).to.equal('id-3');
    const unknown = await run(NodesDrain, 'node-9');
    expect(unknown.exitCode).to.equal(5);
    expect(unknown.stderr).to.match(/there is no node node-9; there are: node-1/);
    expect((await run(NodesDrain, 'twin', '--undo', '--wait')).exitCode).to.equal(2);
  });
});
