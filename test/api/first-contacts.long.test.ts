import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, BOB, linkSession, startWorld, type World } from '../support/world.js';

/** First messages that come at once. FIRST_CONTACTS=5000 for a storm. */
const COUNT = Number(process.env.FIRST_CONTACTS ?? 600);
const PER_HOUR = 20;
const CALLERS = 200;

describe(`${COUNT} first messages at once, under a policy that looks up first`, function () {
  this.timeout(600_000);
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(
      policy,
      `mode: enforce\ndefault: asks\npolicies: { asks: { lookUpFirst: { perHour: ${PER_HOUR} } } }\n`,
    );
    world = await startWorld({ process: true, settings: { policy } });
    await world.phones.addPhone(BOB);
    await linkSession(world, 'acme', ALICE);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const send = (to: string) => world.api.post('/send-message', { clientId: 'acme', to, body: 'hello' });
  const lookUps = async () => (await world.phones.stats()).queries.usync ?? 0;

  it('cause at most the hourly budget of look-ups, and other requests are answered meanwhile', async () => {
    expect((await send(BOB.number)).status).to.equal(200);
    const before = await lookUps();
    const statuses = new Map<string, number>();
    let slowest = 0;
    let next = 0;
    let isOver = false;
    const watch = async () => {
      while (!isOver) {
        const from = performance.now();
        await (await fetch(`${world.api.url}/health/live`)).text();
        slowest = Math.max(slowest, performance.now() - from);
        await delay(10);
      }
    };
    const caller = async () => {
      while (next < COUNT) {
        const { status, headers } = await send(`+1999${String(next++).padStart(7, '0')}`);
        const outcome = `${status} ${headers.get('x-sn-error')}`;
        statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);
      }
    };
    const watching = watch();
    await Promise.all(Array.from({ length: CALLERS }, caller));
    const running = await send(BOB.number);
    isOver = true;
    await watching;
    const asked = (await lookUps()) - before;
    process.stdout.write(
      `    ${JSON.stringify(Object.fromEntries(statuses))}, ${asked} look-ups, slowest answer ${Math.round(slowest)} ms\n`,
    );
    // the number to which the first message went was one of them
    expect(asked).to.be.at.most(PER_HOUR);
    expect(statuses.get('400 recipient_unknown')).to.be.within(1, PER_HOUR);
    expect([...statuses.keys()]).to.include('429 policy_refused');
    expect([...statuses.keys()].filter((outcome) => outcome.startsWith('5'))).to.deep.equal([]);
    expect(running.status).to.equal(200);
  });
});
