import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { ALICE, BOB, linkSession, startWorld, TOKEN, type World } from '../support/world.js';

/** Messages that wait; all of them are judged after a start. HELD_SENDS=100000 for the most that the setting permits. */
const COUNT = Number(process.env.HELD_SENDS ?? (MONGODB_URL ? 2_000 : 4_000));
/** Bytes by which a daemon's memory may grow with what the test does, and for each message that waits. */
const BASE_BYTES = 256 * 1024 * 1024;
const BYTES_EACH = 2_048;
const PAGE = 1_000;
const HOUR_MS = 60 * 60_000;

/** Quiet hours that began an hour ago and end in eleven hours: nothing leaves. */
function quietNow(): string {
  const at = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);
  return `{ from: "${at(-1)}", to: "${at(11)}", timeZone: UTC, holds: all messages }`;
}

describe(`a session with ${COUNT} held messages`, function () {
  this.timeout(1_200_000);
  let world: World;
  let folder: TempDir;
  const toOf = (index: number) => `${91_000_000_000_000 + index}@lid`;
  const idOf = (index: number) => `3EB0${index.toString(16).toUpperCase().padStart(18, '0')}`;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(
      policy,
      `mode: enforce\ndefault: quiet\npolicies: { quiet: { quietHours: ${quietNow()} } }\n`,
    );
    world = await startWorld({ process: true, settings: { policy, heldSends: COUNT } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  async function rss(): Promise<number> {
    const headers = { authorization: `Bearer ${TOKEN}` };
    const text = await (await fetch(`${world.api.url}/metrics`, { headers })).text();
    return Number(/^process_resident_memory_bytes\{?.*\s(\S+)$/m.exec(text)?.[1]);
  }

  async function held(): Promise<number> {
    const { body } = await world.api.get('/fleet?clientId=acme');
    const [session] = Array.isArray(body.sessions) ? body.sessions : [];
    return Number(session?.held ?? 0);
  }

  /** The longest answer of /health/live while something goes on, in milliseconds. */
  async function slowest<T>(work: Promise<T>): Promise<{ result: T; ms: number }> {
    let isOver = false;
    let longest = 0;
    const watch = async () => {
      while (!isOver) {
        const from = performance.now();
        await (await fetch(`${world.api.url}/health/live`)).text();
        longest = Math.max(longest, performance.now() - from);
        await delay(10);
      }
    };
    const watching = watch();
    try {
      return { result: await work, ms: Math.round(longest) };
    } finally {
      isOver = true;
      await watching;
    }
  }

  it('judges, lists and cancels the messages, holds one more, and answers other requests meanwhile', async () => {
    const before = await rss();
    await world.stopDaemon();
    await world.inspect(async ({ sends, sessions }) => {
      const from = (await sessions.get('acme'))?.jid.replace(/[:@].*/, '') ?? '';
      for (let index = 0; index < COUNT - 1; index++) {
        const to = toOf(index);
        const heldAt = Date.now() - COUNT + index;
        const request = { clientId: 'acme', to, body: `text ${index}`, whenAllowed: true };
        const waits = {
          route: '/send-message',
          request,
          heldAt,
          rule: 'quietHours',
          allowedAt: heldAt,
          from,
        };
        await sends.put('acme', {
          ...{ messageId: idOf(index), to, content: new Uint8Array(), metaData: '', fileName: '' },
          ...{ counted: 'nothing', sentAt: heldAt, acknowledged: false, closed: true },
          held: JSON.stringify(waits),
        });
      }
    });
    const figures: Record<string, number> = {};
    const step = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const from = performance.now();
      const { result, ms } = await slowest(work());
      figures[`${name} ms`] = Math.round(performance.now() - from);
      figures[`${name}, slowest answer ms`] = ms;
      return result;
    };
    await world.startDaemon();
    await step('connected and judged', async () => {
      await world.connected('acme');
      await until('all are judged', async () => (await judged()) === COUNT - 1, 600_000);
    });
    expect(await held()).to.equal(COUNT - 1);
    await step('listed', async () => {
      let after = '';
      let seen = 0;
      do {
        const page = await world.api.get(`/outbox?clientId=acme&limit=${PAGE}${after && `&after=${after}`}`);
        seen += Array.isArray(page.body.messages) ? page.body.messages.length : 0;
        after = String(page.body.next ?? '');
      } while (after);
      expect(seen).to.equal(COUNT - 1);
    });
    await step('an inbound message is announced', async () => {
      const { messageId } = await world.phones.write(BOB.number, { to: ALICE.number, text: 'hello' });
      await world.receiver.find(({ body }) => body.includes(messageId));
    });
    const hold = (body: string) =>
      world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body, whenAllowed: true });
    await step('one more is held', async () => expect((await hold('last')).status).to.equal(202));
    const full = await step('one too many is refused', () => hold('too many'));
    expect([full.status, full.headers.get('x-sn-error')]).to.deep.equal([429, 'held_sends_full']);
    await step('100 are cancelled', async () => {
      for (let index = 0; index < 100; index++) {
        const answer = await world.api.post('/outbox/cancel', { clientId: 'acme', messageId: idOf(index) });
        expect(answer.status).to.equal(200);
      }
    });
    await step('another workspace judges all anew', async () => {
      await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
      // comes after the judgements
      const message = { to: toOf(200), messageId: idOf(200), fromMe: true, mode: 'everyone' };
      const deleted = await world.api.post('/delete-message', { clientId: 'acme', ...message });
      expect(deleted.status, JSON.stringify(deleted.body)).to.equal(200);
    });
    figures['MiB more'] = Math.round(((await rss()) - before) / 1024 / 1024);
    process.stdout.write(`    ${JSON.stringify(figures)}\n`);
    expect((await rss()) - before).to.be.below(BASE_BYTES + COUNT * BYTES_EACH);
    expect(world.receiver.calls.filter(({ body }) => body.includes('text 1'))).to.deep.equal([]);
  });

  /** Messages whose next time lies ahead: they were judged in this run. */
  async function judged(): Promise<number> {
    let after = '';
    let count = 0;
    do {
      const page = await world.api.get(`/outbox?clientId=acme&limit=${PAGE}${after && `&after=${after}`}`);
      const messages: { allowedAt: string }[] = JSON.parse(JSON.stringify(page.body.messages));
      count += messages.filter(({ allowedAt }) => Date.parse(allowedAt) > Date.now()).length;
      after = String(page.body.next ?? '');
    } while (after);
    return count;
  }
});
