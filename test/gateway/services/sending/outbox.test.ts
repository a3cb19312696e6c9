import { setImmediate } from 'node:timers/promises';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import { sendableKinds } from '../../../../src/gateway/kinds/index.js';
import type { KindSend } from '../../../../src/gateway/kinds/kind.js';
import type { SentRecord } from '../../../../src/gateway/store/store.js';
import { Rig } from '../../../support/rig/rig.js';
import type { Sending } from '../../../support/rig/sending.js';
import { until } from '../../../support/until.js';

const BOB_LID = '90000000000002@lid';
const OTHER_LID = '90000000000003@lid';
const MY_LID = '90000000000001@lid';
/** Milliseconds until the store is asked again. */
const FIRST_PAUSE_MS = 250;

function kindOf(path: string): KindSend {
  const found = sendableKinds().find((kind) => kind.path === path);
  if (found) return found;
  throw new Error(`there is no ${path}`);
}

describe('Sends: the sends of the last run', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const put = (messageId: string, fields: Partial<SentRecord> = {}) =>
    rig.store.sends.put('acme', {
      messageId,
      to: BOB_LID,
      content: proto.Message.encode({ conversation: messageId }).finish(),
      metaData: '{"order":7}',
      fileName: '',
      sentAt: rig.clock.now(),
      acknowledged: false,
      closed: false,
      ...fields,
    });
  const hello = (to: string) => ({ clientId: 'acme', to, body: 'hello' });
  const isOpen = async (messageId: string) =>
    (await rig.store.sends.open('acme')).some((record) => record.messageId === messageId);

  it('are sent again unchanged, each under its id, unless they were acknowledged or are closed', async () => {
    await put('OPEN', { fileName: 'menu.jpg' });
    await put('ACKNOWLEDGED', { acknowledged: true });
    await put('CLOSED', { closed: true });
    await rig.sends.connected('acme');
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(['OPEN']);
    const [again] = rig.sent;
    expect(again?.to).to.equal(BOB_LID);
    expect(rig.announced.find(({ message }) => message.messageId === 'OPEN')?.said).to.deep.include({
      metaData: { order: 7 },
      fileName: 'menu.jpg',
    });
    expect(again?.content).to.deep.equal({
      encoded: proto.Message.encode({ conversation: 'OPEN' }).finish(),
    });
  });

  it('are sent again to the same people, if they are statuses', async () => {
    const audience = { setting: 'allowlist', people: [BOB_LID] };
    await put('STATUS', { to: 'status@broadcast', audience: JSON.stringify(audience) });
    await rig.sends.connected('acme');
    expect(rig.sent.map(({ messageId, to }) => [messageId, to])).to.deep.equal([
      ['STATUS', 'status@broadcast'],
    ]);
    expect(rig.sent[0]?.audience).to.deep.equal(audience);
  });

  it('are abandoned once they are too old to be sent again', async () => {
    await put('OLD');
    rig.clock.advance(1);
    await put('YOUNG');
    rig.clock.advance(LIMITS.resendMaxAgeMs);
    await rig.sends.connected('acme');
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(['YOUNG']);
    expect(await isOpen('OLD')).to.equal(false);
  });

  it('are not sent from another number that was paired since', async () => {
    await put('FORMER');
    await put('PROVEN', { acknowledged: true });
    rig.clock.advance(1);
    const number = '15550000009';
    await rig.session.update({
      ...{ jid: `${number}:1@s.whatsapp.net`, pn: number, linkedNumber: number },
      linkedAt: rig.clock.now(),
    });
    await put('OWN');
    await rig.sends.connected('acme');
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(['OWN']);
    expect(await isOpen('FORMER')).to.equal(false);
    expect(rig.announced.map(({ message }) => message.messageId)).to.have.members(['PROVEN', 'OWN']);
  });

  for (const code of ['send_rejected', 'recipient_unknown', 'audience_empty'] as const) {
    it(`are abandoned when the network answers ${code}`, async () => {
      await put('M');
      rig.failure = new GatewayError(code, 'no');
      await rig.sends.connected('acme');
      expect(await isOpen('M')).to.equal(false);
    });
  }

  it('wait for the next connection after any other failure', async () => {
    await put('M');
    rig.failure = new GatewayError('lookup_failed', 'no');
    await rig.sends.connected('acme');
    expect(await isOpen('M')).to.equal(true);
    rig.failure = undefined;
    await rig.sends.connected('acme');
    expect(rig.sent).to.have.length(1);
  });

  it('are only announced when they were acknowledged, with the data of their callers, and are not announced again', async () => {
    const sentAt = rig.clock.now() - LIMITS.resendMaxAgeMs - 1;
    await put('ACKNOWLEDGED', { acknowledged: true, sentAt });
    await rig.sends.connected('acme');
    await rig.sends.connected('acme');
    expect(rig.sent).to.deep.equal([]);
    expect(rig.announced).to.have.length(1);
    const [echo] = rig.announced;
    expect(echo?.said).to.deep.include({ metaData: { order: 7 } });
    expect(echo?.message).to.deep.include({
      ...{ messageId: 'ACKNOWLEDGED', chat: BOB_LID, fromMe: true, participant: MY_LID, pushName: 'Alice' },
      ...{ timestamp: Math.floor(sentAt / 1_000) * 1_000, journalIds: [], offline: false },
    });
    expect(echo?.message.content).to.have.property('conversation', 'ACKNOWLEDGED');
  });

  it('are sent once when the session connects twice meanwhile', async () => {
    await put('M');
    let acknowledge: () => void = () => undefined;
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    rig.onLeft = () => acknowledged;
    const first = rig.sends.connected('acme');
    await until('the message to leave', async () => rig.sent.length > 0);
    await rig.sends.connected('acme');
    acknowledge();
    await first;
    expect([rig.sent.length, rig.announced.length]).to.deep.equal([1, 1]);
  });

  it('ask their policy once, with the current state of the store, when the session connects twice meanwhile', async () => {
    await put('M');
    await put('PROVEN');
    const asked: (number | undefined)[] = [];
    let permit: () => void = () => undefined;
    const permitted = new Promise<void>((resolve) => {
      permit = resolve;
    });
    rig.onAdmit = async ({ kept }) => {
      asked.push(kept?.sentAt);
      await permitted;
      return undefined;
    };
    const { get } = rig.store.sends;
    rig.store.sends.get = async (clientId, messageId) => {
      // proven after it was read as open
      if (messageId === 'PROVEN') await rig.store.sends.acknowledge(clientId, messageId);
      return get.call(rig.store.sends, clientId, messageId);
    };
    const connected = [rig.sends.connected('acme'), rig.sends.connected('acme')];
    await until('the policy to be asked', async () => asked.length > 0);
    permit();
    await Promise.all(connected);
    expect(asked).to.deep.equal([rig.clock.now()]);
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(['M']);
    expect(rig.announced).to.have.length(2);
  });

  it('are continued when the store is back, without another connection', async () => {
    await put('M');
    const { open } = rig.store.sends;
    rig.store.sends.open = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    const resumed = rig.sends.connected('acme');
    await rig.clock.scheduled(FIRST_PAUSE_MS);
    rig.store.sends.open = open;
    rig.clock.advance(FIRST_PAUSE_MS);
    await resumed;
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(['M']);
  });

  it('are sent before a new send to their chat, and delay no other chat', async () => {
    await put('FIRST');
    let acknowledge: () => void = () => undefined;
    const acknowledged = new Promise<void>((resolve) => {
      acknowledge = resolve;
    });
    rig.onLeft = async ({ messageId }) => {
      if (messageId === 'FIRST') await acknowledged;
    };
    const resumed = rig.sends.connected('acme');
    const send = (to: string) => rig.sends.send(kindOf('/send-message'), hello(to));
    const second = send(BOB_LID);
    const { messageId: other } = await send(OTHER_LID);
    acknowledge();
    const { messageId } = await second;
    await resumed;
    const told = rig.announced.map(({ message }) => message.messageId);
    expect(told).to.deep.equal([other, 'FIRST', messageId]);
  });

  it('do not delay new sends for longer than a connection may take', async () => {
    await put('FIRST');
    rig.onLeft = ({ messageId }) =>
      messageId === 'FIRST' ? new Promise(() => undefined) : Promise.resolve();
    void rig.sends.connected('acme');
    const second = rig.sends.send(kindOf('/send-message'), hello(BOB_LID));
    await rig.clock.scheduled(LIMITS.connectionWaitMs);
    rig.clock.advance(LIMITS.connectionWaitMs);
    expect(await second).to.have.property('status', 'sent');
  });

  it('are announced one after the other in each chat', async () => {
    await put('FIRST', { acknowledged: true });
    rig.clock.advance(1);
    await put('SECOND', { acknowledged: true });
    const { get } = rig.store.sends;
    rig.store.sends.get = async (clientId, messageId) => {
      const record = await get.call(rig.store.sends, clientId, messageId);
      // the answers of a database come in any order
      if (messageId === 'FIRST') for (let turn = 0; turn < 20; turn++) await setImmediate();
      return record;
    };
    await rig.sends.connected('acme');
    expect(rig.announced.map(({ message }) => message.messageId)).to.deep.equal(['FIRST', 'SECOND']);
  });

  it('are announced when a receipt proves them after their callers got an error', async () => {
    await put('M', { closed: true });
    rig.delivered('M');
    await until('the send to be announced', async () => rig.announced.length > 0);
    expect(rig.sent).to.deep.equal([]);
    expect(await rig.store.sends.get('acme', 'M')).to.include({ acknowledged: true });
  });
});

