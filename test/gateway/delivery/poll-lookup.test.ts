import { expect } from 'chai';
import { LIMITS } from '../../../src/domain/limits.js';
import { PollLookups } from '../../../src/gateway/delivery/poll-lookup.js';
import { ManualClock } from '../../support/manual-clock.js';
import { type Respond, silent, startReceiver, type TestReceiver } from '../../support/receiver.js';

const QUESTION = { clientId: 'acme', chatRoomId: 'acme-1-2', pollMessageId: '3EB0AA' };
const TOO_LONG = 1024 * 1024 + 1;

describe('the look-up of a poll', () => {
  let clock: ManualClock;
  let lookups: PollLookups;
  let receiver: TestReceiver;

  beforeEach(async () => {
    clock = new ManualClock();
    lookups = new PollLookups({ allowPrivate: true, clock });
    receiver = await startReceiver();
  });

  afterEach(async () => {
    await lookups.destroy();
    await receiver.stop();
  });

  const ask = (token = 'receiver-token') =>
    lookups.ask({ url: `${receiver.url}/polls?key=1`, token }, QUESTION);

  it('asks as the contract says, and returns the options unchanged', async () => {
    receiver.respond(json(200, { options: ['Pizza', 'Süßes', 'Pizza'], more: true }));
    expect(await ask()).to.deep.equal({ options: ['Pizza', 'Süßes', 'Pizza'] });
    const [call] = receiver.calls;
    expect(call).to.include({ method: 'POST', path: '/polls?key=1' });
    expect(call?.headers).to.include({
      authorization: 'Bearer receiver-token',
      'content-type': 'application/json',
      'user-agent': 'Switchboard/1',
    });
    expect(JSON.parse(call?.body ?? '')).to.deep.equal(QUESTION);
    expect(clock.pending()).to.deep.equal([]);
  });

  it('sends no authorization without a token', async () => {
    receiver.respond(json(200, { options: [] }));
    expect(await ask('')).to.deep.equal({ options: [] });
    expect(receiver.calls[0]?.headers).to.not.have.property('authorization');
  });

  const refusals: [what: string, respond: Respond, reason: RegExp][] = [
    ['another status', json(401, { options: ['Pizza'] }), /^answered 401$/],
    ['a 2xx that is not 200', json(201, { options: ['Pizza'] }), /^answered 201$/],
    ['a text that is not JSON', text('Pizza'), /must be JSON like/],
    ['an empty answer', text(''), /must be JSON like/],
    ['JSON without options', json(200, ['Pizza']), /must be JSON like/],
    ['null', json(200, null), /must be JSON like/],
    ['options that are not texts', json(200, { options: ['Pizza', 7] }), /must be JSON like/],
    ['more options than any poll has', json(200, { options: Array(101).fill('x') }), /more than 100 options/],
    ['an answer that is too long', text('x'.repeat(TOO_LONG)), /longer than 1048576 bytes/],
    ['a broken answer', (response) => response.destroy(), /./],
  ];
  for (const [what, respond, reason] of refusals) {
    it(`counts ${what} as no answer`, async () => {
      receiver.respond(respond);
      const answer = await ask();
      expect(answer).to.include({ stopped: false });
      expect(answer).to.have.property('reason').that.matches(reason);
      expect(clock.pending()).to.deep.equal([]);
    });
  }

  it('follows no redirect', async () => {
    receiver.respond((response) => response.writeHead(307, { location: `${receiver.url}/other` }).end());
    expect(await ask()).to.have.property('reason', 'answered 307; redirects are not followed');
    expect(receiver.calls).to.have.length(1);
  });

  it('waits eight seconds for a missing answer', async () => {
    receiver.respond(silent);
    const answer = ask();
    await receiver.received(1);
    clock.advance(LIMITS.pollLookupMs);
    expect(await answer).to.deep.equal({ reason: 'no answer within 8 s', stopped: false });
  });

  it('waits eight seconds for an answer that does not end', async () => {
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => {
      begun = resolve;
    });
    receiver.respond((response) => response.write('{"options": [', () => begun()));
    const answer = ask();
    await hasBegun;
    clock.advance(LIMITS.pollLookupMs);
    expect(await answer).to.deep.equal({ reason: 'no answer within 8 s', stopped: false });
  });

  it('reports a stop separately, so that it does not count as a failure of the receiver', async () => {
    receiver.respond(silent);
    const answer = ask();
    await receiver.received(1);
    await lookups.destroy();
    expect(await answer).to.include({ stopped: true });
  });

  it('refuses private addresses unless they are allowed', async () => {
    const guarded = new PollLookups({ allowPrivate: false, clock });
    const answer = await guarded.ask({ url: receiver.url, token: '' }, QUESTION);
    expect(answer)
      .to.have.property('reason')
      .that.matches(/--allow-private-urls/);
    expect(receiver.calls).to.deep.equal([]);
    await guarded.destroy();
  });

  it('calls only http and https addresses', async () => {
    const answer = await lookups.ask({ url: 'ftp://example.com', token: '' }, QUESTION);
    expect(answer).to.deep.equal({ reason: 'pollLookupUrl is no http(s) address', stopped: false });
  });
});

function json(status: number, body: unknown): Respond {
  return (response) => response.writeHead(status).end(JSON.stringify(body));
}

function text(body: string): Respond {
  return (response) => response.writeHead(200).end(body);
}
