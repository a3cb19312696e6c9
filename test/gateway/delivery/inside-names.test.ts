import dns from 'node:dns';
import { once } from 'node:events';
import { syncBuiltinESMExports } from 'node:module';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../../src/domain/clock.js';
import { PollLookups } from '../../../src/gateway/delivery/poll-lookup.js';
import { readTarget, WebhookClient } from '../../../src/gateway/delivery/webhook.js';
import { createLog } from '../../../src/gateway/log.js';
import { Media } from '../../../src/gateway/services/files/media.js';
import { Spool } from '../../../src/gateway/services/files/spool.js';
import { UrlFetcher } from '../../../src/gateway/services/files/url-fetcher.js';
import { inWords } from '../../support/reasons.js';
import { makeTempDir, type TempDir } from '../../support/temp-dir.js';

const HOST = 'inside.example';
const QUESTION = { clientId: 'acme', chatRoomId: 'acme-1-2', pollMessageId: '3EB0AA' };

/** The resolver of the whole process: each door asks it in its own way. */
describe('a host name that resolves to a private address', () => {
  let server: Server;
  let port: number;
  let connections: number;
  let asked: number;
  let folder: TempDir;
  const { lookup } = dns;

  before(async () => {
    folder = await makeTempDir();
    server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address: AddressInfo | string | null = server.address();
    port = typeof address === 'object' && address ? address.port : 0;
    const played: typeof dns.lookup = Object.assign((host: string, ...rest: unknown[]) => {
      if (host !== HOST) return Reflect.apply(lookup, dns, [host, ...rest]);
      asked += 1;
      const callback = rest.at(-1);
      if (typeof callback !== 'function') throw new Error('unreachable: it has a callback');
      process.nextTick(callback, null, [{ address: '127.0.0.1', family: 4 }]);
    }, lookup);
    dns.lookup = played;
    syncBuiltinESMExports();
  });
  after(async () => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
    server.close();
    await folder.remove();
  });
  beforeEach(() => {
    connections = 0;
    asked = 0;
  });
  /** The door asked once, and connected to nothing. */
  afterEach(() => {
    expect({ asked, connections }).to.deep.equal({ asked: 1, connections: 0 });
  });

  it('is not called as a webhook', async () => {
    const client = new WebhookClient({
      clock: systemClock,
      signing: systemClock,
      allowPrivate: false,
      connections: 1,
    });
    const target = readTarget(`http://${HOST}:${port}/hook`);
    if (!target) throw new Error('unreachable: it is an address');
    const facts = { token: 'token', deliveryId: '01', type: 'text', attempt: 1, body: Buffer.from('{}') };
    const { outcome, reason } = inWords(await client.post(target, facts));
    expect(outcome).to.equal('rejected');
    expect(reason).to.contain('127.0.0.1');
    await client.destroy();
  });

  it('is not asked for the options of a poll', async () => {
    const lookups = new PollLookups({ allowPrivate: false, clock: systemClock });
    const answer = await lookups.ask({ url: `http://${HOST}:${port}/polls`, token: '' }, QUESTION);
    expect(answer).to.have.property('reason').that.contains('127.0.0.1');
    await lookups.destroy();
  });

  it('is not opened for the preview of a link', async () => {
    const log = createLog({ level: 'silent', pretty: false });
    const media = new Media({ spoolDir: folder.path, allowPrivate: false, clock: systemClock, log });
    await media.start();
    expect(await media.preview('acme', `https://${HOST}:${port}/`)).to.equal(undefined);
    await media.stop();
  });

  it('is not opened to fetch a file', async () => {
    const spool = new Spool(folder.path);
    await spool.start();
    const fetcher = new UrlFetcher({ allowPrivate: false, spool, clock: systemClock });
    const error = await fetcher
      .fetch('acme', `https://${HOST}:${port}/file`)
      .catch((reason: unknown) => reason);
    expect(error).to.be.an('error').with.property('code', 'invalid_request');
    await fetcher.stop();
  });
});
