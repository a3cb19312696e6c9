import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import Why from '../../commands/why.js';
import { readTraceHeaders } from '../../src/domain/tracing.js';
import { createLog } from '../../src/gateway/log.js';
import { type CollectedSpan, Collector } from '../support/collector.js';
import { answering, eventIn, type ReceivedCall, silent } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { makeTempDir } from '../support/temp-dir.js';
import {
  ALICE,
  BOB,
  Conversations,
  linkSession,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const TRACEPARENT = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const TRACESTATE = 'vendor=t61rcWkgMzE,other=1';

describe('traces', () => {
  let collector: Collector;
  let chats: Conversations;
  before(async () => {
    collector = await Collector.start();
    chats = await Conversations.start({ settings: { otlpEndpoint: collector.url } });
  });
  after(async () => {
    await chats.stop();
    await collector.stop();
  });

  const callOf = (messageId: string, fits: (call: ReceivedCall) => boolean = () => true) =>
    chats.world.receiver.find((call) => eventIn(call)?.messageId === messageId && fits(call));
  const contextIn = ({ headers }: ReceivedCall) => {
    const context = readTraceHeaders(headers);
    if (!context) throw new Error('the call has no traceparent');
    return context;
  };
  /** The named span of a trace, as soon as it came. */
  const spanIn = (traceId: string, name: string) =>
    collector.find((span) => span.traceId === traceId && span.name === name);
  const parentOf = async (span: CollectedSpan) =>
    (await collector.find(({ spanId }) => spanId === span.parentSpanId)).name;
  const send = (body: string, headers: Record<string, string> = {}) =>
    chats.world.api.post('/send-message', { clientId: 'hosted', to: BOB.number, body }, headers);

  it('follow a received message from its stanza over journal and store to each attempt', async () => {
    const { receiver } = chats.world;
    receiver.respond((response, { headers }) =>
      response.writeHead(headers['x-sn-attempt'] === '1' ? 503 : 200).end(),
    );
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'what a secret' });
    const second = await callOf(messageId, ({ headers }) => headers['x-sn-attempt'] === '2');
    const { traceId, spanId, isSampled } = contextIn(second);
    expect(isSampled).to.equal(true);
    const attempt = await spanIn(traceId, 'attempt 2');
    expect(attempt).to.include({ spanId, kind: 3, error: '' });
    expect(attempt.attributes).to.include({
      'switchboard.session': 'hosted',
      'switchboard.message_id': messageId,
      'switchboard.event': 'text',
      'switchboard.outcome': 'delivered',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': receiver.port,
    });
    expect(await spanIn(traceId, 'attempt 1')).to.include({
      error: '503',
      parentSpanId: attempt.parentSpanId,
    });
    expect(await parentOf(attempt)).to.equal('deliver');
    const root = await collector.ofMessage('receive', messageId);
    expect(root).to.include({ traceId, parentSpanId: '', error: '' });
    expect(root.attributes).to.include({ 'switchboard.outcome': 'processed' });
    const steps = await Promise.all(['journal', 'store', 'deliver'].map((name) => spanIn(traceId, name)));
    expect(steps.map(({ parentSpanId }) => parentSpanId)).to.deep.equal(steps.map(() => root.spanId));
    for (const step of [...steps, attempt]) {
      expect(step.startMs, step.name).to.be.within(root.startMs, root.endMs);
      expect(step.endMs, step.name).to.be.within(step.startMs, root.endMs);
    }
  });

  it('follow a send in the trace of its caller, to the webhook calls of its echo and its receipts', async () => {
    const { world } = chats;
    const webhook = { clientId: 'hosted', webhookUrl: world.receiver.url };
    await world.api.post('/set-webhook', { ...webhook, extraEvents: ['message_status'] });
    const { status, body } = await send('hello', { traceparent: TRACEPARENT, tracestate: TRACESTATE });
    expect(status, JSON.stringify(body)).to.equal(200);
    const messageId = String(body.messageId);
    const echo = contextIn(await callOf(messageId, ({ headers }) => headers['x-sn-event'] === 'text'));
    expect(echo).to.include({ traceId: CALLER.traceId, isSampled: true, state: TRACESTATE });
    const request = await collector.find(({ parentSpanId }) => parentSpanId === CALLER.spanId);
    expect(request).to.include({
      traceId: CALLER.traceId,
      name: 'POST /send-message',
      kind: 2,
      traceState: TRACESTATE,
    });
    expect(request.attributes).to.include({
      'http.route': '/send-message',
      'http.response.status_code': 200,
    });
    const sent = await collector.ofMessage('send', messageId);
    expect(sent).to.include({ traceId: CALLER.traceId, parentSpanId: request.spanId });
    expect(sent.attributes).to.include({
      'switchboard.route': '/send-message',
      'switchboard.outcome': 'sent',
    });
    for (const name of ['compose', 'policy', 'outbox', 'relay', 'store', 'deliver'])
      expect(await spanIn(CALLER.traceId, name), name).to.include({ parentSpanId: sent.spanId, error: '' });
    const delivered = await collector.ofMessage('status delivered', messageId);
    expect(delivered).to.include({ traceId: CALLER.traceId, parentSpanId: sent.spanId });
    const receipt = contextIn(
      await callOf(messageId, ({ headers }) => headers['x-sn-event'] === 'message_status'),
    );
    expect(receipt).to.include({ traceId: CALLER.traceId, state: TRACESTATE });
  });

  it('are named by `switchboard why`', async () => {
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'why' });
    const { traceId } = contextIn(await callOf(messageId));
    const env = { SWITCHBOARD_URL: chats.world.api.url, SWITCHBOARD_TOKEN: TOKEN };
    const { stdout } = await runCommand(Why, [messageId], env);
    expect(stdout).to.match(new RegExp(`\\ntrace ${traceId}\\n$`));
  });

  it('begin with the request when its caller sends no usable context', async () => {
    const bad = { traceparent: `00-${'0'.repeat(32)}-${CALLER.spanId}-01`, tracestate: TRACESTATE };
    const { body } = await send('without', bad);
    const { traceId, state } = contextIn(await callOf(String(body.messageId)));
    expect(state).to.equal('');
    expect(await spanIn(traceId, 'POST /send-message')).to.include({ parentSpanId: '' });
  });

  it('record nothing of a trace that the caller did not sample, and pass its context on', async () => {
    const traceId = '1bf7651916cd43dd8448eb211c80319c';
    const { body } = await send('unsampled', { traceparent: `00-${traceId}-${CALLER.spanId}-00` });
    const call = await callOf(String(body.messageId));
    expect(contextIn(call)).to.include({ traceId, isSampled: false });
    // spans are exported in the order in which they end
    const later = await send('sampled');
    await collector.ofMessage('send', String(later.body.messageId));
    expect(collector.trace(traceId)).to.deep.equal([]);
  });

  it('name the code of a send that fails', async () => {
    const traceparent = `00-2cf7651916cd43dd8448eb211c80319c-${CALLER.spanId}-01`;
    const message = { clientId: 'hosted', to: '+15550009999', body: 'nobody' };
    const { status } = await chats.world.api.post('/send-message', message, { traceparent });
    const { traceId } = readTraceHeaders({ traceparent }) ?? {};
    const failed = await spanIn(String(traceId), 'send');
    expect(failed.error).to.equal('recipient_unknown');
    expect((await spanIn(String(traceId), 'POST /send-message')).attributes).to.include({
      'error.type': 'recipient_unknown',
      'http.response.status_code': status,
    });
  });

  it('are passed on to the receiver that knows the options of a poll', async () => {
    const { clientId } = chats.plain;
    const { receiver } = chats.world;
    const webhook = { clientId, webhookUrl: receiver.url, pollLookupUrl: `${receiver.url}/options` };
    await chats.world.api.post('/set-webhook', webhook);
    const { messageId: pollMessageId } = await chats.world.phones.write(BOB.number, {
      to: ALICE.number,
      poll: { name: 'Lunch?', options: ['Soup', 'Salad'], selectableCount: 1 },
    });
    await callOf(pollMessageId);
    const vote = await chats.world.phones.write(BOB.number, {
      to: ALICE.number,
      vote: { pollMessageId, options: ['Soup'] },
    });
    const asked = contextIn(await receiver.find(({ path }) => path === '/options'));
    const voted = contextIn(await callOf(vote.messageId));
    expect(asked.traceId).to.equal(voted.traceId);
    expect(await spanIn(asked.traceId, 'poll lookup')).to.include({ spanId: asked.spanId });
  });

  it('contain no text, no phone number, no token and no address of a receiver', async () => {
    const { messageId } = await chats.fromBob(chats.hosted, { text: 'another secret' });
    await collector.ofMessage('receive', messageId);
    const { text } = collector;
    expect(text).to.contain(messageId);
    for (const word of [
      'secret',
      TOKEN,
      WEBHOOK_TOKEN,
      ...[ALICE, BOB].map(({ number }) => number.slice(1)),
      'Bob',
      'http://',
    ])
      expect(text).not.to.contain(word);
  });
});

