import { expect } from 'chai';
import { idsOfMessage, readTraceHeaders } from '../../src/domain/tracing.js';
import { Collector } from '../support/collector.js';
import { answering, eventIn, silent } from '../support/receiver.js';
import { ALICE, BOB, startKillableWorld, type World } from '../support/world.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;

describe('the trace of a message whose daemon is killed', () => {
  let collector: Collector;
  let world: World;
  before(async () => {
    collector = await Collector.start();
    world = await startKillableWorld({ leaseSeconds: 2, settings: { otlpEndpoint: collector.url } });
  });
  after(async () => {
    await world.stop();
    await collector.stop();
  });
  beforeEach(() => world.receiver.respond(answering(200)));

  it('continues after the restart when the message was in the journal and not delivered', async () => {
    world.receiver.respond(silent);
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'killed' });
    const isOfMessage = (call: Parameters<typeof eventIn>[0]) => eventIn(call)?.messageId === messageId;
    const first = readTraceHeaders((await world.receiver.find(isOfMessage)).headers);
    await world.killDaemon();
    const from = world.receiver.calls.length;
    world.receiver.respond(answering(200));
    await world.startDaemon();
    const again = await world.receiver.find(
      (call) => isOfMessage(call) && world.receiver.calls.indexOf(call) >= from,
    );
    const second = readTraceHeaders(again.headers);
    expect(second?.traceId).to.equal(first?.traceId);
    expect(second?.spanId).not.to.equal(first?.spanId);
    const received = await collector.ofMessage('receive', messageId);
    expect(received).to.include({ traceId: first?.traceId, parentSpanId: '' });
    expect(received.attributes).to.include({ 'switchboard.resumed': true });
    const deliver = await collector.find(
      ({ name, parentSpanId }) => name === 'deliver' && parentSpanId === received.spanId,
    );
    expect(await collector.find(({ spanId }) => spanId === second?.spanId)).to.include({
      name: 'attempt 1',
      parentSpanId: deliver.spanId,
    });
    expect(collector.trace(received.traceId).filter(({ name }) => name === 'receive')).to.have.length(1);
  });

  it('stays that of the caller when a send was recorded and had not left', async () => {
    await world.connected();
    await world.dieAt({ when: 'after', write: 'open' });
    const message = { clientId: 'acme', to: BOB.number, body: 'continued' };
    const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1' };
    const answer = world.api.post('/send-message', message, headers).catch(() => 'no answer');
    await world.died();
    expect(await answer).to.equal('no answer');
    await world.startDaemon();
    const echo = await world.receiver.find((call) => eventIn(call)?.body === 'continued');
    expect(readTraceHeaders(echo.headers)).to.include({ traceId: CALLER.traceId, state: 'vendor=1' });
    const sent = await collector.ofMessage('send', String(eventIn(echo)?.messageId));
    expect(sent).to.include({ traceId: CALLER.traceId, error: '' });
    expect(sent.attributes).to.include({ 'switchboard.resumed': true });
  });

  it('stays that of the caller when the event of a send waits for its receiver', async () => {
    await world.connected();
    const webhook = { clientId: 'acme', webhookUrl: world.receiver.url, retry: 'durable' };
    expect((await world.api.post('/set-webhook', webhook)).status).to.equal(200);
    world.receiver.respond(answering(503));
    const traceId = '1bf7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-${CALLER.spanId}-01`, tracestate: 'vendor=2' };
    const message = { clientId: 'acme', to: BOB.number, body: 'waits' };
    const { status, body } = await world.api.post('/send-message', message, headers);
    expect(status, JSON.stringify(body)).to.equal(200);
    await world.receiver.find((call) => eventIn(call)?.body === 'waits');
    await world.killDaemon();
    const from = world.receiver.calls.length;
    world.receiver.respond(answering(200));
    await world.startDaemon();
    const again = await world.receiver.find(
      (call) => eventIn(call)?.body === 'waits' && world.receiver.calls.indexOf(call) >= from,
    );
    const context = readTraceHeaders(again.headers);
    expect(context).to.include({ traceId, state: 'vendor=2' });
    expect(await collector.find(({ spanId }) => spanId === context?.spanId)).to.include({
      parentSpanId: idsOfMessage('acme', String(body.messageId)).spanId,
    });
  });
});
