import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import { expect } from 'chai';
import { type MonotonicClock, systemClock } from '../../../../src/domain/clock.js';
import { answering, silent, startReceiver, type TestReceiver } from '../../../support/receiver.js';
import { startTcpProxy } from '../../../support/tcp-proxy.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { startWorld, TOKEN, type World } from '../../../support/world.js';
import { type Diagnosis, diagnose } from './support/diagnose.js';
import { selfSigned } from './support/self-signed.js';

/** The system clock, with timeouts for receivers divided by 20. */
const hastyClock: MonotonicClock = {
  now: () => systemClock.now(),
  monotonic: () => systemClock.monotonic(),
  after: (ms, callback) => systemClock.after(ms <= 15_000 ? ms / 20 : ms, callback),
};

describe('doctor, of webhooks', function () {
  // a dozen receivers, one of which keeps the daemon waiting
  this.timeout(120_000);
  let world: World;
  let folder: TempDir;
  let diagnosis: Diagnosis;
  let tls: Server;
  const receivers: TestReceiver[] = [];

  const receiver = async (...args: Parameters<typeof startReceiver>): Promise<string> => {
    const started = await startReceiver(...args);
    receivers.push(started);
    return `${started.url}/hook?key=secret`;
  };
  const redirecting = (response: Parameters<NonNullable<Parameters<typeof startReceiver>[0]>>[0]) => {
    response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end();
  };

  before(async () => {
    world = await startWorld({ overrides: { clock: hastyClock } });
    folder = await makeTempDir();
    const gone = await startTcpProxy('127.0.0.1', 1);
    await gone.stop();
    tls = createServer(selfSigned, (_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const address = tls.address();
    const tlsPort = typeof address === 'object' ? address?.port : 0;
    const urls: Record<string, string> = {
      well: await receiver(),
      token: await receiver(answering(401)),
      forbidden: await receiver(answering(403)),
      missing: await receiver(answering(404)),
      moved: await receiver(redirecting),
      picky: await receiver(answering(422)),
      broken: await receiver(answering(500)),
      slow: await receiver(silent),
      gone: `http://127.0.0.1:${gone.port}`,
      nowhere: 'http://nowhere.invalid',
      certificate: `https://127.0.0.1:${tlsPort}`,
    };
    for (const [clientId, webhookUrl] of Object.entries(urls)) {
      const body = { webhookUrl, webhookToken: 'a-token' };
      expect((await world.api.post(`/start?clientId=${clientId}`, body)).status, clientId).to.equal(200);
    }
    const webhookUrl = await receiver();
    await world.api.post('/start?clientId=unsigned', { webhookUrl });
    await world.api.post('/start?clientId=none', {});
    diagnosis = await look();
  });
  after(async () => {
    for (const each of receivers) await each.stop();
    tls.close();
    await world.stop();
    await folder.remove();
  });

  const look = (session?: string) =>
    diagnose({ url: world.daemon.url, token: TOKEN, dataDir: folder.path, session });

  const expected: Record<string, string | undefined> = {
    well: undefined,
    none: undefined,
    token: 'webhook-unauthorized',
    forbidden: 'webhook-unauthorized',
    missing: 'webhook-not-found',
    moved: 'webhook-redirect',
    picky: 'webhook-rejects',
    broken: 'webhook-error',
    slow: 'webhook-slow',
    gone: 'webhook-refused',
    nowhere: 'webhook-unknown-host',
    certificate: 'webhook-certificate',
    unsigned: 'webhook-unsigned',
  };
  for (const [session, trouble] of Object.entries(expected)) {
    it(`reports ${trouble ?? 'nothing'} for the webhook of "${session}"`, () => {
      const found = diagnosis.of('webhook', session);
      expect(found.trouble).to.equal(trouble);
      expect(JSON.stringify(found)).not.to.contain('secret');
    });
  }

  it('does not count the failure of its own test event', () => {
    expect(diagnosis.of('deliveries', 'missing').level).to.equal('ok');
  });

  it('leaves no failed delivery of its test events behind', async () => {
    const next = await look('missing');
    expect(next.of('deliveries', 'missing').level).to.equal('ok');
  });

  it('finds sessions that were never paired', () => {
    expect(diagnosis.of('session', 'well')).to.include({ level: 'warning', trouble: 'session-unpaired' });
  });
});
