import { expect } from 'chai';
import {
  type VerificationFault,
  type VerifyOptions,
  verifyWebhook,
  WebhookVerificationError,
} from '../../src/client/verify.js';
import {
  EXTRA_EVENT_TYPES,
  type GatewayEvent,
  MESSAGE_EVENT_TYPES,
} from '../../src/contract/events/catalogue.js';
import { sampleEvent } from '../../src/contract/events/sample.js';
import { signature } from '../../src/domain/webhook-headers.js';
import { type ReceivedCall, startReceiver, type TestReceiver } from '../support/receiver.js';
import { type PlayedDeliveries, textEvent } from '../support/rig/deliveries.js';
import { Rig } from '../support/rig/rig.js';

const TOKEN = 'webhook-token-of-acme';

describe('verifyWebhook', () => {
  let rig: PlayedDeliveries;
  let receiver: TestReceiver;
  let call: ReceivedCall;

  before(async () => {
    rig = (await Rig.start()).deliveries();
    receiver = await startReceiver();
    call = await deliver(TOKEN);
  });

  after(async () => {
    await rig.close();
    await receiver.stop();
  });

  async function deliver(token: string, event: GatewayEvent = textEvent()): Promise<ReceivedCall> {
    await rig.dispatcher.announce(event, { url: receiver.url, token });
    const last = receiver.calls.at(-1);
    if (!last) throw new Error('nothing arrived');
    return last;
  }

  const verify = (changes: Partial<VerifyOptions> = {}) => {
    const { headers, body } = call;
    return verifyWebhook({ headers, body, token: TOKEN, now: rig.clock.now(), ...changes });
  };

  const faultOf = (changes: Partial<VerifyOptions>): VerificationFault | undefined => {
    try {
      verify(changes);
    } catch (error) {
      expect(error).to.be.instanceOf(WebhookVerificationError);
      if (error instanceof WebhookVerificationError) return error.fault;
    }
    return undefined;
  };

  it('returns the event of a real delivery', () => {
    expect(verify()).to.deep.equal(textEvent());
  });

  it('accepts every event of the catalogue', async () => {
    for (const type of [...MESSAGE_EVENT_TYPES, ...EXTRA_EVENT_TYPES]) {
      const event = sampleEvent(type, { clientId: 'acme', orgId: '', myLid: '', at: rig.clock.now() });
      const { headers, body } = await deliver(TOKEN, event);
      expect(verify({ headers, body }), type).to.deep.equal(event);
    }
  });

  it('accepts the body as bytes, and headers as a plain object or as Headers', () => {
    expect(verify({ body: Buffer.from(call.body) })).to.deep.equal(textEvent());
    const headers = Object.entries(call.headers).map(([name, value]): [string, string] => [
      name.toUpperCase(),
      String(value),
    ]);
    expect(verify({ headers: Object.fromEntries(headers) })).to.deep.equal(textEvent());
    expect(verify({ headers: new Headers(headers) })).to.deep.equal(textEvent());
  });

  it('accepts tokens in the notation of Standard Webhooks', async () => {
    const token = `whsec_${Buffer.from('twenty-four bytes of key').toString('base64')}`;
    const { headers, body } = await deliver(token);
    expect(verify({ headers, body, token })).to.deep.equal(textEvent());
  });

  it('accepts one valid signature among several', () => {
    const several = `v1,${Buffer.alloc(32).toString('base64')} ${call.headers['webhook-signature']}`;
    expect(verify({ headers: { ...call.headers, 'webhook-signature': several } })).to.deep.equal(textEvent());
  });

  it('accepts calls with two signatures by either token, until the previous token expires', async () => {
    const until = rig.clock.now() + 60_000;
    const received = async () => {
      const previous = { token: 'the token before', until };
      await rig.dispatcher.announce(textEvent(), { url: receiver.url, token: TOKEN, previous });
      const { headers = {}, body = '' } = receiver.calls.at(-1) ?? {};
      return { headers, body };
    };
    const rotated = await received();
    for (const token of [TOKEN, 'the token before', ['unknown', TOKEN]]) {
      expect(verify({ ...rotated, token }), String(token)).to.deep.equal(textEvent());
    }
    expect(faultOf({ ...rotated, token: 'unknown' })).to.equal('wrong_signature');
    expect(faultOf({ ...rotated, token: 'unknown', body: '{}' })).to.equal('wrong_signature');
    await rig.clock.advance(60_000);
    const ended = await received();
    expect(faultOf({ ...ended, token: 'the token before' })).to.equal('wrong_token');
    expect(verify({ ...ended, token: ['the token before', TOKEN] })).to.deep.equal(textEvent());
    expect(ended.headers['webhook-signature']).not.to.contain(' ');
    call = await deliver(TOKEN);
  });

  it('accepts calls up to five minutes old, or up to the given number of seconds', () => {
    const at = rig.clock.now();
    expect(faultOf({ now: at + 300_000 })).to.equal(undefined);
    expect(faultOf({ now: at + 301_000 })).to.equal('wrong_timestamp');
    expect(faultOf({ now: at - 301_000 })).to.equal('wrong_timestamp');
    expect(faultOf({ now: at + 301_000, toleranceSeconds: 600 })).to.equal(undefined);
  });

  it('refuses a body that was changed', () => {
    expect(faultOf({ body: call.body.replace('Bob', 'Eve') })).to.equal('wrong_signature');
    expect(faultOf({ body: '' })).to.equal('wrong_signature');
  });

  for (const body of [
    '{}',
    '[]',
    'null',
    'text',
    '{"event":"constructor","type":"","clientId":"","timestamp":""}',
  ]) {
    it(`refuses the signed body ${body}, which is not an event`, () => {
      const { 'webhook-id': id, 'webhook-timestamp': timestamp } = call.headers;
      const signed = signature(TOKEN, String(id), Number(timestamp), Buffer.from(body));
      const headers = { ...call.headers, 'webhook-signature': signed };
      expect(faultOf({ headers, body })).to.equal('malformed_body');
    });
  }

  it('refuses another token', () => {
    expect(faultOf({ token: 'another token' })).to.equal('wrong_token');
  });

  it('requires a token', () => {
    expect(() => verify({ token: '' })).to.throw(TypeError, 'webhookToken');
  });

  const forged: [string, Record<string, string>, VerificationFault][] = [
    ['another bearer token', { authorization: 'Bearer guess' }, 'wrong_token'],
    ['another scheme', { authorization: `Basic ${TOKEN}` }, 'wrong_token'],
    ['another id', { 'webhook-id': 'another' }, 'wrong_signature'],
    ['a shifted time', { 'webhook-timestamp': '1767323044' }, 'wrong_signature'],
    ['a time that is not a number', { 'webhook-timestamp': 'now' }, 'wrong_timestamp'],
    ['an empty signature', { 'webhook-signature': 'v1,' }, 'wrong_signature'],
    ['another version of signature', { 'webhook-signature': 'v2,abc' }, 'wrong_signature'],
  ];
  for (const [what, headers, fault] of forged) {
    it(`refuses ${what}`, () => {
      expect(faultOf({ headers: { ...call.headers, ...headers } })).to.equal(fault);
    });
  }

  for (const name of ['authorization', 'webhook-id', 'webhook-timestamp', 'webhook-signature']) {
    it(`requires the header ${name}`, () => {
      expect(faultOf({ headers: { ...call.headers, [name]: undefined } })).to.equal('missing_header');
    });
  }
});