describe('a daemon with a collector of traces', () => {
  let world: World;
  let collector: Collector;
  const lines: string[] = [];
  const log = createLog({
    level: 'info',
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
  });
  const start = async (settings: object) => {
    collector = await Collector.start();
    lines.length = 0;
    world = await startWorld({ settings: { otlpEndpoint: collector.url, ...settings }, overrides: { log } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  };
  const fromBob = async (text: string) => {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text });
    return world.receiver.find((call) => eventIn(call)?.messageId === messageId);
  };
  afterEach(async () => {
    await world.stop();
    await collector.stop();
  });

  it('delivers while the collector is down, and logs the outage and its end once each', async () => {
    await start({});
    collector.receiver.respond(answering(400));
    for (const n of [1, 2]) {
      const before = collector.receiver.calls.length;
      expect((await fromBob(`down ${n}`)).headers).to.have.property('traceparent');
      await collector.receiver.received(before + 1);
    }
    collector.receiver.respond(answering(200));
    for (let n = 0; !lines.some((line) => line.includes('traces are exported again')); n++) {
      const before = collector.receiver.calls.length;
      await fromBob(`up ${n}`);
      await collector.receiver.received(before + 1);
    }
    expect(lines.filter((line) => line.includes('traces cannot be exported'))).to.have.length(1);
  });

  it('sends the collector no traces that are not sampled, and passes their contexts on', async () => {
    await start({ traceRatio: 0, otlpHeaders: 'x-key=a%20b' });
    const { headers } = await fromBob('unsampled');
    expect(readTraceHeaders(headers)).to.include({ isSampled: false });
    const { body } = await world.api.post(
      '/send-message',
      { clientId: 'acme', to: BOB.number, body: 'sampled' },
      { traceparent: TRACEPARENT },
    );
    await collector.ofMessage('send', String(body.messageId));
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).to.deep.equal(new Set([CALLER.traceId]));
    expect(collector.receiver.calls[0]?.headers).to.include({ 'x-key': 'a b' });
  });

  it('delivers and stops even if the collector never answers', async () => {
    await start({});
    collector.receiver.respond(silent);
    expect((await fromBob('no answer')).headers).to.have.property('traceparent');
    await collector.receiver.received(collector.receiver.calls.length + 1);
    await world.stopDaemon();
    expect(lines.filter((line) => line.includes('"msg":"stopped"'))).to.have.length(1);
  });

  it('sends the last spans to the collector when it stops', async () => {
    await start({});
    const { body } = await fromBob('last words');
    await world.stopDaemon();
    const { messageId }: { messageId: string } = JSON.parse(body);
    const names = collector.spans
      .filter(({ attributes }) => attributes['switchboard.message_id'] === messageId)
      .map(({ name }) => name);
    expect(names).to.include.members(['receive', 'attempt 1']);
  });
});

