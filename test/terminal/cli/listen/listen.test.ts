import { expect } from 'chai';
import { verifyWebhook } from '../../../../src/index.js';
import { DaemonClient } from '../../../../src/terminal/cli/client.js';
import { type ListenItem, type ListenOptions, listen } from '../../../../src/terminal/cli/listen/listen.js';
import { answering, eventOf, startReceiver, type TestReceiver } from '../../../support/receiver.js';
import {
  ALICE,
  BOB,
  linkSession,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../../../support/world.js';
import { failureOf } from '../support/entries.js';

type ItemOf<Type extends ListenItem['type']> = Extract<ListenItem, { type: Type }>;

/** A running listener and its reports. */
class Running {
  readonly items: ListenItem[] = [];
  readonly done: Promise<void>;
  readonly #end = new AbortController();
  readonly #waiters = new Set<() => void>();

  constructor(world: World, changes: Partial<ListenOptions>) {
    const client = (signal?: AbortSignal) =>
      new DaemonClient({ url: world.daemon.url, token: TOKEN, signal });
    this.done = listen({
      client: client(this.#end.signal),
      lastClient: async (signal) => client(signal),
      clientId: 'acme',
      host: '127.0.0.1',
      port: 0,
      extraEvents: false,
      takeOver: false,
      signal: this.#end.signal,
      tell: (item) => {
        this.items.push(item);
        for (const wake of this.#waiters) wake();
      },
      ...changes,
    });
  }

  /** The items of a type, as soon as there are so many; fails when it ends before. */
  async told<Type extends ListenItem['type']>(type: Type, count = 1): Promise<ItemOf<Type>[]> {
    const own = () => this.items.filter((item): item is ItemOf<Type> => item.type === type);
    const ended = this.done.then(() => {
      if (own().length < count) throw new Error(`it ended and never told "${type}"`);
    });
    ended.catch(() => undefined);
    while (own().length < count) {
      await Promise.race([ended, new Promise<void>((resolve) => this.#waiters.add(resolve))]);
    }
    return own();
  }

  end(): Promise<void> {
    this.#end.abort();
    return this.done;
  }
}

describe('listen', () => {
  let world: World;
  let running: Running[];

  before(async () => {
    world = await startWorld();
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme');
  });
  beforeEach(() => {
    running = [];
  });
  afterEach(async () => {
    await Promise.allSettled(running.map((one) => one.end()));
  });
  after(() => world.stop());

  const start = async (changes: Partial<ListenOptions> = {}): Promise<Running> => {
    const one = new Running(world, changes);
    running.push(one);
    await one.told('listening');
    return one;
  };
  const write = async (text: string) =>
    (await world.phones.write(BOB.number, { to: ALICE.number, text })).messageId;
  const trigger = () => world.api.post('/send-test-event', { clientId: 'acme', type: 'text' });

  it('receives events, and restores the former webhook with its token', async () => {
    const listener = await start();
    expect(listener.items[0]).to.include({ clientId: 'acme', registeredUrl: world.receiver.url });
    const taken = await write('to the listener');
    const [item] = await listener.told('event');
    expect(item).to.include({ status: 204, attempt: 1 });
    expect(item?.event).to.include({ messageId: taken, body: 'to the listener' });
    await listener.end();
    expect(listener.items.at(-1)).to.deep.equal({
      type: 'restored',
      clientId: 'acme',
      registeredUrl: world.receiver.url,
    });
    const back = await write('to the webhook');
    await eventOf(world.receiver, back);
    const call = world.receiver.calls.find(({ body }) => body.includes(back));
    expect(call?.headers.authorization).to.equal(`Bearer ${WEBHOOK_TOKEN}`);
    expect(world.receiver.calls.some(({ body }) => body.includes(taken))).to.equal(false);
  });

  it('refuses calls without a valid signature, and reports them', async () => {
    const listener = await start();
    const [listening] = await listener.told('listening');
    const answer = await fetch(listening?.url ?? '', { method: 'POST', body: '{}' });
    expect(answer.status).to.equal(401);
    expect((await listener.told('refused'))[0]).to.include({ status: 401 });
  });

  it('replies with an error to the first attempts, and receives the retries', async () => {
    const listener = await start({ fail: { status: 503, attempts: 2 } });
    expect((await trigger()).body).to.include({ delivered: true });
    const events = await listener.told('event', 3);
    expect(events.map(({ attempt, status }) => [attempt, status])).to.deep.equal([
      [1, 503],
      [2, 503],
      [3, 204],
    ]);
    expect(new Set(events.map(({ deliveryId }) => deliveryId)).size).to.equal(1);
  });

  it('receives opt-in events on request', async () => {
    const send = () => world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'hi' });
    const listener = await start({ extraEvents: true });
    await send();
    const statusOf = () =>
      listener.items.some((item) => item.type === 'event' && item.event.type === 'message_status');
    for (let count = 1; !statusOf(); count += 1) await listener.told('event', count);
    expect(statusOf()).to.equal(true);
  });

  it('names the registered listener, and replaces it on request', async () => {
    const first = await start();
    const second = new Running(world, {});
    expect((await failureOf(second.done)).failure).to.equal('conflict');
    const third = await start({ takeOver: true });
    await trigger();
    await third.told('event');
    expect(first.items.filter(({ type }) => type === 'event')).to.deep.equal([]);
    // the first one's end is not the third one's
    await first.end();
    await trigger();
    await third.told('event', 2);
  });

  it('refuses a wildcard address without a public URL', async () => {
    const one = new Running(world, { host: '0.0.0.0' });
    const { failure, message } = await failureOf(one.done);
    expect(failure).to.equal('usage');
    expect(message).to.contain('--public-url');
  });

  it('fails for an unknown session', async () => {
    const one = new Running(world, { clientId: 'nobody' });
    expect((await failureOf(one.done)).failure).to.equal('not_found');
    expect(one.items).to.deep.equal([]);
  });

  describe('listen --forward-to', () => {
    let target: TestReceiver;
    beforeEach(async () => {
      target = await startReceiver();
    });
    afterEach(() => target.stop());

    it('forwards each event with a new signature, and replies with the status of the target', async () => {
      target.respond(answering(500, 201));
      const token = 'token-of-the-target';
      const listener = await start({ forwardTo: { url: target.url, token } });
      expect((await trigger()).body).to.include({ delivered: true });
      const events = await listener.told('event', 2);
      expect(events.map(({ status, forwarded }) => [status, forwarded?.status])).to.deep.equal([
        [500, 500],
        [201, 201],
      ]);
      const [, call] = target.calls;
      expect(call?.headers).to.include({ 'x-sn-attempt': '2', 'x-sn-delivery': events[0]?.deliveryId });
      const { headers = {}, body = '' } = call ?? {};
      expect(verifyWebhook({ headers, body, token })).to.deep.equal(events[1]?.event);
    });

    it('replies 502 if the target does not answer, so that the daemon retries', async () => {
      await target.stop();
      const listener = await start({ forwardTo: { url: target.url, token: '' } });
      const sent = trigger();
      const [item] = await listener.told('event');
      expect(item).to.include({ status: 502 });
      expect(item?.forwarded).to.include({ status: 0 });
      expect((await sent).body).to.include({ delivered: false, reason: 'answered 502' });
    });

    it('leaves interrupted calls to the webhook, including the last attempt of an event', async () => {
      target.respond((response, call, index) => {
        const isLast = call.headers['x-sn-attempt'] === '4';
        if (!isLast) answering(500)(response, call, index);
      });
      const listener = await start({ forwardTo: { url: target.url, token: '' } });
      const sent = trigger();
      await target.received(4);
      await listener.end();
      expect((await sent).body).to.include({ delivered: true });
    });
  });
});
