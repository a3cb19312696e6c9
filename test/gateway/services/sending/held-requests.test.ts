import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { BOB_LID, heldOver } from '../../../support/rig/held.js';
import { Rig } from '../../../support/rig/rig.js';
import type { Sending } from '../../../support/rig/sending.js';
import { until } from '../../../support/until.js';

// the instants at which the store, the caller and the recipient act are played by hand
describe('Sends: a message that is being held', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const { refusal, send, waiting, restart } = heldOver(() => rig);

  describe('Sends: a message that is stored as held while the store becomes unavailable', () => {
    /** The store does not answer to the write, which it does or does not do. */
    const lose = async (isWritten: boolean, key = '') => {
      const { put } = rig.store.sends;
      rig.store.sends.put = async (...written) => {
        rig.store.sends.put = put;
        if (isWritten) await put(...written);
        throw new GatewayError('store_unavailable', 'The database is away.');
      };
      rig.onAdmit = () => Promise.reject(refusal());
      const error = await send('hello', { key }).catch((failure: unknown) => failure);
      expect(error).to.be.instanceOf(GatewayError).that.includes({ code: 'send_cut_off' });
      const { message, messageId = '' } = error instanceof GatewayError ? error : {};
      expect(message).to.include(
        `It is unknown whether the message ${messageId} is held: The database is away.`,
      );
      return messageId;
    };

    it('waits, and can be cancelled, if it was stored', async () => {
      const messageId = await lose(true);
      expect(await waiting()).to.deep.equal([messageId]);
      await until('it to be judged', async () => rig.clock.pending().length > 0);
      await rig.sends.held.cancel('acme', messageId);
      expect(await waiting()).to.deep.equal([]);
    });

    it('does not wait if it was not stored', async () => {
      await lose(false);
      await until('an empty outbox', async () => (await waiting()).length === 0);
    });

    for (const isWritten of [true, false]) {
      it(`is held once under its Idempotency-Key if it was ${isWritten ? '' : 'not '}stored`, async () => {
        const messageId = await lose(isWritten, 'key');
        expect(await send('hello', { key: 'key' })).to.include({ status: 'held', messageId });
        rig.onAdmit = async () => undefined;
        await restart();
        await until('an empty outbox', async () => (await waiting()).length === 0);
        expect(rig.sent.map((message) => message.messageId)).to.deep.equal([messageId]);
      });
    }
  });

  describe('Sends: a message to hold, whose caller hangs up before its policy has answered', () => {
    /** Two messages of a chat: the caller of the second one hangs up while the first one is judged. */
    const hangUp = async (wishes: { key?: string }) => {
      let judge: () => void = () => undefined;
      const judged = new Promise<void>((resolve) => {
        judge = resolve;
      });
      let isAsked = false;
      rig.onAdmit = async () => {
        isAsked = true;
        await judged;
        throw refusal();
      };
      const first = send('first');
      await until('the policy to be asked', async () => isAsked);
      const caller = new AbortController();
      const second = send('second', wishes, caller.signal).catch((error: unknown) => error);
      // by then it waits for the first one
      await setImmediate();
      caller.abort();
      judge();
      return { first: (await first).messageId, second: await second };
    };

    it('is not held, because its caller does not know its id', async () => {
      const { first, second } = await hangUp({});
      expect(second).to.be.instanceOf(GatewayError).that.includes({ code: 'send_not_connected' });
      expect(await waiting()).to.deep.equal([first]);
    });

    it('is held with an Idempotency-Key, under which its caller finds it', async () => {
      const { first, second } = await hangUp({ key: 'key' });
      const again = await send('second', { key: 'key' });
      expect(again).to.deep.equal(second).and.to.include({ status: 'held' });
      expect(await waiting()).to.deep.equal([first, again.messageId]);
    });
  });

  it('is judged at once when its recipient wrote while it was being held', async () => {
    rig.onAdmit = () => {
      const message = {
        ...{ messageId: 'HIS', chat: BOB_LID, fromMe: false, pushName: '', timestamp: rig.clock.now() },
        ...{ content: {}, journalIds: [], offline: false },
      };
      rig.sends.held.hear({ type: 'link', session: rig.session, event: { type: 'message', message } });
      return Promise.reject(refusal());
    };
    const { status, messageId } = await send('hello');
    expect(status).to.equal('held');
    rig.onAdmit = async () => undefined;
    await until('the message to leave', async () => rig.sent.length > 0);
    expect(rig.sent.map((message) => message.messageId)).to.deep.equal([messageId]);
  });
});
