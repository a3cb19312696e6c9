import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import { MONGODB_URL } from '../gateway/store/support/mongo.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, type World } from '../support/world.js';

const POLICY = 'policies: { slow: { mode: enforce, newChatsPerDay: 1 } }\ndefault: slow\n';

// a database in a file does not go away between a write and its answer
if (MONGODB_URL) {
  describe('a message with whenAllowed, while the MongoDB server goes away', () => {
    let world: World;
    let folder: TempDir;
    /** Called when a message is about to be written down as held. */
    let onHold: () => void = () => undefined;
    const aroundStore = (store: SealedStore): SealedStore => {
      const { sends } = store;
      const put: typeof sends.put = (clientId, record) => {
        if (record.held && record.closed) onHold();
        return sends.put(clientId, record);
      };
      return { ...store, sends: { ...sends, put } };
    };

    before(async () => {
      folder = await makeTempDir();
      const policy = join(folder.path, 'policy.yaml');
      await writeFile(policy, POLICY);
      world = await startWorld({ settings: { policy }, overrides: { aroundStore }, breakableStore: true });
      for (const person of [BOB, CAROL]) await world.phones.addPhone(person);
      await linkSession(world, 'acme');
      expect((await send(BOB)).status).to.equal(200);
    });
    after(async () => {
      await world.stop();
      await folder.remove();
    });

    const send = (person: typeof BOB) =>
      world.api.post(
        '/send-message',
        { clientId: 'acme', to: person.number, body: 'hello', whenAllowed: true },
        { 'idempotency-key': person.name },
      );

    it('has an unknown outcome, and is held and sent once under its Idempotency-Key', async () => {
      const { proxy } = world.place;
      onHold = () => proxy?.watch(() => 'cut-answer');
      const lost = await send(CAROL);
      const messageId = lost.headers.get('x-sn-message-id');
      expect({ status: lost.status, code: lost.headers.get('x-sn-error') }).to.deep.equal({
        status: 502,
        code: 'send_cut_off',
      });
      expect(lost.body.error).to.include(`It is unknown whether the message ${messageId} is held`);
      onHold = () => undefined;
      proxy?.restore();
      await until('the answer of the key', async () => {
        const { status, body } = await send(CAROL);
        return status === 202 && body.messageId === messageId;
      });
      await world.connected();
      await world.phones.write(CAROL.number, { to: ALICE.number, text: 'hi' });
      await until('an empty outbox', async () => {
        const { status, body } = await world.api.get('/outbox?clientId=acme');
        return status === 200 && Array.isArray(body.messages) && body.messages.length === 0;
      });
      await world.phones.waitForMessage(CAROL.number, ({ text }) => text === 'hello');
      const texts = (await world.phones.messages(CAROL.number)).flatMap(({ text, from }) =>
        from === CAROL.number ? [] : [text],
      );
      expect(texts).to.deep.equal(['hello']);
    });
  });
}