describe('the trace of a held message', () => {
  const POLICY = 'policies: { slow: { mode: enforce, samePersonGap: 1s } }\ndefault: slow\n';

  it('continues the trace of its caller, also when the message leaves', async () => {
    const folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICY);
    const collector = await Collector.start();
    const world = await startWorld({ settings: { policy, otlpEndpoint: collector.url } });
    try {
      await world.phones.addPhone(BOB);
      await linkSession(world, 'acme');
      const message = { clientId: 'acme', to: BOB.number, whenAllowed: true };
      const headers = { traceparent: TRACEPARENT, tracestate: TRACESTATE };
      const send = (body: string) => world.api.post('/send-message', { ...message, body }, headers);
      let held = await send('first');
      // the gap may be over by the time of the next one
      for (let n = 0; held.status !== 202; n++) held = await send(`next ${n}`);
      const messageId = String(held.body.messageId);
      const echo = await world.receiver.find((call) => eventIn(call)?.messageId === messageId);
      expect(readTraceHeaders(echo.headers)).to.include({ traceId: CALLER.traceId, state: TRACESTATE });
      const isSend = ({ name, attributes }: CollectedSpan) =>
        name === 'send' && attributes['switchboard.message_id'] === messageId;
      const asked = await collector.find(
        (span) => isSend(span) && span.attributes['switchboard.outcome'] === 'held',
      );
      const left = await collector.find(
        (span) => isSend(span) && span.attributes['switchboard.resumed'] === true,
      );
      expect(asked).to.include({ traceId: CALLER.traceId, error: '' });
      expect(left).to.include({ traceId: CALLER.traceId, parentSpanId: asked.spanId, error: '' });
    } finally {
      await world.stop();
      await collector.stop();
      await folder.remove();
    }
  });
});

describe('a daemon without a collector', () => {
  it('passes no context on, even if its caller sends one', async () => {
    const world = await startWorld();
    try {
      await world.phones.addPhone(BOB);
      await linkSession(world, 'acme');
      const message = { clientId: 'acme', to: BOB.number, body: 'untraced' };
      const { body } = await world.api.post('/send-message', message, { traceparent: TRACEPARENT });
      const call = await world.receiver.find((one) => eventIn(one)?.messageId === body.messageId);
      expect(call.headers).not.to.have.any.keys('traceparent', 'tracestate');
    } finally {
      await world.stop();
    }
  });
});