describe('Sends: a send whose outcome is unknown', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const REQUEST = { clientId: 'acme', to: BOB_LID, body: 'hello', metaData: { order: 7 } };
  const TEXT = kindOf('/send-message');
  const send = (key?: string) => rig.sends.send(TEXT, REQUEST, key);
  const fails = (work: Promise<unknown>) =>
    work.then(
      () => expect.fail('it did not fail'),
      (error: unknown) => error,
    );
  const record = async () => rig.store.sends.get('acme', rig.sent[0]?.messageId ?? '');
  const lose = async () => {
    throw new GatewayError('send_unacknowledged', 'No answer came.');
  };

  it('is answered with its message id and a way to repeat it', async () => {
    rig.onLeft = lose;
    const reaction = { ...REQUEST, messageId: 'M', emoji: '👍' };
    for (const [work, hint] of [
      [() => send(), /No answer came\. Repeated, it may arrive twice/],
      [() => send('key'), /with the same Idempotency-Key/],
      [() => rig.sends.send(kindOf('/send-reaction'), reaction), /can be repeated without harm\./],
    ] as const) {
      const error = await fails(work());
      const messageId = rig.sent.at(-1)?.messageId;
      expect(error).to.be.instanceOf(GatewayError).that.includes({ code: 'send_unacknowledged' });
      expect(error).to.have.property('messageId', messageId);
      expect(error).to.have.property('message').that.matches(hint).and.includes(messageId);
    }
  });

  it('is distinguished from a send that was refused', async () => {
    rig.failure = new GatewayError('send_rejected', 'no');
    expect(await fails(send())).to.equal(rig.failure);
  });

  it('is stored before it leaves, and closed when its caller gets the error', async () => {
    let written: SentRecord | undefined;
    rig.onLeft = async () => {
      written = await record();
      await lose();
    };
    await fails(send());
    expect(written).to.deep.include({
      ...{
        to: BOB_LID,
        metaData: '{"order":7}',
        sentAt: rig.clock.now(),
        acknowledged: false,
        closed: false,
      },
      content: Buffer.from(proto.Message.encode(rig.content).finish()),
    });
    expect(await record()).to.include({ acknowledged: false, closed: true });
    await rig.sends.connected('acme');
    expect([rig.sent.length, rig.announced]).to.deep.equal([1, []]);
  });

  it('is sent over the next link when the link ended while its record could not be written', async () => {
    const { put } = rig.store.sends;
    rig.store.sends.put = async () => {
      rig.store.sends.put = put;
      rig.isUp = false;
      await rig.reconnect();
      throw new GatewayError('store_unavailable', 'away');
    };
    expect(await send()).to.have.property('status', 'sent');
    expect(new Set(rig.sent.map(({ messageId }) => messageId)).size).to.equal(1);
    expect([rig.sent.length, rig.announced.length]).to.deep.equal([2, 1]);
  });

  it('is sent again, unchanged and under the same id, when its caller repeats the key', async () => {
    rig.onLeft = lose;
    await fails(send('key'));
    let isOpen = false;
    rig.content = { conversation: 'composed anew' };
    rig.clock.advance(1_000);
    rig.onLeft = async () => {
      isOpen = (await record())?.closed === false;
    };
    const answer = await send('key');
    const [first, again] = rig.sent;
    expect(answer.messageId).to.equal(first?.messageId);
    expect(again).to.include({ messageId: first?.messageId, to: BOB_LID });
    expect(again?.content).to.deep.equal({
      encoded: Buffer.from(proto.Message.encode({ conversation: 'sent' }).finish()),
    });
    expect(isOpen).to.equal(true);
    expect(rig.announced.map(({ said }) => said)).to.have.nested.property('[0].metaData.order', 7);
  });

  it('is neither sent nor announced again for the key when only the answer was lost', async () => {
    const { idempotency } = rig.store;
    const { answer } = idempotency;
    idempotency.answer = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    const first = await send('key');
    idempotency.answer = answer;
    rig.clock.advance(1_000);
    expect(await send('key')).to.deep.equal(first);
    expect([rig.sent.length, rig.announced.length]).to.deep.equal([1, 1]);
  });

  it('succeeds when the proof comes before the error', async () => {
    rig.onLeft = async ({ messageId }) => {
      rig.delivered(messageId);
      await lose();
    };
    const answer = await send();
    expect(answer).to.deep.equal({ status: 'sent', messageId: rig.sent[0]?.messageId });
    expect(rig.announced.map(({ message }) => message.content)).to.have.nested.property(
      '[0].conversation',
      'sent',
    );
    expect(rig.announced).to.have.length(1);
  });

  it('is announced once when proof comes after the error, however often', async () => {
    rig.onLeft = lose;
    await fails(send());
    const [message] = rig.sent;
    for (let receipt = 0; receipt < 3; receipt++) rig.delivered(message?.messageId ?? '');
    await until('the send to be announced', async () => (await record())?.acknowledged === true);
    await until('its record to be closed', async () => (await record())?.closed === true);
    expect(rig.announced).to.have.length(1);
    expect(rig.announced[0]?.message.messageId).to.equal(message?.messageId);
  });

  it('takes the next receipt as proof when the store could not record the first one', async () => {
    rig.onLeft = lose;
    await fails(send());
    const messageId = rig.sent[0]?.messageId ?? '';
    const { acknowledge } = rig.store.sends;
    rig.store.sends.acknowledge = () => Promise.reject(new Error('broken'));
    rig.delivered(messageId);
    await setImmediate();
    rig.store.sends.acknowledge = acknowledge;
    rig.delivered(messageId);
    await until('the send to be announced', async () => rig.announced.length > 0);
  });

  it('stays open during a stop, for the next start', async () => {
    rig.onLeft = async () => {
      rig.sends.stop();
      await lose();
    };
    await fails(send());
    expect(await record()).to.include({ closed: false });
  });

  it('is closed when the store is back, and only then can a proof open it again', async () => {
    const { sends } = rig.store;
    const { close } = sends;
    sends.close = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    rig.onLeft = lose;
    await fails(send());
    expect(await record()).to.include({ closed: false });
    rig.delivered(rig.sent[0]?.messageId ?? '');
    await rig.clock.scheduled(FIRST_PAUSE_MS);
    expect(await record()).to.include({ acknowledged: false });
    sends.close = close;
    rig.clock.advance(FIRST_PAUSE_MS);
    await until('the send to be announced', async () => rig.announced.length > 0);
    expect(rig.sent).to.have.length(1);
  });

  it('is not sent again while its record is not closed yet', async () => {
    const { sends } = rig.store;
    const { close } = sends;
    sends.close = () => Promise.reject(new GatewayError('session_elsewhere', 'another node has it'));
    rig.onLeft = lose;
    await fails(send());
    sends.close = close;
    await sends.close('acme', rig.sent[0]?.messageId ?? '');
    rig.onLeft = async () => undefined;
    // the other node has closed it; its caller repeats the request there, and this node gets the session back
    await rig.sends.connected('acme');
    const closed = await record();
    if (!closed) throw new Error('the record is gone');
    await sends.put('acme', { ...closed, closed: false });
    await rig.sends.connected('acme');
    expect(rig.sent).to.have.length(2);
  });

  it('is also reported as unknown when the connection ends after the message may have left', async () => {
    rig.onLeft = async () => {
      throw new GatewayError('send_not_connected', 'the connection has ended');
    };
    const outcome = fails(send());
    await rig.clock.scheduled(LIMITS.connectionWaitMs);
    rig.clock.advance(LIMITS.connectionWaitMs);
    expect(await outcome).to.include({ code: 'send_cut_off' });
    expect(rig.sent).to.have.length(1);
    expect(await record()).to.include({ closed: true });
  });
});
