import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { verifyWebhook } from '../../src/client/verify.js';
import type { Phone, Session, World } from '../../src/testkit/testkit.js';
import { compiledProgram } from '../support/compiled.js';
import { answering, eventIn, startReceiver, type TestReceiver } from '../support/receiver.js';
import { makeTempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

/** The kit starts its thread from a compiled file, so the tests use the compiled kit. */
const SOURCE = new URL('../../src/testkit/testkit.ts', import.meta.url);

describe('switchboard-gateway/testkit', () => {
  let kit: typeof import('../../src/testkit/testkit.js');
  let world: World;
  let bot: TestReceiver;
  let session: Session;
  let bob: Phone;

  before(async () => {
    kit = await import(pathToFileURL(compiledProgram(SOURCE)).href);
    bot = await startReceiver((response, call) => {
      answering(204)(response, call, 0);
      const event = eventIn(call);
      if (event?.fromMe === false) void answer(event.clientLid, event.body);
    });
    world = await kit.createWorld({ timeoutMs: 60_000 });
    bob = await world.phone('Bob');
    session = await world.session({ webhookUrl: bot.url });
  });
  after(async () => {
    await world?.close();
    await bot.stop();
  });

  /** The bot repeats what people say, twice if they say it loudly. */
  async function answer(to: string, text: string): Promise<void> {
    if (text === 'quiet') return;
    if (text === 'menu') {
      const buttons = ['Tea', 'Coffee'].map((displayText) => ({
        type: 'quick_reply' as const,
        displayText,
        id: displayText,
      }));
      await world.api.sendInteractiveMessage({ clientId: 'acme', to, bodyText: 'What?', buttons });
      return;
    }
    await world.api.sendMessage({ clientId: 'acme', to, body: `you said ${text}` });
  }

  it('lets a person talk to a bot, and matches each of its answers once', async () => {
    await bob.says('one');
    const first = await bob.receives(/^you said/);
    await bob.says('two');
    const second = await kit.expect(bob).toReceive(/^you said/);
    expect([first.text, second.text]).to.deep.equal(['you said one', 'you said two']);
    await bob.says('three', { to: session });
    expect((await bob.receives({ text: 'you said three', type: 'text' })).from).to.equal(session.number);
  });

  it('gives the bot a token, and signs its calls', async () => {
    await bob.says('signed');
    await bob.receives('you said signed');
    const call = await bot.find((candidate) => eventIn(candidate)?.body === 'signed');
    expect(call.headers.authorization).to.equal(`Bearer ${session.webhookToken}`);
    expect(call.headers['webhook-signature']).to.match(/^v1,/);
  });

  it('says what the phone received and which calls were made when an expectation fails', async () => {
    const carol = await world.phone('Carol');
    await carol.says('hello');
    await carol.receives('you said hello');
    let failure = new Error();
    await until('an attempt in the error', async () => {
      failure = await failureOf(carol.receives(/goodbye/, { timeoutMs: 50 }));
      return failure.message.includes('(attempt 1)');
    });
    expect(failure).to.be.instanceOf(kit.ExpectationError);
    expect(failure.message).to.contain(
      "Carol's phone did not receive /goodbye/ within 0.05 s\nIt received:\n",
    );
    expect(failure.message).to.contain('"you said hello" (matched before)\nThe gateway called:\n');
    expect(failure.message).to.contain(`  POST ${bot.url} text (attempt 1): delivered, `);
    expect(failure.stack).to.contain('testkit.test.ts');
  });

  it('fails when a person receives a message that the test forbids', async () => {
    const dave = await world.phone('Dave');
    await dave.says('quiet');
    await kit.expect(dave).not.toReceive(/./, { withinMs: 50 });
    await dave.says('loud');
    const loud = ({ text }: { text: string }) => text === 'you said loud';
    await world.sandbox.waitForMessage(dave.number, loud, 60_000);
    const failure = await failureOf(kit.expect(dave).not.toReceive(loud));
    expect(failure.message).to.contain("Dave's phone received a message that passes the test");
  });

  it('answers messages, reacts to them, and taps on their buttons', async () => {
    const eve = await world.phone('Eve');
    await eve.says('menu');
    const menu = await eve.receives(({ buttons }) => buttons !== undefined);
    await eve.taps(menu, 'Tea');
    await eve.receives(/Tea/);
    const failure = await failureOf(eve.taps(menu, 'Wine'));
    expect(failure.message).to.equal('the message has no button "Wine" to answer with: "Tea", "Coffee"');
    await eve.reacts(menu, '👍');
    const reaction = await bot.find((call) => eventIn(call)?.type === 'reaction');
    expect(eventIn(reaction)?.remoteName).to.equal('Eve');
    await eve.replies(menu, 'what is there?');
    await eve.receives('you said what is there?');
  });

  it('injects a network fault, and the bot still gets its event', async () => {
    await world.fault('disconnect', { on: session });
    await bob.says('after a cut');
    await bob.receives('you said after a cut');
    await world.clearFaults();
  });

  it('moves the time of network and gateway, and the bot gets current signatures', async () => {
    const before = await world.clock.now();
    const after = await world.clock.advance('3d');
    expect(after - before).to.be.within(3 * DAY_MS, 3 * DAY_MS + HOUR_MS);
    expect((await world.clock.advance(HOUR_MS)) - after).to.be.within(HOUR_MS, 2 * HOUR_MS);
    expect((await failureOf(world.clock.advance('-1d'))).message).to.contain('"advance" must be a time');
    const frank = await world.phone('Frank');
    await frank.says('days later');
    const { timestamp } = await frank.receives('you said days later');
    expect(timestamp * 1_000).to.be.closeTo(await world.clock.now(), HOUR_MS);
    const call = await bot.find((candidate) => eventIn(candidate)?.body === 'days later');
    const { headers, body } = call;
    expect(verifyWebhook({ headers, body, token: session.webhookToken })).to.include({ type: 'text' });
  });

  it('delivers a message that a policy held back once its day has come', async () => {
    const folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, 'mode: enforce\ndefault: one\npolicies: { one: { newChatsPerDay: 1 } }\n');
    const slow = await kit.createWorld({ timeoutMs: 60_000, settings: { policy } });
    try {
      await slow.session();
      const [first, second] = [await slow.phone('First'), await slow.phone('Second')];
      const wish = { clientId: 'acme', body: 'hello', whenAllowed: true };
      await slow.api.sendMessage({ ...wish, to: first.number });
      await slow.api.sendMessage({ ...wish, to: second.number });
      await first.receives('hello');
      await second.receivesNo('hello', { withinMs: 50 });
      await slow.clock.advance('1d');
      await second.receives('hello');
    } finally {
      await slow.close();
      await folder.remove();
    }
  });

  it('explains what is missing or wrong', async () => {
    const failure = await failureOf(world.session());
    expect(failure.message).to.contain('there is a session "acme" already');
    const wrong = kit.createWorld({ settings: { logLevel: 'chatty' } });
    expect((await failureOf(wrong)).message).to.match(/^the gateway did not start: .*log.?level/i);
  });

  it('runs several worlds beside each other, and allows one to be closed twice', async () => {
    const other = await kit.createWorld();
    const zoe = await other.phone('Zoe');
    expect((await failureOf(zoe.says('hi'))).message).to.contain('call world.session() first');
    await Promise.all([other.close(), other.close()]);
    await bob.says('still here');
    await bob.receives('you said still here');
  });
});

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error('it did not fail');
}
