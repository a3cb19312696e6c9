import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import sharp from 'sharp';
import { Attacker } from '../support/attacker.js';
import { type Api, BOB, CAROL, linkSession, startKillableWorld, type World } from '../support/world.js';

const SECRET = 'secret-of-the-hostile-tenant';
/** Texts, and as many pictures, that the other tenant sends during the attack. */
const SENDS = 10;
/** Bytes by which the memory of the daemon may grow. Without limits it grew by more than 1.1 GB. */
const MAX_GROWTH = 400 * 1024 * 1024;

// `npm run bench -- tenants` measures how much slower the other tenant gets
describe('a tenant that overloads the gateway', function () {
  this.timeout(600_000);
  let world: World;
  let picture: Buffer;

  before(async () => {
    world = await startKillableWorld();
    await linkSession(world, 'hostile', CAROL);
    await world.api.post('/set-api-secret', { clientId: 'hostile', secret: SECRET });
    const create = { width: 1, height: 1, channels: 3, background: 'red' } as const;
    picture = await sharp({ create }).png().toBuffer();
  });
  after(() => world.stop());

  it('does not disturb the sends, the live stream and the memory of other tenants, and is told to wait', async () => {
    for (const send of [sendText, sendPicture]) expect((await send(world.api)).status).to.equal(200);
    const before = residentBytes();
    const { url } = world.api;
    const attacker = new Attacker({ url, secret: SECRET, clientId: 'hostile', to: BOB.number });
    attacker.begin();
    const sent: string[] = [];
    for (let count = 0; count < SENDS; count++) {
      for (const send of [sendText, sendPicture]) {
        const { status, body } = await send(world.api);
        expect(status, JSON.stringify(body)).to.equal(200);
        sent.push(String(body.messageId));
      }
    }
    const growth = residentBytes() - before;
    const { statuses, withoutRetryAfter } = await attacker.end();
    const seen = JSON.stringify(statuses);
    expect(statuses.texts, seen).to.include.keys('200', '429');
    expect(statuses.films, seen).to.include.keys('200');
    expect(statuses.streams, seen).to.include.keys('429');
    expect(statuses['wrong tokens'], seen).to.include.keys('401');
    expect(withoutRetryAfter, seen).to.equal(0);
    expect(growth).to.be.lessThan(MAX_GROWTH);
    // the operator's stream, which was open all the time
    for (const messageId of sent) {
      await world.tail.next(
        (entry) =>
          entry.kind === 'event' && 'messageId' in entry.event && entry.event.messageId === messageId,
      );
    }
  });

  const sendText = (api: Api) =>
    api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'Hello' });

  function sendPicture(api: Api) {
    const form = new FormData();
    form.set('clientId', 'acme');
    form.set('to', BOB.number);
    form.set('file', new Blob([picture], { type: 'image/png' }), 'dot.png');
    return api.upload('/send-media-message?clientId=acme', form);
  }

  /** Of the daemon's process; 0 where the system does not tell. */
  function residentBytes(): number {
    if (process.platform !== 'linux') return 0;
    const status = readFileSync(`/proc/${world.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
  }
});
