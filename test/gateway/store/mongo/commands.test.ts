import { expect } from 'chai';
import { eventOf } from '../../../support/receiver.js';
import { until } from '../../../support/until.js';
import { BOB, Conversations, type Side } from '../../../support/world.js';
import { MONGODB_URL } from '../support/mongo.js';
import { CommandCount } from '../support/mongo-commands.js';

const MESSAGES = 8;
/** Commits of a message if none is shared: of a send the record, keys, proof, trace and end; of an inbound one the last three. */
const COMMITS = { send: 6, inbound: 3 };

/** The key which the library reads once, some time after a session's first send. */
const TOKEN_INDEX = '__index';

if (MONGODB_URL) suite();

function suite(): void {
  describe('a daemon on MongoDB', () => {
    let talk: Conversations;
    before(async () => {
      talk = await Conversations.start({ breakableStore: true });
      let indexes = 0;
      talk.world.place.proxy?.watch((chunk) => {
        if (chunk.includes('find') && chunk.includes(TOKEN_INDEX)) indexes += 1;
        return 'pass';
      });
      for (const side of [talk.plain, talk.hosted]) {
        await talk.fromBob(side, { text: 'hello' });
        await send(side);
      }
      await until('both sessions to read the index of their privacy tokens', async () => indexes === 2);
    });
    after(() => talk.stop());

    const send = async ({ clientId }: Side) => {
      const request = { clientId, to: BOB.number, body: 'hello' };
      const { body } = await talk.world.api.post('/send-message', request);
      await eventOf(talk.world.receiver, String(body.messageId));
    };
    const counted = async (step: () => Promise<unknown>) => {
      const count = new CommandCount();
      talk.world.place.proxy?.watch(count.watch);
      for (let message = 0; message < MESSAGES; message++) await step();
      talk.world.place.proxy?.watch(() => 'pass');
      return count.byKind;
    };

    it('reads nothing and writes only commits, for a send without a history', async () => {
      const { 'update commits': commits, ...others } = await counted(() => send(talk.plain));
      expect(others).to.deep.equal({});
      expect(commits).to.be.within(MESSAGES, COMMITS.send * MESSAGES);
    });

    it('reads nothing and writes only commits, for an inbound message without a history', async () => {
      const { 'update commits': commits, ...others } = await counted(() =>
        talk.fromBob(talk.plain, { text: 'hello' }),
      );
      expect(others).to.deep.equal({});
      expect(commits).to.be.within(MESSAGES, COMMITS.inbound * MESSAGES);
    });

    it('reads nothing and also writes room, message and status, for a send with a history', async () => {
      const found = await counted(() => send(talk.hosted));
      const { 'update commits': _, 'update message_status': statuses = 0, ...others } = found;
      expect(others).to.deep.equal({ 'update rooms': MESSAGES, 'update messages': MESSAGES });
      expect(statuses).to.be.at.most(2 * MESSAGES);
    });

    it('reads one document and also writes room and message, for an inbound message with a history', async () => {
      const found = await counted(() => talk.fromBob(talk.hosted, { text: 'hello' }));
      // the status of the last send may come now
      const { 'update commits': _, 'update message_status': __, ...others } = found;
      expect(others).to.deep.equal({
        'find messages': MESSAGES,
        'update rooms': MESSAGES,
        'update messages': MESSAGES,
      });
    });
  });
}
