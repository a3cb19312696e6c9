import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import type { DestinationStream } from 'pino';
import { Pool } from 'undici';
import { createLog } from '../../src/gateway/log.js';
import {
  ALICE,
  BOB,
  CAROL,
  linkSession,
  startWorld,
  TOKEN,
  WEBHOOK_TOKEN,
  type World,
} from '../support/world.js';
import { type Answer, describeCase, faultOf, isErrorBody, textOf } from './support/answers.js';
import { CANARY, type HttpCase, type HttpWorld, makeHttpCase } from './support/http-cases.js';
import { FuzzRun, Prng, usedHeap } from './support/values.js';

const RUN = new FuzzRun(10_000);
const AT_ONCE = 24;
/** Callers: after some wrong tokens, the answers to an address are slowed down. */
const CALLERS = 250;
/** A test event is answered after its last of four attempts, of up to 15 seconds each. */
const HEADERS_TIMEOUT_MS = 120_000;
/** Cases after which memory is measured for the first time. */
const WARM_UP = 1_000;
/** Bytes that may stay behind: stored and bounded things (messages on phones, the tail, failed deliveries). */
const MAX_GROWTH = 64 * 1024 * 1024;
const SECRET = 'per-session-secret-of-the-bystander';
/** No answer may have one of them. */
const SECRETS = [TOKEN, CANARY, SECRET, WEBHOOK_TOKEN];

describe('the API under random requests', function () {
  this.timeout(400_000);
  let world: World;
  let pools: Pool[];
  let cases: HttpWorld;
  const errors: string[] = [];

  before(async () => {
    const destination: DestinationStream = { write: (line) => errors.push(line) };
    const log = createLog({ level: 'error', pretty: false, destination });
    world = await startWorld({ overrides: { log } });
    await linkSession(world, 'bystander', ALICE);
    await world.phones.addPhone(BOB);
    await linkSession(world, 'fuzzed', CAROL);
    await world.api.post('/set-api-secret', { clientId: 'bystander', secret: SECRET });
    const { body } = await world.api.get('/config');
    const routes = Array.isArray(body.routes) ? body.routes.map(String) : [];
    cases = {
      routes,
      token: TOKEN,
      linked: 'fuzzed',
      secret: SECRET,
      number: BOB.number,
      receiverUrl: world.receiver.url,
    };
    pools = Array.from({ length: CALLERS }, (_, index) => {
      // elsewhere the loopback network has one address
      const connect = process.platform === 'linux' ? { localAddress: `127.0.1.${index + 1}` } : {};
      return new Pool(world.daemon.url, { connections: 1, headersTimeout: HEADERS_TIMEOUT_MS, connect });
    });
  });
  after(async () => {
    await Promise.all(pools.map((pool) => pool.destroy()));
    await world.stop();
  });

  const bystander = async () => {
    const { body } = await world.api.get('/health/clients');
    const rows = Array.isArray(body.clients) ? body.clients : [];
    return rows.find(({ clientId }) => clientId === 'bystander');
  };

  /** The bystander sends and receives, end to end. */
  async function proveBystander(round: string): Promise<void> {
    const sent = await world.api.post('/send-message', {
      clientId: 'bystander',
      to: BOB.number,
      body: round,
    });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    await world.phones.waitForMessage(BOB.number, ({ messageId }) => messageId === sent.body.messageId);
    const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: round });
    await world.receiver.find(({ body }) => body.includes(messageId));
  }

  async function ask(request: HttpCase): Promise<Answer> {
    const [pool] = pools.splice(0, 1);
    if (!pool) throw new Error('there are fewer callers than requests at once');
    pools.push(pool);
    const answer = await pool.request(request);
    const contentType = String(answer.headers['content-type'] ?? '');
    if (contentType.startsWith('text/event-stream')) {
      answer.body.on('error', () => undefined).destroy();
      return { status: answer.statusCode, contentType, text: '' };
    }
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    return {
      status: answer.statusCode,
      contentType,
      text: textOf(bytes, answer.headers['content-encoding']),
    };
  }

  const unreadable: [string, string | Buffer, number][] = [
    ['an invalid request line', 'HELLO\r\n\r\n', 400],
    ['an unknown method', 'FUZZ /config HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a TLS hello', Buffer.from('16030100c8010000c403', 'hex'), 400],
    ['a NUL in a header', 'GET /config HTTP/1.1\r\nHost: x\r\nA: \0\r\n\r\n', 400],
    [
      'two content lengths',
      'POST /start HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n',
      400,
    ],
    [
      'headers that are too large',
      `GET /config HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
  ];
  for (const [what, bytes, status] of unreadable) {
    it(`answers ${what} in the form of every other error`, async () => {
      const { hostname, port } = new URL(world.daemon.url);
      const socket = connect(Number(port), hostname);
      socket.write(bytes);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      expect(head).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(isErrorBody(body), body).to.equal(true);
    });
  }

  it(`gives only documented answers to ${RUN.cases} requests, and disturbs no other caller`, async () => {
    RUN.announce('HTTP');
    const before = await bystander();
    const statuses = new Map<string, number>();
    let next = 0;
    let baseline = 0;
    const run = async (until: number) => {
      while (next < until) {
        const index = next++;
        const request = makeHttpCase(Prng.forCase(RUN.seed, index), cases);
        const answer = await ask(request).catch((error: unknown) => {
          throw new Error(`${describeCase(index, request)} got no answer: ${String(error)}`, {
            cause: error,
          });
        });
        const fault = faultOf(request, answer, SECRETS);
        if (fault)
          throw new Error(
            `${fault}: ${describeCase(index, request)} → ${answer.status} ${answer.text.slice(0, 500)}`,
          );
        const status = String(answer.status);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    };
    const inParallel = (until: number) => Promise.all(Array.from({ length: AT_ONCE }, () => run(until)));
    for (const part of [0, 0.25, 0.5, 0.75, 1]) {
      const until = Math.floor(WARM_UP + (RUN.cases - WARM_UP) * part);
      await Promise.all([inParallel(until), proveBystander(`round ${part}`)]);
      if (part === 0) baseline = usedHeap();
    }
    await proveBystander('at the end');
    expect(await bystander()).to.include({ status: 'connected', reconnects: before.reconnects });
    expect(errors.join('')).to.equal('');
    expect([...statuses.keys()]).to.include.members(['200', '400', '401', '403', '404', '413', '415']);
    expect(usedHeap() - baseline).to.be.below(MAX_GROWTH);
  });
});
