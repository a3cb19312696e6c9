import { expect } from 'chai';
import type { DestinationStream } from 'pino';
import { createLog } from '../../src/gateway/log.js';
import { TailReader } from '../support/tail-reader.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

const SECRET = 'secret-of-the-session-acme';
const PASSWORD = 'p%40ss%2Fword';
const BASIC = `Basic ${Buffer.from('user:p@ss/word').toString('base64')}`;

describe('user and password in the address of a receiver', () => {
  let world: World;
  /** The address, as its owner writes it, and as others see it. */
  let whole: string;
  let shown: string;
  const lines: string[] = [];

  before(async () => {
    const destination: DestinationStream = { write: (line) => lines.push(line) };
    const log = createLog({ level: 'trace', pretty: false, destination });
    world = await startWorld({ overrides: { log } });
    await world.phones.addPhone(BOB);
    whole = world.receiver.url.replace('://', `://user:${PASSWORD}@`);
    shown = world.receiver.url.replace('://', '://***@');
    await linkSession(world, 'acme', ALICE, {
      webhookUrl: `${whole}/hook?a=1`,
      webhookToken: '',
      pollLookupUrl: `${whole}/polls`,
    });
    await world.api.post('/set-api-secret', { clientId: 'acme', secret: SECRET });
  });
  after(() => world.stop());

  const set = (settings: object) => world.api.post('/set-webhook', { clientId: 'acme', ...settings });

  /** The header of the call that tells of one more message. */
  async function calledWith(): Promise<string | undefined> {
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'hello' });
    const { headers } = await world.receiver.find(({ body }) => body.includes(messageId));
    return headers.authorization;
  }

  it('are sent with each call, unless the receiver has a token', async () => {
    expect(await calledWith()).to.equal(BASIC);
    await set({ webhookUrl: `${whole}/hook?a=1`, webhookToken: 'a-token' });
    expect(await calledWith()).to.equal('Bearer a-token');
    await set({ webhookUrl: `${whole}/hook?a=1`, webhookToken: '' });
  });

  it('never appear in an answer, an event or a log line', async () => {
    const added = await world.api.post('/receivers', { clientId: 'acme', url: `${whole}/second` });
    expect(added.body).to.have.nested.property('receiver.url', `${shown}/second`);
    const tail = await new TailReader().open(world.api.url, TOKEN);
    await calledWith();
    await tail.next(({ kind }) => kind === 'attempt');
    for (const path of ['/clients', '/fleet', '/health/clients', '/receivers?clientId=acme', '/config']) {
      for (const api of [world.api, world.api.as(SECRET)]) {
        const text = JSON.stringify((await api.get(path)).body);
        expect(text, path).to.not.include(PASSWORD);
        if (path === '/clients') expect(text).to.include(`${shown}/hook?a=1`);
      }
    }
    expect(JSON.stringify(tail.entries)).to.not.include(PASSWORD);
    await tail.close();
    expect(lines).to.not.have.lengthOf(0);
    expect(lines.join('')).to.not.include(PASSWORD);
    await world.api.post('/receivers/remove', { clientId: 'acme', id: '2' });
  });

  it('are kept when the shown address is set again, also with another path', async () => {
    const again = await set({ webhookUrl: `${shown}/other`, pollLookupUrl: `${shown}/polls` });
    expect([again.status, again.body.webhookUrl]).to.deep.equal([200, `${shown}/other`]);
    expect(await calledWith()).to.equal(BASIC);
    const started = await world.api.post('/start?clientId=acme', { webhookUrl: `${shown}/third` });
    expect(started.status).to.equal(200);
    expect(await calledWith()).to.equal(BASIC);
  });

  it('are never sent to another host, and an address that would lose them is refused', async () => {
    const elsewhere = [
      shown.replace('127.0.0.1', 'example.com'),
      shown.replace(/:(\d+)$/, ':1'),
      shown.replace('http:', 'https:'),
    ];
    for (const webhookUrl of elsewhere) {
      for (const answer of [
        await set({ webhookUrl }),
        await world.api.post('/start?clientId=acme', { webhookUrl }),
      ]) {
        expect([answer.status, answer.body.error]).to.deep.equal([
          400,
          'webhookUrl: *** keeps the stored user and password only for the same scheme, host and port; write user and password out',
        ]);
      }
    }
    const fresh = await world.api.post('/start?clientId=fresh', { webhookUrl: `${shown}/hook` });
    expect(fresh.status).to.equal(400);
    expect(await calledWith()).to.equal(BASIC);
  });
});
