import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { SandboxClient } from '../../src/client/sandbox/client.js';
import { verifyWebhook } from '../../src/client/verify.js';
import { loadConfig } from '../../src/gateway/config/load.js';
import { createDaemon, type Daemon } from '../../src/gateway/daemon/daemon.js';
import { createLog } from '../../src/gateway/log.js';
import { answering, eventOf, extraEventOf, startReceiver, type TestReceiver } from '../support/receiver.js';
import { makeStorePlace, type StorePlace } from '../support/store-place.js';
import { TailReader } from '../support/tail-reader.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  Api,
  CAROL,
  linkSession,
  QUICK_BACKOFF,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
const PATIENCE_MS = 60_000;
const POLICY = `
mode: enforce
policies:
  one:
    newChatsPerDay: 1
default: one
`;
const LISTENER_TOKEN = 'token-of-the-listener';
const EXTRA_EVENTS = ['account_status', 'session_status', 'message_status'];

describe('a daemon with its own sandbox, whose clock is moved', () => {
  const encryptionKey = randomBytes(32).toString('hex');
  let folder: TempDir;
  let place: StorePlace;
  let receiver: TestReceiver;
  let daemon: Daemon;
  let tail: TailReader;
  let api: Api;
  let phones: SandboxClient;
  let people = 0;

  before(async () => {
    [folder, place, receiver] = [await makeTempDir(), await makeStorePlace(), await startReceiver()];
    await writeFile(join(folder.path, 'policy.yaml'), POLICY);
    await startDaemon();
    await linkSession({ phones, receiver, api, tail }, 'acme', ALICE, { extraEvents: EXTRA_EVENTS });
  });
  after(async () => {
    await stopDaemon();
    await receiver.stop();
    await place.drop();
    await folder.remove();
  });

  async function startDaemon(): Promise<void> {
    const flags = {
      port: 0,
      network: 'sandbox',
      sandboxPort: 0,
      token: TOKEN,
      dataDir: folder.path,
      store: place.setting,
      encryptionKey,
      policy: join(folder.path, 'policy.yaml'),
      checkAnswers: true,
    };
    const config = await loadConfig({ flags, env: {}, defaultDataDir: folder.path });
    const log = createLog({ level: process.env.TEST_LOG ?? 'silent', pretty: false });
    daemon = await createDaemon(config, { log, backoff: QUICK_BACKOFF });
    tail = await new TailReader().open(daemon.url, TOKEN);
    api = new Api(daemon.url, TOKEN);
    phones = new SandboxClient(daemon.sandboxUrl ?? '');
  }

  async function stopDaemon(): Promise<void> {
    await tail?.close();
    await daemon?.stop();
  }

  /** Somebody with whom nobody has a chat. */
  async function stranger(): Promise<string> {
    people += 1;
    const number = `+1555001${String(people).padStart(4, '0')}`;
    await phones.addPhone({ number, name: `Stranger ${people}` });
    return number;
  }

  const send = (to: string, body: string, whenAllowed = false) =>
    api.post('/send-message', { clientId: 'acme', to, body, whenAllowed });
  const health = async () => {
    const { body } = await api.get('/health/clients');
    return Array.isArray(body.clients) ? body.clients[0] : {};
  };
  const now = async () => (await phones.clock()).now;

  it('allows on the next day the first contact that the daily budget refused', async () => {
    const [first, second] = [await stranger(), await stranger()];
    expect((await send(first, 'hello')).status).to.equal(200);
    const refused = await send(second, 'hello');
    expect(refused.status).to.equal(429);
    expect(refused.body.policy).to.include({ rule: 'newChatsPerDay', left: 0 });
    await phones.advanceClock('23h');
    expect((await send(second, 'hello')).status).to.equal(429);
    await phones.advanceClock('1h');
    expect((await send(second, 'hello')).status).to.equal(200);
    await phones.waitForMessage(second, ({ text }) => text === 'hello', PATIENCE_MS);
  });

  it('lets a held message leave on its own when its time has come', async () => {
    const to = await stranger();
    const held = await send(to, 'patience', true);
    expect(held.status).to.equal(202);
    const waitsMs = Date.parse(String(held.body.allowedAt)) - (await now());
    expect(waitsMs).to.be.within(23 * HOUR_MS, DAY_MS);
    await phones.advanceClock('23h');
    expect(await phones.messages(to)).to.deep.equal([]);
    await phones.advanceClock('1h');
    const message = await phones.waitForMessage(to, ({ text }) => text === 'patience', PATIENCE_MS);
    expect(message.messageId).to.equal(held.body.messageId);
    expect(message.timestamp * 1_000).to.be.closeTo(await now(), HOUR_MS);
  });

  it('ends a time lock when its time has passed', async () => {
    await phones.advanceClock('1d');
    const to = await stranger();
    const ends = (await now()) + 3 * DAY_MS;
    await phones.fault({ kind: 'reachout-lock', number: ALICE.number, ms: 3 * DAY_MS });
    const begun = await extraEventOf(receiver, 'account_status', ({ restricted }) => restricted);
    expect(Date.parse(begun.until)).to.be.closeTo(ends, HOUR_MS);
    const refused = await send(to, 'locked');
    expect(refused.status).to.equal(429);
    expect(refused.body.policy).to.include({ rule: 'reachoutLock', allowedAt: begun.until });
    const before = Date.parse(begun.timestamp);
    await phones.advanceClock('3d');
    const ended = await extraEventOf(
      receiver,
      'account_status',
      ({ restricted, timestamp }) => !restricted && Date.parse(timestamp) > before,
    );
    expect(Date.parse(ended.timestamp)).to.be.closeTo(ends, HOUR_MS);
    expect((await send(to, 'free')).status).to.equal(200);
  });

  it('passes ten days in seconds, on one connection', async () => {
    const { logins } = await phones.stats();
    const calls = receiver.calls.length;
    const before = await now();
    for (let day = 1; day <= 10; day += 1) {
      await phones.advanceClock('1d');
      expect(await health()).to.include({ status: 'connected', connected: true, reconnects: 0 });
      expect((await send(await stranger(), `day ${day}`)).status).to.equal(200);
      expect((await send(await stranger(), `day ${day}`)).status).to.equal(429);
    }
    expect((await now()) - before).to.be.within(10 * DAY_MS, 10 * DAY_MS + HOUR_MS);
    expect(await phones.stats()).to.include({ logins, conflicts: 0, dropped: 0 });
    const statuses = receiver.calls.slice(calls).filter(({ body }) => body.includes('"session_status"'));
    expect(statuses).to.deep.equal([]);
  });

  it('links another number weeks later, which sends files', async () => {
    await phones.advanceClock('40d');
    await linkSession({ phones, receiver, api, tail }, 'beta', CAROL);
    for (const [clientId, to] of [
      ['acme', CAROL.number],
      ['beta', ALICE.number],
    ] as const) {
      const form = new FormData();
      form.set('clientId', clientId);
      form.set('to', to);
      form.set('file', new Blob(['weeks later']), 'a.txt');
      const sent = await api.upload(`/send-media-message?clientId=${clientId}`, form);
      expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    }
  });

  it('dates events by the clock, and signatures by the machine', async () => {
    const { messageId } = await phones.write(await stranger(), { to: ALICE.number, text: 'what day is it?' });
    const event = await eventOf(receiver, messageId);
    expect(Date.parse(event.timestamp)).to.be.closeTo(await now(), HOUR_MS);
    const call = await receiver.find(({ body }) => body.includes(messageId));
    const { headers, body } = call;
    expect(verifyWebhook({ headers, body, token: WEBHOOK_TOKEN })).to.include({ type: 'text' });
  });

  it('repeats an interrupted send over the next connection', async () => {
    await phones.advanceClock('1d');
    const to = await stranger();
    for (const kind of ['drop-acks', 'drop-receipts']) await phones.fault({ kind, number: ALICE.number });
    const sent = send(to, 'under way');
    await phones.waitForMessage(to, ({ text }) => text === 'under way', PATIENCE_MS);
    await phones.advanceClock('1d');
    await phones.clearFaults();
    await phones.fault({ kind: 'disconnect', number: ALICE.number });
    const { status, body } = await sent;
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(await phones.messages(to)).to.have.length(1);
  });

  it('keeps a listener that is renewed every few seconds', async () => {
    const listener = await startReceiver();
    const wish = { clientId: 'acme', webhookUrl: listener.url, webhookToken: LISTENER_TOKEN, seconds: 300 };
    expect((await api.post('/listen-webhook', wish)).status).to.equal(200);
    await phones.advanceClock('1d');
    const { messageId } = await phones.write(await stranger(), {
      to: ALICE.number,
      text: 'still listening?',
    });
    await eventOf(listener, messageId);
    const again = await api.post('/listen-webhook', wish);
    expect(again.body.renewed).to.equal(true);
    expect(Date.parse(String(again.body.expiresAt))).to.be.closeTo((await now()) + 300_000, 250_000);
    await api.post('/unlisten-webhook', { clientId: 'acme', webhookToken: LISTENER_TOKEN });
    await listener.stop();
  });

  it('tries a durable delivery again as soon as its pause is over', async () => {
    await api.post('/set-webhook', { clientId: 'acme', webhookUrl: receiver.url, retry: 'durable' });
    receiver.respond(answering(503));
    const { messageId } = await phones.write(await stranger(), { to: ALICE.number, text: 'try again' });
    await eventOf(receiver, messageId);
    const statuses = () =>
      tail.entries.flatMap((entry) =>
        entry.kind === 'attempt' && entry.messageId === messageId ? [entry.status] : [],
      );
    // a minute at a time: after 72 hours the event would be given up
    const later = (what: string, holds: () => boolean) =>
      until(what, async () => {
        await phones.advanceClock('1m');
        return holds();
      });
    await later('eight attempts', () => statuses().length >= 8);
    receiver.respond(answering(200));
    await later('a delivery', () => statuses().includes(200));
  });

  it('does not turn its clock back at a restart', async () => {
    const to = await stranger();
    await phones.advanceClock('1d');
    expect((await send(to, 'before the restart')).status).to.equal(200);
    const [{ ahead }, before] = [await phones.clock(), await now()];
    await stopDaemon();
    await startDaemon();
    expect((await phones.clock()).ahead).to.equal(ahead);
    expect(await now()).to.be.at.least(before);
    const next = await stranger();
    // the network has said by then whether it restricts the number
    await until('the limit of new chats to refuse', async () => {
      const { status, body } = await send(next, 'too early');
      expect(status).to.equal(429);
      return JSON.stringify(body.policy).includes('"newChatsPerDay"');
    });
  });
});

describe('a daemon on a sandbox elsewhere, whose clock was moved', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
  });
  after(() => world.stop());

  it("links and receives, and keeps its machine's time", async () => {
    await world.phones.addPhone(CAROL);
    await world.phones.advanceClock('400d');
    await linkSession(world, 'acme', ALICE);
    const { messageId } = await world.phones.write(CAROL.number, {
      to: ALICE.number,
      text: 'from next year',
    });
    const { body } = await eventOf(world.receiver, messageId);
    expect(body).to.equal('from next year');
    const { body: health } = await world.api.get('/health/clients');
    const [row] = Array.isArray(health.clients) ? health.clients : [];
    expect(Date.parse(row.lastStanzaAt)).to.be.closeTo(Date.now(), HOUR_MS);
  });
});
