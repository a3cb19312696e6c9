import { expect } from 'chai';
import { answering, eventOf } from '../../support/receiver.js';
import { TailReader } from '../../support/tail-reader.js';
import { until } from '../../support/until.js';
import { BOB, TOKEN } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';
import { ClusterLab, type ClusterNode } from './support/cluster-lab.js';
import { type Facts, ROUTE_CALLS, type RouteCall } from './support/route-calls.js';

const PATIENCE_MS = 120_000;
const SECRET = 'secret-of-sixteen-letters';
const UNAVAILABLE = 503;

interface Answer {
  status: number;
  headers: Headers;
  /** Parsed where it is JSON. */
  body: unknown;
}

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('requests for a session through any node', () => {
    let lab: ClusterLab;
    let facts: Facts;
    before(async function () {
      this.timeout(PATIENCE_MS);
      lab = await ClusterLab.start(server, { sessions: 2, leaseSeconds: 60 });
      await lab.startAll();
      await lab.connected();
      facts = await prepare();
    });
    after(() => lab.stop());

    it('cover every route', async () => {
      const { body } = await lab.node(0).api.get('/config');
      expect(Object.keys(ROUTE_CALLS)).to.have.members(Array.isArray(body.routes) ? body.routes : []);
    });

    for (const [route, { answers, status = 200, call }] of Object.entries(ROUTE_CALLS)) {
      if (answers === 'stream') continue;
      it(`get an answer: ${route}`, async () => {
        const got: unknown[] = [];
        for (const [n, node] of lab.nodes.entries()) {
          const answer = await ask(node, route, call(facts, n));
          expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
          got.push(told(answers, answer));
          if (answers === 'own') expectOwn(answer, node);
        }
        const owner = lab.nodes.indexOf(await lab.ownerOf(facts.clientId));
        for (const each of got) expect(each).to.deep.equal(got[owner]);
      });
    }

    it('reach the phone once each', async () => {
      const held = (await lab.phones.messages(BOB.number)).filter(({ fromMe }) => !fromMe);
      const texts = held.map(({ text }) => text);
      for (const text of ['text 0', 'text 1', 'text 2']) {
        expect(texts.filter((each) => each === text)).to.have.length(1);
      }
      expect(held.filter(({ media }) => media?.fileName === 'note.txt')).to.have.length(3);
    });

    it('stream GET /events live', async () => {
      const tails = await Promise.all(lab.nodes.map(({ api }) => new TailReader().open(api.url, TOKEN)));
      try {
        const { messageId } = await lab.phones.write(BOB.number, {
          to: lab.session(0).number,
          text: 'to be seen everywhere',
        });
        await Promise.all(
          tails.map((tail) => tail.next((entry) => JSON.stringify(entry).includes(messageId))),
        );
      } finally {
        await Promise.all(tails.map((tail) => tail.close()));
      }
    });

    it("accept the session's own secret, for that session only", async () => {
      const { clientId, other } = facts;
      for (const node of lab.nodes) {
        const api = node.api.as(SECRET);
        expect((await api.post('/check-state', { clientId })).status).to.equal(200);
        expect((await api.post('/check-state', { clientId: other })).status).to.equal(403);
        expect((await api.as('somebody-elses-secret').post('/check-state', { clientId })).status).to.equal(
          401,
        );
      }
    });

    it('report that nothing was done while no node reaches another, and move no session', async () => {
      const { clientId } = facts;
      const { epoch } = await lab.lease(clientId);
      const owner = await lab.ownerOf(clientId);
      for (const { door } of lab.nodes) door.cut();
      for (const node of await lab.othersThan(clientId)) {
        const { status, headers, body } = await node.api.post('/check-state', { clientId });
        expect(status, JSON.stringify(body)).to.equal(UNAVAILABLE);
        expect(Number(headers.get('retry-after'))).to.be.at.least(1);
      }
      const send = (text: string, { api }: ClusterNode) =>
        api.post('/send-message', { clientId, to: BOB.number, body: text });
      expect((await send('straight to the owner', owner)).status).to.equal(200);
      expect((await lab.lease(clientId)).epoch).to.equal(epoch);
      for (const { door } of lab.nodes) door.restore();
      for (const node of lab.nodes) {
        expect((await send(`by way of ${node.name} again`, node)).status).to.equal(200);
      }
      expect(await lab.phones.stats()).to.include({ conflicts: 0 });
    });

    /** Example data for every route. */
    async function prepare(): Promise<Facts> {
      const { clientId, number } = lab.session(0);
      const { api } = await lab.ownerOf(clientId);
      const done = async (path: string, body: object) => {
        const answer = await api.post(path, { clientId, ...body });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
        return answer.body;
      };
      const write = async (content: object) => {
        const { messageId } = await lab.phones.write(BOB.number, { to: number, ...content });
        return eventOf(lab.receiver, messageId);
      };
      await done('/set-org-id', { orgId: 'workspace1' });
      await done('/set-api-secret', { secret: SECRET });
      const inbound = await write({ text: 'hello' });
      const base64 = Buffer.from('what is in the file').toString('base64');
      const media = { kind: 'document', mimeType: 'text/plain', fileName: 'note.txt', base64 };
      const { messageId } = await write({ media });
      const failedIds = await failures(write);
      const jids = await Promise.all(
        [0, 1, 2, 3].map(async (n) => {
          const { group }: { group?: { jid: string } } = await done('/create-group', {
            subject: `prepared ${n}`,
            participants: [BOB.number],
          });
          return group?.jid ?? '';
        }),
      );
      const ownIds = [];
      for (const text of ['own 0', 'own 1', 'own 2']) {
        ownIds.push(String((await done('/send-message', { to: BOB.number, body: text })).messageId));
      }
      const numbers = ['+15550200000', '+15550200001', '+15550200002'];
      for (const each of numbers) await lab.phones.addPhone({ number: each });
      return {
        clientId,
        chatRoomId: inbound.chatRoomId,
        inboundId: inbound.messageId,
        file: { messageId, id: await fileId(clientId) },
        ownIds,
        groupJid: jids[0] ?? '',
        groupsToLeave: jids.slice(1),
        failedIds,
        other: lab.session(1).clientId,
        freeNumbers: numbers,
        receiverUrl: lab.receiver.url,
      };
    }

    async function fileId(clientId: string): Promise<string> {
      let id = '';
      await until('the file to be stored', async () => {
        const { body } = await lab.node(0).api.get(`/media-files?clientId=${clientId}&orgId=workspace1`);
        const files: { messageId: string }[] = Array.isArray(body.files) ? body.files : [];
        id = files[0]?.messageId ?? '';
        return id !== '';
      });
      return id;
    }

    /** Three deliveries that the receiver refuses. */
    async function failures(write: (content: object) => Promise<unknown>): Promise<string[]> {
      let ids: string[] = [];
      lab.receiver.respond(answering(400));
      for (const n of [0, 1, 2]) await write({ text: `refused ${n}` });
      await until('three deliveries to have failed', async () => {
        const { body } = await lab.node(0).api.get('/failed-deliveries');
        const failed: { id: string }[] = Array.isArray(body.failedDeliveries) ? body.failedDeliveries : [];
        ids = failed.map(({ id }) => id);
        return ids.length === 3;
      });
      lab.receiver.respond(answering(200));
      return ids;
    }
  });
}

async function ask(
  { api }: ClusterNode,
  route: string,
  { query, params = {}, body, headers }: ReturnType<RouteCall['call']>,
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const isForm = body instanceof FormData;
  const response = await fetch(`${api.url}${filled}${query ? `?${new URLSearchParams(query)}` : ''}`, {
    method,
    headers: {
      authorization: `Bearer ${TOKEN}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** The compared parts of an answer. */
function told(answers: RouteCall['answers'], { body }: Answer): unknown {
  if (answers === 'own') return undefined;
  return answers === 'same' ? body : formOf(body);
}

/** The names of the fields, and the types of their values. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, formOf(each)]));
}

function expectOwn({ body }: Answer, { name }: ClusterNode): void {
  if (typeof body === 'object' && body !== null && 'podName' in body) expect(body.podName).to.equal(name);
}
