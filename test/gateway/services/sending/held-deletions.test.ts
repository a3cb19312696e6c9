import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { BOB_LID, heldOver } from '../../../support/rig/held.js';
import { Rig } from '../../../support/rig/rig.js';
import { GROUP, type Sending } from '../../../support/rig/sending.js';
import { until } from '../../../support/until.js';

describe('Sends: a held message that its sender deletes for everyone', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const { hold, record, waiting, copies, restart, unacknowledged } = heldOver(() => rig);
  const deletion = (messageId: string, to = BOB_LID) =>
    rig.chats.deleteMessage({
      ...{ clientId: 'acme', to, messageId, fromMe: true, mode: 'everyone' },
    });
  /** What has left, of the message and of its deletion. */
  const left = (messageId: string) =>
    rig.sent.map(({ content, messageId: id }) => {
      if (id === messageId) return 'the message';
      return 'delete' in content ? 'its deletion' : 'another message';
    });

  it('never leaves, and nothing is sent to delete it', async () => {
    const messageId = await hold('hello');
    await rig.disconnect();
    await deletion(messageId);
    expect(await waiting()).to.deep.equal([]);
    expect(await record(messageId)).not.to.have.property('held');
    await rig.sends.connected('acme');
    expect(rig.sent).to.deep.equal([]);
  });

  it('is not deleted as a message of another chat', async () => {
    const messageId = await hold('hello', { to: GROUP });
    const error = await deletion(messageId).catch((failure: unknown) => failure);
    expect(error).to.be.instanceOf(GatewayError).that.includes({ code: 'invalid_request' });
    expect(await waiting()).to.deep.equal([messageId]);
  });

  it('gets no further copy when an earlier copy may have arrived, and that copy is deleted', async () => {
    const messageId = await hold('hello');
    rig.onLeft = unacknowledged;
    await rig.sends.connected('acme');
    await copies(1);
    rig.onLeft = async () => undefined;
    await deletion(messageId);
    expect(await waiting()).to.deep.equal([]);
    await restart();
    expect(left(messageId)).to.deep.equal(['the message', 'its deletion']);
  });

  it('is deleted on the phones after it has left when the deletion comes while it leaves', async () => {
    const messageId = await hold('hello');
    let acknowledge: () => void = () => undefined;
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    rig.onLeft = () => acknowledged;
    await rig.sends.connected('acme');
    await until('the message to leave', async () => rig.sent.length > 0);
    const deleted = deletion(messageId);
    acknowledge();
    await deleted;
    expect(left(messageId)).to.deep.equal(['the message', 'its deletion']);
  });
});
