import { expect } from 'chai';
import type { TailEntry } from '../../../src/contract/events/stream-entry.js';
import { verifyWebhook } from '../../../src/index.js';
import { type ForwardReport, TailForwarder } from '../../../src/terminal/cli/forward.js';
import { answering, silent, startReceiver, type TestReceiver } from '../../support/receiver.js';
import { textEvent } from './support/entries.js';

const TOKEN = 'token-of-the-target';

function event(messageId: string): Extract<TailEntry, { kind: 'event' }> {
  const entry = textEvent({ messageId });
  if (entry.kind !== 'event') throw new Error('unreachable');
  return entry;
}

describe('tail --forward-to', () => {
  let target: TestReceiver;
  let reports: [string, ForwardReport][];

  beforeEach(async () => {
    target = await startReceiver();
    reports = [];
  });
  afterEach(() => target.stop());

  const forwarder = (options: { token?: string; waiting?: number } = {}) =>
    new TailForwarder(
      { url: `${target.url}/hook?key=secret`, token: options.token ?? '' },
      (id, report) => reports.push([id, report]),
      options.waiting,
    );

  it('POSTs an event like a webhook call, signed with the token', async () => {
    const forwarding = forwarder({ token: TOKEN });
    forwarding.add('e-1', event('3EB01'));
    await target.received(1);
    expect(await forwarding.end()).to.equal(0);
    const [call] = target.calls;
    expect(call).to.include({ method: 'POST', path: '/hook?key=secret' });
    expect(call?.headers).to.include({
      'content-type': 'application/json',
      'user-agent': 'Switchboard/1',
      'x-sn-event': 'text',
      'x-sn-delivery': 'e-1',
      'x-sn-attempt': '1',
    });
    const { headers = {}, body = '' } = call ?? {};
    expect(verifyWebhook({ headers, body, token: TOKEN })).to.deep.equal(event('3EB01').event);
  });

  it('sends neither token nor signature when none was given', async () => {
    const forwarding = forwarder();
    forwarding.add('e-1', event('3EB01'));
    await target.received(1);
    await forwarding.end();
    expect(target.calls[0]?.headers).not.to.have.any.keys('authorization', 'webhook-signature');
  });

  it('reports each result once, without secrets of the URL', async () => {
    target.respond(answering(200, 500, 302));
    const forwarding = forwarder();
    for (const id of ['e-1', 'e-2', 'e-3']) {
      forwarding.add(id, event(id));
      await target.received(reports.length + 1);
      await forwarding.end();
    }
    expect(reports.map(([id, { outcome, status }]) => [id, outcome, status])).to.deep.equal([
      ['e-1', 'delivered', 200],
      ['e-2', 'failed', 500],
      ['e-3', 'failed', 302],
    ]);
    expect(reports[1]?.[1]).to.deep.include({
      kind: 'forward',
      clientId: 'acme',
      type: 'text',
      messageId: 'e-2',
      url: `${target.url}/hook`,
      reason: 'answered 500',
    });
  });

  it('continues if the target does not answer', async () => {
    await target.stop();
    const forwarding = forwarder();
    forwarding.add('e-1', event('3EB01'));
    expect(await forwarding.end()).to.equal(1);
    expect(reports[0]?.[1]).to.include({ outcome: 'failed', status: 0 });
    expect(reports[0]?.[1].reason).to.contain('cannot be reached');
  });

  it('drops and counts events if too many wait', async () => {
    target.respond(silent);
    const forwarding = forwarder({ waiting: 2 });
    for (let n = 1; n <= 11; n += 1) forwarding.add(`e-${n}`, event(`3EB0${n}`));
    expect(reports.map(([id, { outcome }]) => [id, outcome])).to.deep.equal([['e-11', 'dropped']]);
    await target.received(8);
    expect(await forwarding.end()).to.equal(11);
    expect(reports).to.have.length(9);
  });
});
