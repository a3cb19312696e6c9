import { expect } from 'chai';
import type { MessageView } from '../../../src/client/sandbox/client.js';
import { ALICE, BOB, CAROL, pnJid } from '../../sandbox/support/world.js';
import { type Bot, partOfDay } from './day.js';

const BACKLOG = 500;
/** Every tenth message cannot be read at first, and before every twentieth a status is posted. */
const UNREADABLE_EVERY = 10;
const STATUS_EVERY = 20;
/**
 * The network has no copy of some of the first messages. whatsmeow encrypts for the own phone while it decrypts the phone's
 * answers, and loses a step of the ratchet when both meet (it has no lock): all requests must leave before the answers come.
 */
const UNAVAILABLE_UNTIL = 200;

partOfDay(
  'offline and restarts',
  [
    { text: /Error decrypting message|mismatching MAC/, reason: 'the test damages copies' },
    { text: /Unavailable message/, reason: 'the test withholds copies' },
    {
      text: /received message with old counter/,
      reason: 'a message that was read before the crash, and not acknowledged, comes again',
      isOptional: true,
    },
  ],
  (day) => {
    const { world } = day;
    let alice: Bot;

    before(async () => {
      alice = await day.linked(ALICE);
      await world.client.write(BOB, { to: ALICE, text: 'Hello' });
      await alice.heard('message', ({ text }) => text === 'Hello');
    });

    const isDelivered = ({ receipts }: MessageView) => receipts[ALICE] === 'delivered';

    function copyOf(number: number): 'damaged' | 'unavailable' {
      return number < UNAVAILABLE_UNTIL && number % STATUS_EVERY > 0 ? 'unavailable' : 'damaged';
    }

    /** Bob writes while the bot is away. @returns the ids, and those of the statuses in between */
    async function backlog(count: number): Promise<{ ids: string[]; statuses: string[] }> {
      const [ids, statuses]: string[][] = [[], []];
      for (let number = 0; number < count; number++) {
        if (number % STATUS_EVERY === 0)
          statuses?.push((await world.client.postStatus(BOB, `status ${number}`)).messageId);
        const written = await world.client.write(BOB, {
          ...{ to: ALICE, text: `waiting ${number}` },
          ...(number % UNREADABLE_EVERY === 0 && { deviceCopy: copyOf(number) }),
        });
        ids?.push(written.messageId);
      }
      return { ids: ids ?? [], statuses: statuses ?? [] };
    }

    it(`receives ${BACKLOG} messages that waited, with statuses and unreadable copies in between`, async () => {
      await alice.restart();
      const { ids, statuses } = await backlog(BACKLOG);
      const preview = await alice.after(() => alice.call('Connect'), 'offlineSyncPreview');
      expect(preview).to.include({ Messages: BACKLOG + statuses.length });
      await alice.heard('offlineSyncCompleted');
      for (const id of [...ids, ...statuses]) await alice.message(id);
      const own = await alice.heard('message', ({ text }) => text === 'waiting 0');
      expect(own).to.have.property('retries', 1);
      await world.client.write(BOB, { to: ALICE, text: 'live again' });
      await alice.heard('message', ({ text }) => text === 'live again');
      const last = await world.client.waitForMessage(BOB, ({ text }) => text === 'live again');
      await world.client.waitForMessage(BOB, (one) => one.messageId === last.messageId && isDelivered(one));
      const texts = alice.events.filter(({ event }) => event === 'message').map(({ text }) => text);
      expect(new Set(texts).size, 'messages that came twice').to.equal(texts.length);
      expect((await world.client.stats()).waitingOffline).to.equal(0);
    }).timeout(100_000);

    it('gets the rest of the queue after a crash in the middle of it', async () => {
      await alice.call('Disconnect');
      const { ids } = await backlog(100);
      const [, , , , fifth] = ids;
      await alice.call('Connect');
      await alice.message(fifth ?? '');
      await alice.restart({ crash: true });
      await alice.connect();
      await alice.heard('offlineSyncCompleted');
      await world.client.waitForMessage(BOB, (one) => one.messageId === ids.at(-1) && isDelivered(one));
      expect((await world.client.stats()).waitingOffline).to.equal(0);
    });

    it('hears after a restart what happened to its messages, and what its owner wrote', async () => {
      const id = await alice.send(pnJid(BOB), { conversation: 'before the restart' });
      await world.client.waitForMessage(BOB, ({ messageId }) => messageId === id);
      await alice.restart();
      await world.client.read(BOB, [id]);
      const { messageId } = await world.client.write(ALICE, { to: CAROL, text: 'from the phone' });
      await alice.connect();
      await alice.heard('receipt', ({ MessageIDs, Type }) => Type === 'read' && String(MessageIDs) === id);
      expect(await alice.message(messageId)).to.have.nested.property('info.IsFromMe', true);
    });

    it('writes on with the same keys after many restarts', async () => {
      for (let run = 0; run < 5; run++) {
        await alice.restart({ crash: run % 2 === 0 });
        await alice.connect();
        const text = `run ${run}`;
        const id = await alice.send(pnJid(BOB), { conversation: text });
        await world.client.waitForMessage(BOB, (one) => one.messageId === id && one.text === text);
        await world.client.write(BOB, { to: ALICE, text: `answer ${run}` });
        await alice.heard('message', (one) => one.text === `answer ${run}`);
      }
    });

    it('receives the messages behind a status and a channel post', async () => {
      await alice.restart();
      await world.client.postStatus(BOB, 'At the lake');
      await world.client.postInChannel(ALICE, { text: 'News' });
      const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'behind them' });
      await alice.connect();
      await alice.message(messageId);
    });
  },
);
