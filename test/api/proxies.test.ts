import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { createLog } from '../../src/gateway/log.js';
import { startHttpProxy, startSocksProxy, type TestProxy } from '../support/proxies.js';
import { eventOf } from '../support/receiver.js';
import { ALICE, type ApiAnswer, BOB, CAROL, linkSession, startWorld, type World } from '../support/world.js';

const PASSWORD = 'pr0xy-pass w:rd@';
const FLOOR = '2.3000.1900000000';
/** The addresses that connections come from: the daemon's own, and those of the proxies. */
const DAEMON = '127.0.0.1';
const [FIRST, SECOND, THIRD] = ['127.0.0.21', '127.0.0.22', '127.0.0.23'];
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe('sessions behind proxies', () => {
  let world: World;
  let first: TestProxy;
  let second: TestProxy;
  let third: TestProxy;
  /** Direct connections of the daemon before the first session is linked. */
  let atStart = 0;
  const lines: string[] = [];
  /** Emits `file` when the log says that a proxy did not let a file through. */
  const failures = new EventEmitter();

  before(async () => {
    const write = (line: string) => {
      lines.push(line);
      if (line.includes('"code":"proxy_failed"')) failures.emit('file');
    };
    const log = createLog({ level: 'trace', pretty: false, destination: { write } });
    // the wire stands before the network and counts connections of every kind
    world = await startWorld({ wire: true, overrides: { log } });
    first = await startSocksProxy({ user: 'alice', password: PASSWORD, from: FIRST });
    second = await startHttpProxy({ user: 'carol', password: PASSWORD, from: SECOND });
    third = await startHttpProxy({ from: THIRD });
    await world.phones.addPhone(BOB);
    await world.phones.update(BOB.number, { picture: PICTURE });
    atStart = world.wire.sources.length;
    await linkSession(world, 'acme', ALICE, { proxy: first.url });
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    await linkSession(world, 'other', CAROL, { proxy: second.url });
  });

  after(async () => {
    await world.stop();
    for (const proxy of [first, second, third]) await proxy.stop();
  });

  afterEach(() => first.refuseNew(false));

  const count = (source: string) => world.wire.sources.filter((each) => each === source).length;
  /** Of a session, as `/health/clients` shows it. */
  const health = async (clientId: string): Promise<Record<string, unknown>> => {
    const { body } = await world.api.get('/health/clients');
    const rows: Record<string, unknown>[] = Array.isArray(body.clients) ? body.clients : [];
    return rows.find((row) => row.clientId === clientId) ?? {};
  };
  /** Resolves when the session is as wanted; it is looked at after each change of a status or its reason. */
  const until = (clientId: string, fits: (row: Record<string, unknown>) => boolean) =>
    world.tail.until(
      (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
      async () => fits(await health(clientId)),
    );
  const sendText = (clientId: string) =>
    world.api.post('/send-message', { clientId, to: BOB.number, body: `from ${clientId}` });
  /** Resolves when the file is in the library too: it is fetched from the network, over the session's proxy of that moment. */
  async function sendFile(clientId: string): Promise<ApiAnswer> {
    const form = new FormData();
    form.set('clientId', clientId);
    form.set('to', BOB.number);
    form.set('file', new Blob([Buffer.alloc(20_000, 7)], { type: 'application/pdf' }), 'a.pdf');
    const answer = await world.api.upload(`/send-media-message?clientId=${clientId}`, form);
    if (answer.status !== 200) return answer;
    const { downloadUrl } = (await eventOf(world.receiver, String(answer.body.messageId))).media ?? {};
    expect((await (await fetch(String(downloadUrl))).arrayBuffer()).byteLength).to.equal(20_000);
    return answer;
  }
  async function rowOf(path: string, list: string, clientId: string): Promise<Record<string, unknown>> {
    const { body } = await world.api.get(path);
    const rows: Record<string, unknown>[] = Array.isArray(body[list]) ? body[list] : [];
    return rows.find((row) => row.clientId === clientId) ?? {};
  }

  it('a session behind a proxy is linked, sends, receives, moves files and looks people up without a connection beside the proxy', async () => {
    const direct = count(DAEMON);
    expect(direct).to.equal(atStart);
    expect((await sendText('acme')).status).to.equal(200);
    const sent = await sendFile('acme');
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const media = { kind: 'document' as const, mimeType: 'application/pdf', size: 5_000, fileName: 'b.pdf' };
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, media });
    const { downloadUrl } = (await eventOf(world.receiver, messageId)).media ?? {};
    expect((await (await fetch(String(downloadUrl))).arrayBuffer()).byteLength).to.equal(5_000);
    const picture = await world.api.get(`/profile-picture?clientId=acme&jid=%2B${BOB.number.slice(1)}`);
    expect(picture.body.mirrored).to.equal(true);
    await world.api.post('/user-info', { clientId: 'acme', jid: BOB.number });
    await world.api.post('/check-owner-lid', { clientId: 'acme', number: '15550000099' });
    expect(count(DAEMON)).to.equal(direct);
    expect(count(FIRST)).to.be.at.least(3);
    const purposes = (await world.phones.visits()).map(({ purpose }) => purpose);
    expect(new Set(purposes)).to.deep.equal(new Set(['chat', 'media']));
  });

  it('two sessions of one daemon each connect through their own proxy', async () => {
    const [direct, before] = [count(DAEMON), { first: count(FIRST), second: count(SECOND) }];
    await world.phones.fault({ kind: 'disconnect', count: 2 });
    await until('acme', (row) => row.status === 'connected' && Number(row.reconnects) > 0);
    await until('other', (row) => row.status === 'connected' && Number(row.reconnects) > 0);
    expect(count(FIRST)).to.be.greaterThan(before.first);
    expect(count(SECOND)).to.be.greaterThan(before.second);
    expect(count(DAEMON)).to.equal(direct);
  });

  it('a session shows kind, host and port of its proxy, and nobody sees its password', async () => {
    const shown = { kind: 'socks5', host: DAEMON, port: first.port };
    expect((await rowOf('/clients', 'clients', 'acme')).proxy).to.deep.equal(shown);
    expect((await rowOf('/fleet', 'sessions', 'acme')).proxy).to.deep.equal(shown);
    expect((await world.api.get('/config')).body.proxy).to.equal(true);
    expect((await world.api.get('/health/ready')).body.proxy).to.equal(true);
    const again = await world.api.post('/set-proxy', { clientId: 'acme', proxy: first.url });
    expect(again.body).to.deep.equal({ ok: true, clientId: 'acme', proxy: shown });
  });

  it('a proxy that dies is named as the reason, and the session returns through it', async () => {
    const direct = count(DAEMON);
    await first.stop();
    await until('acme', (row) =>
      /^The proxy cannot be reached\. Nothing .* goes around it/.test(String(row.reason)),
    );
    expect(await health('acme')).to.include({ status: 'reconnecting', connected: false });
    expect((await health('acme')).lastDisconnect).to.match(/^The proxy cannot be reached/);
    expect((await health('other')).status).to.equal('connected');
    await first.start();
    await until('acme', (row) => row.status === 'connected');
    expect((await health('acme')).reason).to.equal('');
    expect((await sendText('acme')).status).to.equal(200);
    expect(count(DAEMON)).to.equal(direct);
  });

  it('a proxy that breaks during an upload fails the send with a readable reason', async () => {
    const direct = count(DAEMON);
    first.refuseNew(true);
    const { status, body } = await sendFile('acme');
    first.refuseNew(false);
    expect(status).to.equal(502);
    expect(body.error).to.match(/^The proxy did not open the connection .* nothing was sent/);
    expect((await sendFile('acme')).status).to.equal(200);
    expect(count(DAEMON)).to.equal(direct);
  });

  it('a file that the proxy does not let through is fetched once the proxy works again', async () => {
    const direct = count(DAEMON);
    // no idle connection to the media host remains
    const { reconnects } = await health('acme');
    await first.stop();
    await first.start();
    await until('acme', (row) => row.status === 'connected' && Number(row.reconnects) > Number(reconnects));
    first.refuseNew(true);
    const media = { kind: 'document' as const, mimeType: 'application/pdf', size: 7_000, fileName: 'c.pdf' };
    const refused = once(failures, 'file');
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, media });
    await refused;
    const { downloadUrl } = (await eventOf(world.receiver, messageId)).media ?? {};
    first.refuseNew(false);
    await world.api.post('/reconnect', { clientId: 'acme' });
    expect((await (await fetch(String(downloadUrl))).arrayBuffer()).byteLength).to.equal(7_000);
    expect(count(DAEMON)).to.equal(direct);
  });

  it('the version look-up for a refused session goes through the proxy of that session', async () => {
    const direct = count(DAEMON);
    await world.phones.changeNetwork({ minVersion: FLOOR });
    await world.api.post('/reconnect', { clientId: 'acme' });
    await until('acme', (row) => row.status === 'connected');
    expect((await world.phones.stats()).versionLookups).to.equal(1);
    expect(count(DAEMON)).to.equal(direct);
  });

  it('a session whose proxy changes connects again through the new one, and directly when it has none', async () => {
    const old = count(FIRST);
    const changed = await world.api.post('/set-proxy', { clientId: 'acme', proxy: third.url });
    expect(changed.body.proxy).to.deep.equal({ kind: 'http', host: DAEMON, port: third.port });
    await until('acme', (row) => row.status === 'connected');
    expect((await sendFile('acme')).status).to.equal(200);
    expect(count(THIRD)).to.be.greaterThan(1);
    expect(count(FIRST)).to.equal(old);
    const wrong = third.url
      .replace('127', 'alice:wr0ng@127')
      .replace(String(third.port), String(second.port));
    await world.api.post('/set-proxy', { clientId: 'acme', proxy: wrong });
    await until('acme', (row) => /did not accept the user name and password/.test(String(row.reason)));
    const direct = count(DAEMON);
    expect((await world.api.post('/set-proxy', { clientId: 'acme', proxy: null })).body).to.deep.equal({
      ok: true,
      clientId: 'acme',
    });
    await until('acme', (row) => row.status === 'connected');
    const after = count(DAEMON);
    expect(after).to.be.greaterThan(direct);
    // `/start` sets it before it connects
    await world.api.post('/start?clientId=acme', { proxy: first.url });
    await until('acme', (row) => row.status === 'connected');
    expect(count(DAEMON)).to.equal(after);
    expect(count(FIRST)).to.be.greaterThan(old);
  });

  it('a restarted daemon keeps the proxies', async () => {
    const [direct, before] = [count(DAEMON), { first: count(FIRST), second: count(SECOND) }];
    await world.restartDaemon();
    await until('acme', (row) => row.status === 'connected');
    await until('other', (row) => row.status === 'connected');
    expect(count(FIRST)).to.be.greaterThan(before.first);
    expect(count(SECOND)).to.be.greaterThan(before.second);
    // a daemon reads the root key of a sandbox when it starts
    expect(count(DAEMON)).to.be.at.most(direct + 1);
  });

  it('a wrong proxy is refused with the field and the rule, and only the master token may set one', async () => {
    const set = (proxy: unknown) => world.api.post('/set-proxy', { clientId: 'acme', proxy });
    for (const [proxy, rule] of [
      ['ftp://alice:s3cret@proxy.example.com', /^proxy: its scheme must be http, https or socks5/],
      ['socks5://alice:s3cret@:1080', /^proxy: its host must be a name or an IP address/],
      ['http://alice:s3cret@proxy.example.com:70000', /^proxy: its port must be a number from 1 to 65535/],
      ['http://alice:s3cret@proxy.example.com/path', /^proxy: it must end after the port/],
    ] as const) {
      const { status, body } = await set(proxy);
      expect(status).to.equal(400);
      expect(body.error).to.match(rule).and.not.include('s3cret');
    }
    const secret = 'secret-of-acme-0123456789';
    await world.api.post('/set-api-secret', { clientId: 'acme', secret });
    const confined = world.api.as(secret);
    expect((await confined.post('/set-proxy', { clientId: 'acme', proxy: null })).status).to.equal(403);
    expect((await confined.post('/start?clientId=acme', { proxy: null })).status).to.equal(403);
    expect((await confined.post('/start?clientId=acme')).status).to.equal(200);
  });

  it('no answer, no event and no line of the log contains the password of a proxy', async () => {
    const answers = await Promise.all(
      ['/clients', '/fleet', '/config', '/health/clients', '/metrics'].map(async (path) => {
        const response = await fetch(new URL(path, world.api.url), {
          headers: { authorization: 'Bearer test-master-token-0123456789' },
        });
        return response.text();
      }),
    );
    const told = [...answers, ...lines, JSON.stringify(world.tail.entries)].join('\n');
    expect(told).to.include('"clientId":"acme"');
    for (const secret of ['pr0xy-pass', 'wr0ng', Buffer.from(`carol:${PASSWORD}`).toString('base64')]) {
      expect(told).not.to.include(secret);
    }
  });
});
