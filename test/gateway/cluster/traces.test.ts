import { expect } from 'chai';
import { readTraceHeaders } from '../../../src/domain/tracing.js';
import { Collector } from '../../support/collector.js';
import { answering, eventIn } from '../../support/receiver.js';
import { BOB } from '../../support/world.js';
import { MONGODB_URL } from '../store/support/mongo.js';
import { ClusterLab } from './support/cluster-lab.js';

const PATIENCE_MS = 120_000;
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };

if (MONGODB_URL) {
  const server = MONGODB_URL;

  describe('traces of a cluster', function () {
    this.timeout(PATIENCE_MS);
    let collector: Collector;
    let lab: ClusterLab;
    before(async () => {
      collector = await Collector.start();
      const settings = { otlpEndpoint: collector.url };
      lab = await ClusterLab.start(server, { sessions: 1, leaseSeconds: 60, settings });
      await lab.startAll();
      await lab.connected();
    });
    after(async () => {
      await lab.stop();
      await collector.stop();
    });

    const callOf = (messageId: string, from = 0) =>
      lab.receiver.find(
        (call) => eventIn(call)?.messageId === messageId && lab.receiver.calls.indexOf(call) >= from,
      );

    it('follow a request to the node that holds its session', async () => {
      const { clientId } = lab.session(0);
      const owner = await lab.ownerOf(clientId);
      const [other] = await lab.othersThan(clientId);
      const headers = { traceparent: `00-${CALLER.traceId}-${CALLER.spanId}-01` };
      const message = { clientId, to: BOB.number, body: 'through another node' };
      const answer = await other?.api.post('/send-message', message, headers);
      expect(answer?.status, JSON.stringify(answer?.body)).to.equal(200);
      const first = await collector.find(({ parentSpanId }) => parentSpanId === CALLER.spanId);
      expect(first).to.include({ traceId: CALLER.traceId, name: 'POST /send-message', node: other?.name });
      const second = await collector.find(({ parentSpanId }) => parentSpanId === first.spanId);
      expect(second).to.include({ traceId: CALLER.traceId, name: 'POST /send-message', node: owner.name });
      const sent = await collector.ofMessage('send', String(answer?.body.messageId));
      expect(sent).to.include({ traceId: CALLER.traceId, parentSpanId: second.spanId, node: owner.name });
    });

    it('continue when a session with a waiting event moves to another node', async () => {
      const { clientId, number } = lab.session(0);
      const owner = await lab.ownerOf(clientId);
      const webhook = { clientId, webhookUrl: lab.receiver.url, retry: 'durable' };
      expect((await owner.api.post('/set-webhook', webhook)).status).to.equal(200);
      lab.receiver.respond(answering(503));
      const { messageId } = await lab.phones.write(BOB.number, { to: number, text: 'moves' });
      const before = readTraceHeaders((await callOf(messageId)).headers);
      await owner.stop();
      const from = lab.receiver.calls.length;
      lab.receiver.respond(answering(200));
      const after = readTraceHeaders((await callOf(messageId, from)).headers);
      expect(after?.traceId).to.equal(before?.traceId);
      const received = await collector.ofMessage('receive', messageId);
      const attempt = await collector.find(({ spanId }) => spanId === after?.spanId);
      expect(attempt).to.include({ traceId: received.traceId, parentSpanId: received.spanId });
      expect(received.node).to.equal(owner.name);
      expect(attempt.node).not.to.equal(owner.name);
    });
  });
}
