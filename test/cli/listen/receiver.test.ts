import { request } from 'node:http';
import { expect } from 'chai';
import {
  type LocalReceiver,
  type RefusedCall,
  startReceiver,
  type WebhookCall,
} from '../../../src/cli/listen/receiver.js';
import { webhookHeaders } from '../../../src/delivery/webhook-headers.js';
import { textEvent } from '../support/entries.js';
import { failureOf } from '../support/failure.js';

const TOKEN = 'token-of-this-run';
const BODY = JSON.stringify(Object.entries(textEvent()).find(([name]) => name === 'event')?.[1]);

describe('the local receiver', () => {
  let receiver: LocalReceiver;
  let calls: WebhookCall[];
  let refused: RefusedCall[];
  let status: number;

  beforeEach(async () => {
    calls = [];
    refused = [];
    status = 204;
    receiver = await startReceiver({
      host: '127.0.0.1',
      port: 0,
      token: TOKEN,
      async answer(call) {
        calls.push(call);
        return status;
      },
      refused: (call) => refused.push(call),
    });
  });
  afterEach(() => receiver.stop());

  const headersOf = (changes: { token?: string; type?: string; body?: string; now?: number } = {}) => {
    const { token = TOKEN, type = 'text', body = BODY, now = Date.now() } = changes;
    return webhookHeaders({ token, type, deliveryId: '01ARZ', attempt: 2, body: Buffer.from(body) }, now);
  };
  const post = (headers: Record<string, string>, body = BODY) =>
    fetch(receiver.url, { method: 'POST', headers, body }).then((answer) => answer.status);

  it('takes what carries the token and its signature, and answers as it is told', async () => {
    expect(await post(headersOf())).to.equal(204);
    status = 503;
    expect(await post(headersOf())).to.equal(503);
    expect(calls[0]).to.deep.equal({ deliveryId: '01ARZ', attempt: 2, event: JSON.parse(BODY), body: BODY });
    expect(refused).to.deep.equal([]);
  });

  it('refuses everything else with 401, and says why without a secret', async () => {
    const { authorization, ...unsigned } = headersOf();
    const wrong: [Record<string, string>, string][] = [
      [{}, 'authorization'],
      [unsigned, 'authorization'],
      [headersOf({ token: 'token-of-somebody' }), 'bearer token'],
      [{ ...headersOf({ token: 'token-of-somebody' }), authorization: `Bearer ${TOKEN}` }, 'signature'],
      [headersOf({ body: '{}' }), 'signature'],
      [headersOf({ now: Date.now() - 3_600_000 }), 'timestamp'],
    ];
    for (const [headers, reason] of wrong) {
      expect(await post(headers), reason).to.equal(401);
      expect(refused.at(-1)).to.include({ status: 401, from: '127.0.0.1' });
      expect(refused.at(-1)?.reason).to.contain(reason).and.not.contain(TOKEN);
    }
    expect(authorization).to.equal(`Bearer ${TOKEN}`);
    expect(calls).to.deep.equal([]);
  });

  it('answers the question whether it is there, but not that of a stranger', async () => {
    const body = '{"event":"listen.check","type":"listen_check"}';
    expect(await post(headersOf({ type: 'listen_check', body }), body)).to.equal(204);
    const strange = headersOf({ type: 'listen_check', body, token: 'token-of-somebody' });
    expect(await post(strange, body)).to.equal(401);
    expect(await post(headersOf({ body }), body)).to.equal(401);
    expect(calls).to.deep.equal([]);
  });

  it('refuses other methods and bodies beyond its bound', async () => {
    expect((await fetch(receiver.url)).status).to.equal(405);
    expect(await post(headersOf(), 'a'.repeat(8 * 1024 * 1024 + 1))).to.equal(413);
    expect(refused.map((call) => call.status)).to.deep.equal([405, 413]);
  });

  it('outlives a caller that goes away in the middle', async () => {
    const call = request(receiver.url, { method: 'POST', headers: { 'content-length': 100 } });
    const cut = new Promise((resolve) => call.on('error', resolve));
    call.flushHeaders();
    call.on('socket', (socket) => socket.once('connect', () => socket.destroy()));
    await cut;
    expect(await post(headersOf())).to.equal(204);
  });

  it('says that its port is taken', async () => {
    const port = Number(new URL(receiver.url).port);
    const options = { host: '127.0.0.1', port, token: TOKEN, answer: async () => 204, refused: () => {} };
    const { message, suggestions } = await failureOf(startReceiver(options));
    expect(message).to.equal(`127.0.0.1:${port} cannot be listened on: something else listens there`);
    expect(suggestions[0]).to.contain('--port');
  });
});
