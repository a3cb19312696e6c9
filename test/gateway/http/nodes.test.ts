import type { RequestListener } from 'node:http';
import { expect } from 'chai';
import { HOP_HEADER, NodeAuth } from '../../../src/gateway/cluster/node-auth.js';
import { answeringServer, FakeCluster, memberOf } from './support/owners.js';
import {
  closeServers,
  createTestServer,
  HOP_CLOCK,
  HOP_KEY,
  type TestServer,
  TOKEN,
} from './support/test-server.js';

const SECRET = 'sixteen-characters';

/** The description that a node without others returns. */
async function reportOf(podName: string, clientIds: readonly string[]): Promise<string> {
  const other = await createTestServer();
  for (const clientId of clientIds) {
    await other.services.sessions.start(clientId, { webhookUrl: 'https://example.com/hook' });
    await other.become(clientId, 'connected');
  }
  const { body } = await other.get('/fleet');
  return JSON.stringify(body).replaceAll('node-1', podName);
}

describe('the routes about nodes', () => {
  let api: TestServer;
  let cluster: FakeCluster;
  let ends: (() => Promise<void>)[];

  beforeEach(async () => {
    cluster = new FakeCluster();
    api = await createTestServer({ membership: memberOf(cluster) });
    ends = [];
  });
  afterEach(async () => {
    await Promise.all(ends.map((end) => end()));
    await closeServers();
  });

  async function addNode(nodeId: string, listener: RequestListener): Promise<void> {
    const { url, close } = await answeringServer(listener);
    ends.push(close);
    cluster.add(nodeId, url);
  }

  /** A session that is held by a node, or by none. */
  async function addSession(clientId: string, nodeId?: string, secret = ''): Promise<void> {
    const { sessions } = api.services;
    await sessions.start(clientId, {});
    if (secret) await api.passing(sessions.setApiSecret(clientId, secret));
    if (clientId === 'ended') await api.become(clientId, 'logged_out');
    if (nodeId !== 'node-1') {
      const session = sessions.find(clientId);
      await session.stop();
      sessions.release(session);
    }
    if (nodeId) cluster.hold(nodeId, clientId, 1_500);
    else cluster.release(clientId);
  }

  it('list nodes with their session counts, and the sessions of each on request', async () => {
    cluster.add('node-2', 'http://10.0.0.2:3000', { draining: true });
    cluster.add('gone', '', { silentMs: 60_000 });
    await addSession('acme', 'node-2');
    await addSession('orphan', 'gone');
    const { body } = await api.get('/nodes');
    expect(body).to.deep.equal({
      nodes: [
        {
          nodeId: 'node-1',
          podName: 'node-1',
          url: 'http://127.0.0.1:3000',
          self: true,
          version: '2026-11',
          draining: false,
          ageSeconds: 3_600,
          silentSeconds: 0,
          sessions: 0,
        },
        {
          nodeId: 'node-2',
          podName: 'node-2',
          url: 'http://10.0.0.2:3000',
          self: false,
          version: '2026-11',
          draining: true,
          ageSeconds: 3_600,
          silentSeconds: 0,
          sessions: 1,
        },
      ],
    });
    const held = { epoch: 1, ageSeconds: 1, leftSeconds: 18 };
    const acme = { clientId: 'acme', podName: 'node-2', nodeId: 'node-2', ...held };
    const orphan = { clientId: 'orphan', podName: '', nodeId: 'gone', ...held };
    expect((await api.get('/nodes?leases=true')).body.leases).to.deep.equal([acme, orphan]);
    expect((await api.get('/nodes?clientId=acme')).body.leases).to.deep.equal([acme]);
    expect((await api.get('/nodes?clientId=nobody')).body.leases).to.deep.equal([]);
  });

  it('drain a node by name or id, and refuse an ambiguous name', async () => {
    cluster.add('id-2', '', { name: 'twin' });
    cluster.add('id-3', '', { name: 'twin' });
    const drain = (body: object) => api.post('/nodes/drain', body);
    expect((await drain({ node: 'node-1' })).body).to.have.nested.property('node.draining', true);
    expect((await drain({ node: 'node-1', draining: false })).body).to.have.nested.property(
      'node.draining',
      false,
    );
    const twins = await drain({ node: 'twin' });
    expect([twins.status, twins.body.error]).to.deep.equal([
      409,
      '2 nodes are called twin: name one by its id: id-2, id-3',
    ]);
    expect((await drain({ node: 'id-3' })).body).to.deep.nested.include({
      'node.nodeId': 'id-3',
      'node.draining': true,
    });
    const unknown = await drain({ node: 'node-9' });
    expect([unknown.status, unknown.body.error]).to.deep.equal([
      404,
      'there is no node node-9; there are: node-1, twin, twin',
    ]);
    for (const body of [{}, { node: 7 }, { node: 'node-1', draining: 'yes' }]) {
      expect((await drain(body)).status).to.equal(400);
    }
  });

  it("refuse a session's secret", async () => {
    await addSession('acme', 'node-1', SECRET);
    expect((await api.passing(api.get('/nodes', { token: SECRET }))).status).to.equal(403);
    expect((await api.post('/nodes/drain', { node: 'node-1' }, { token: SECRET })).status).to.equal(403);
  });

  it('name the node of each session in the list of sessions', async () => {
    cluster.add('node-2');
    await addSession('acme', 'node-1');
    await addSession('beta', 'node-2');
    await addSession('free');
    const { body } = await api.get('/clients');
    const clients = Array.isArray(body.clients) ? body.clients : [];
    expect(clients.map(({ clientId, podName }) => [clientId, podName])).to.deep.equal([
      ['acme', 'node-1'],
      ['beta', 'node-2'],
      ['free', ''],
    ]);
  });

  it("collect the fleet from all nodes, with the caller's rights and without its token", async () => {
    const report = await reportOf('node-2', ['beta']);
    const asked: unknown[] = [];
    await addNode('node-2', ({ method = '', url = '', headers }, response) => {
      const hops = new NodeAuth(HOP_KEY, HOP_CLOCK);
      const hop = hops.verify(String(headers[HOP_HEADER]), { method, path: url });
      asked.push(hop, url);
      expect(JSON.stringify(headers)).to.not.include(TOKEN);
      response.end(report);
    });
    await addSession('acme', 'node-1');
    await addSession('beta', 'node-2');
    const { body } = await api.get('/fleet');
    expect(asked).to.deep.equal([{ from: 'node-1', to: 'node-2', rights: {} }, '/fleet']);
    expect(body).to.have.property('nodes').that.has.lengthOf(2);
    expect(body).to.have.property('sessions').that.has.lengthOf(2);
    expect(body).to.deep.nested.include({
      'nodes[0].self': true,
      'nodes[1].podName': 'node-2',
      'nodes[1].reachable': true,
      'nodes[1].sessions': { total: 1, connected: 1, down: 0, terminal: 0 },
      'sessions[0].podName': 'node-1',
      'sessions[1].clientId': 'beta',
      'sessions[1].podName': 'node-2',
      'sessions[1].connected': true,
      'sessions[1].lease': { epoch: 1, ageSeconds: 1, leftSeconds: 18 },
      'sessions[1].webhook.origin': 'https://example.com',
    });
  });

  it("show a session's secret its session only, whatever another node returns", async () => {
    const report = await reportOf('node-2', ['acme', 'beta']);
    await addNode('node-2', (_request, response) => response.end(report));
    await addSession('acme', 'node-2', SECRET);
    await addSession('beta', 'node-2');
    const { body } = await api.passing(api.get('/fleet', { token: SECRET }));
    expect(body).to.have.property('sessions').that.has.lengthOf(1);
    expect(body).to.have.nested.property('sessions[0].clientId', 'acme');
  });

  it('show a node as the store knows it while the node does not answer or answers with an error', async () => {
    const foreign = await reportOf('node-9', ['beta']);
    await addNode('hangs', () => undefined);
    await addNode('lies', (_request, response) => response.end(foreign));
    await addNode('babbles', (_request, response) => response.end('{"nodes": [{}], "sessions": []}'));
    cluster.add('refuses', 'http://127.0.0.1:1', { draining: true, silentMs: 4_000 });
    cluster.add('gone', '', { silentMs: 60_000 });
    for (const node of ['hangs', 'lies', 'babbles', 'refuses', 'gone']) await addSession(`of${node}`, node);
    await addSession('free');
    await addSession('ended');
    const { nodes, sessions } = JSON.parse(JSON.stringify((await api.get('/fleet')).body));
    expect(
      nodes.map((node: { podName: string; reachable: boolean }) => [node.podName, node.reachable]),
    ).to.deep.equal([
      ['node-1', true],
      ['hangs', false],
      ['lies', false],
      ['babbles', false],
      ['refuses', false],
    ]);
    expect(nodes[4]).to.deep.equal({
      nodeId: 'refuses',
      podName: 'refuses',
      version: '2026-11',
      startedAt: '2026-11-21T09:00:00.000Z',
      uptimeSeconds: 3_600,
      self: false,
      reachable: false,
      draining: true,
      silentSeconds: 4,
      sessions: { total: 1, connected: 0, down: 1, terminal: 0 },
    });
    const told = sessions.map(
      ({ clientId, podName, status, reason }: Record<'clientId' | 'podName' | 'status' | 'reason', string>) =>
        `${clientId} at ${podName || 'none'}, ${status}: ${reason}`,
    );
    expect(told).to.deep.equal([
      'ended at none, logged_out: no node holds it: one takes it within seconds, unless all are draining. ' +
        'Before that: The phone removed this linked device. Call /start to pair again.',
      'free at none, initializing: no node holds it: one takes it within seconds, unless all are draining',
      'ofbabbles at babbles, initializing: the node babbles, which holds it, does not answer',
      'ofgone at none, initializing: the node that held it is gone: another one takes it in 18 s',
      'ofhangs at hangs, initializing: the node hangs, which holds it, does not answer',
      'oflies at lies, initializing: the node lies, which holds it, does not answer',
      'ofrefuses at refuses, initializing: the node refuses, which holds it, does not answer',
    ]);
  });

  it('show all sessions, including those that no node holds', async () => {
    for (let number = 10; number < 40; number++) await addSession(`s${number}`);
    expect((await api.get('/fleet')).body)
      .to.have.property('sessions')
      .that.has.lengthOf(30);
    expect((await api.get('/fleet?clientId=s12')).body)
      .to.have.property('sessions')
      .that.has.lengthOf(1);
    expect((await api.get('/fleet?clientId=nobody')).body.sessions).to.deep.equal([]);
  });

  it('show the sessions of this node while the store is unavailable', async () => {
    await addSession('acme', 'node-1');
    api.health.ping = () => Promise.reject(new Error('gone'));
    const { status, body } = await api.get('/fleet');
    expect(status).to.equal(200);
    expect(body).to.deep.nested.include({
      'nodes[0].podName': 'node-1',
      'nodes[0].store.reachable': false,
      'sessions[0].podName': 'node-1',
    });
  });
});
