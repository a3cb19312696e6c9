import { expect } from 'chai';
import Why from '../../commands/why.js';
import type { MessageTrace } from '../../src/contract/index.js';
import { answering, eventOf } from '../support/receiver.js';
import { runCommand } from '../support/run-command.js';
import { until } from '../support/until.js';
import { BOB, Conversations, TOKEN } from '../support/world.js';

const NOBODY = 'AC00000000000000000000000000000F';

describe('switchboard why, about one message', () => {
  let chats: Conversations;
  before(async () => {
    chats = await Conversations.start();
  });
  after(() => chats.world.stop());

  const why = (...argv: string[]) => {
    const { daemon } = chats.world;
    return runCommand(Why, argv, { SWITCHBOARD_URL: daemon.url, SWITCHBOARD_TOKEN: TOKEN });
  };
  const traceOf = async (messageId: string): Promise<MessageTrace> => {
    const { stdout, stderr } = await why(messageId, '--json');
    expect(stdout, stderr).not.to.equal('');
    return JSON.parse(stdout);
  };
  /** The trace as soon as it has such a step: some are written after the event has arrived. */
  const traceWith = async (messageId: string, step: MessageTrace['steps'][number]['step'], detail = '') => {
    await until(`the step ${step}`, async () => {
      // the message may still be on its way
      if ((await why(messageId)).exitCode !== 0) return false;
      const { steps } = await traceOf(messageId);
      return steps.some((taken) => taken.step === step && taken.detail.includes(detail));
    });
    return traceOf(messageId);
  };
  const stepsOf = ({ steps }: MessageTrace) => steps.map(({ step }) => step);
  const fromBob = async (to: string, text: string) =>
    (await chats.world.phones.write(BOB.number, { to, text })).messageId;

  it('names each step of a received message, from the network to its receiver', async () => {
    const messageId = await fromBob(chats.hosted.phone.number, 'hello');
    await eventOf(chats.world.receiver, messageId);
    const trace = await traceWith(messageId, 'processed');
    expect(stepsOf(trace)).to.have.members(['received', 'announced', 'attempted', 'processed', 'recorded']);
    expect(trace).to.include({
      ...{ clientId: 'hosted', direction: 'in', chat: chats.bob.lid },
      conclusion: 'It was received. The receiver accepted its event.',
    });
    expect(JSON.stringify(trace)).not.to.contain('hello');
  });

  it('names each step of an own message, and its furthest status', async () => {
    const { clientId, phone } = chats.hosted;
    const sent = await chats.world.api.post('/send-message', { clientId, to: BOB.number, body: 'good day' });
    const messageId = String(sent.body.messageId);
    await chats.world.phones.waitForMessage(BOB.number, (message) => message.messageId === messageId);
    await chats.world.phones.read(BOB.number, [messageId]);
    const trace = await traceWith(messageId, 'status', 'read');
    expect(stepsOf(trace)).to.include.members(['written_down', 'announced', 'acknowledged', 'recorded']);
    expect(trace).to.include({ clientId, direction: 'out' });
    expect(trace.conclusion).to.match(/^It was sent, and is read\./);
    expect(trace.chat).not.to.contain(phone.number);
  });

  it('says why a receiver does not have an event, and what to do', async () => {
    chats.world.receiver.respond(answering(400));
    const messageId = await fromBob(chats.plain.phone.number, 'refused');
    const trace = await traceWith(messageId, 'failed');
    const { steps, conclusion } = trace;
    const failed = steps.find(({ step }) => step === 'failed');
    expect(failed?.detail).to.match(/^text: .*400.* \(attempts: 1, http:\/\/127\.0\.0\.1:\d+/);
    expect(conclusion).to.match(
      /^It was received\. Its event was not delivered\. Deliver it again: switchboard failed resend \w+$/,
    );
    expect(stepsOf(trace)).to.include('dropped');
    const { stdout } = await why(messageId, '--session', 'plain');
    expect(stdout)
      .to.match(new RegExp(`^${messageId} of plain, received in \\d+@lid\\n`))
      .and.contain(`\n${conclusion}\n`);
  });

  it('says that an event waits for a receiver with durable retries', async () => {
    const { world, plain } = chats;
    const webhook = { clientId: plain.clientId, webhookUrl: world.receiver.url, retry: 'durable' };
    await world.api.post('/set-webhook', webhook);
    world.receiver.respond(answering(500));
    const messageId = await fromBob(plain.phone.number, 'later');
    const trace = await traceWith(messageId, 'waiting', 'attempts: 1');
    expect(trace.conclusion).to.equal(
      'It was received. Its event waits: it is tried until the receiver accepts it.',
    );
    const behind = await traceWith(await fromBob(plain.phone.number, 'behind it'), 'waiting');
    expect(behind.conclusion).to.equal(
      'It was received. Its event waits: it was not tried yet, because earlier events for the receiver come first.',
    );
    await world.api.post('/pause-webhook', { clientId: plain.clientId, paused: true });
    expect((await traceOf(messageId)).conclusion).to.match(
      /Its event waits: the webhook is paused \(.+\)\.$/,
    );
    world.receiver.respond(answering(200));
  });

  it('names each receiver that has no event yet, and offers no resend to a removed one', async () => {
    const { world, plain } = chats;
    const { clientId } = plain;
    const dead = { clientId, url: 'http://127.0.0.1:1/dead' };
    for (const settings of [{ schedule: { attempts: 1 } }, { retry: 'durable' }, { retry: 'durable' }]) {
      expect((await world.api.post('/receivers', { ...dead, ...settings })).status).to.equal(200);
    }
    const [refused, first, second] = ['2', '3', '4'] as const;
    await world.api.post('/set-webhook', { clientId, webhookUrl: world.receiver.url, retry: 'contract' });
    const messageId = await fromBob(plain.phone.number, 'to several');
    await traceWith(messageId, 'waiting', `receiver ${first} (attempts: 1`);
    await traceWith(messageId, 'waiting', `receiver ${second} (attempts: 1`);
    const failed = await traceWith(messageId, 'failed');
    expect(failed.conclusion).to.match(
      new RegExp(
        `^It was received\\. Its event was not delivered to receiver ${refused}\\. It waits for receiver ${first}, receiver ${second}, too\\. Deliver`,
      ),
    );
    const dropped = failed.steps.find(({ step }) => step === 'dropped');
    expect(dropped?.detail).to.match(new RegExp(`^receiver ${refused}: `));

    await world.api.post('/receivers/remove', { clientId, id: refused });
    expect((await traceOf(messageId)).conclusion).to.equal(
      `It was received. Its event waits: it is tried until receiver ${first} accepts it. It waits for receiver ${second}, too.`,
    );
    await world.api.post('/receivers/remove', { clientId, id: first });
    await world.api.post('/receivers/remove', { clientId, id: second });
    const left = await traceOf(messageId);
    expect(left.conclusion).to.equal('It was received. The receiver accepted its event.');
    expect(left.steps.map(({ step }) => step))
      .to.include('dropped')
      .and.not.include('failed');

    // as if the daemon was killed between the removal of the receiver and that of its events
    await world.stopDaemon();
    await world.inspect((store) =>
      store.failedDeliveries.add(
        {
          ...{ id: '01K0000000000000000000000A', clientId, receiver: refused, url: dead.url, messageId },
          ...{ type: 'text', body: '{}', reason: 'answered 500', attempts: 1, failedAt: Date.now() },
        },
        1,
      ),
    );
    await world.startDaemon();
    expect((await traceOf(messageId)).conclusion).to.equal(
      `It was received. Its event was not delivered to receiver ${refused}, which was removed.`,
    );
  });

  it('names possible reasons when no session knows the message', async () => {
    const { stderr, exitCode } = await why(NOBODY);
    expect(stderr).to.contain(`no session knows a message ${NOBODY}`).and.contain('older than what is kept');
    expect(exitCode).to.equal(5);
    const { status, body } = await chats.world.api.get(`/message-trace?clientId=plain&messageId=${NOBODY}`);
    expect([status, body.error]).to.deep.equal([
      404,
      `nothing is known of message ${NOBODY} in session plain: it never arrived here, it is of another session, or it is older than ` +
        'what is kept (sends 14 days, other messages 90 days)',
    ]);
  });
});
