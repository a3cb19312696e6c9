import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { Refusal, RuleName } from '../../../../src/domain/policy/rules.js';
import { createMessageTraces } from '../../../../src/gateway/services/operations/message-traces.js';
import type { Admission } from '../../../../src/gateway/services/policies/admission.js';
import { HOUR_MS, heldOver, textKind } from '../../../support/rig/held.js';
import { Rig } from '../../../support/rig/rig.js';
import type { Sending } from '../../../support/rig/sending.js';
import { until } from '../../../support/until.js';

// the rules, the network's answers and the hours between them are played by hand
describe('Sends: a held message', () => {
  let rig: Sending;
  beforeEach(async () => {
    rig = await (await Rig.start()).sending();
  });
  afterEach(() => rig.close());

  const { refusal, send, hold, record, waiting, copies, restart, unacknowledged } = heldOver(() => rig);
  /** A policy that permits everything. */
  const permits = async (): Promise<Admission> => ({
    hasLeft: true,
    judgeFirstCopy: async () => ({ counted: 'message', sentAt: rig.clock.now() }),
    judgeRecorded: async () => undefined,
    judgeFurtherCopy: async () => undefined,
    check: () => true,
    judgeBlocked: async () => undefined,
    rejected: () => undefined,
    end: () => undefined,
  });

  it('is not sent again when its first copy is too old to be repeated, however often it was repeated', async () => {
    const messageId = await hold('hello');
    rig.onAdmit = permits;
    rig.onLeft = unacknowledged;
    const firstAt = rig.clock.now();
    await rig.sends.connected('acme');
    await copies(1);
    rig.clock.advance(LIMITS.resendMaxAgeMs);
    await copies(2);
    // its event would be the same again, if the first copy was announced before a crash
    expect((await record(messageId))?.sentAt).to.equal(firstAt);
    rig.clock.advance(1);
    await restart();
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.sent).to.have.length(2);
    expect(rig.statuses).to.deep.equal([`${messageId} failed send_unacknowledged`]);
    expect(await record(messageId))
      .to.include({ closed: true, acknowledged: false })
      .and.not.have.property('held');
  });

  const refusedFor = (rule: RuleName, ms: number): Refusal[] => {
    const allowedAt = rig.clock.now() + ms;
    return [{ rule, reason: 'refused', allowedAt, clearAt: allowedAt }];
  };

  it('is announced, and not sent again, when its proof comes after its attempt had failed', async () => {
    const messageId = await hold('hello');
    rig.onLeft = unacknowledged;
    await rig.sends.connected('acme');
    await copies(1);
    rig.delivered(messageId);
    await until('the proof to be noted', async () => (await record(messageId))?.acknowledged === true);
    expect(rig.announced).to.have.length(0);
    rig.clock.advance(HOUR_MS);
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.announced.map(({ message }) => message.messageId)).to.deep.equal([messageId]);
    expect(rig.sent).to.have.length(1);
  });

  it('can be cancelled, and does not count, when it was refused after it was stored', async () => {
    const messageId = await hold('hello');
    const before = await record(messageId);
    const late = await permits();
    rig.onAdmit = async () => ({
      ...late,
      judgeRecorded: () => Promise.reject(refusal()),
    });
    await rig.sends.connected('acme');
    await until('the attempt to end', async () => rig.sent.length === 1 && rig.clock.pending().length > 0);
    expect(await record(messageId)).to.deep.equal(before);
    await rig.sends.held.cancel('acme', messageId);
    expect(await waiting()).to.deep.equal([]);
  });

  it('can be cancelled while it is judged, and is not shown as leaving then', async () => {
    const messageId = await hold('hello');
    const { get } = rig.store.sends;
    let goOn: () => void = () => undefined;
    const mayGoOn = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const read = new Promise<void>((resolve) => {
      rig.store.sends.get = async (...named) => {
        resolve();
        await mayGoOn;
        return get(...named);
      };
    });
    rig.onRefusals = () => refusedFor('newChatGap', HOUR_MS);
    await rig.sends.connected('acme');
    await read;
    expect(await rig.sends.held.list('acme')).to.have.nested.property('[0].leaving', false);
    const cancelled = rig.sends.held.cancel('acme', messageId);
    goOn();
    await cancelled;
    expect(await waiting()).to.deep.equal([]);
    expect(rig.sent).to.deep.equal([]);
  });

  describe('Sends: a held message that the network refuses because it restricts the number', () => {
    const rejected = async () => {
      rig.onRefusals = () => refusedFor('reachoutLock', HOUR_MS);
      throw new GatewayError('send_rejected', 'error 463');
    };
    const cancel = (messageId: string) =>
      rig.sends.held.cancel('acme', messageId).then(
        () => 'cancelled',
        (error: unknown) => (error instanceof GatewayError ? error.code : error),
      );

    it('can be cancelled, and stays counted', async () => {
      const messageId = await hold('hello');
      rig.onAdmit = permits;
      rig.onLeft = rejected;
      const leftAt = rig.clock.now();
      await rig.sends.connected('acme');
      await copies(1);
      expect(await waiting()).to.deep.equal([messageId]);
      rig.clock.advance(1_000);
      expect(await cancel(messageId)).to.equal('cancelled');
      const found = await record(messageId);
      expect(found).to.include({ closed: true, acknowledged: false, counted: 'message', sentAt: leftAt });
      expect(found).not.to.have.property('held');
      expect(found?.content).to.have.length(0);
    });

    it('leaves again under its id, and is counted once', async () => {
      const messageId = await hold('hello');
      rig.onAdmit = permits;
      rig.onLeft = rejected;
      const firstAt = rig.clock.now();
      await rig.sends.connected('acme');
      await copies(1);
      const asked: unknown[] = [];
      rig.onAdmit = (ask) => {
        asked.push(ask.kept && { counted: ask.kept.counted, sentAt: ask.kept.sentAt });
        return permits();
      };
      rig.onLeft = async () => undefined;
      rig.onRefusals = () => [];
      await restart();
      await until('an empty outbox', async () => (await waiting()).length === 0);
      expect(rig.sent.map((message) => message.messageId)).to.deep.equal([messageId, messageId]);
      expect(asked).to.deep.equal([{ counted: 'message', sentAt: firstAt }]);
      expect(await record(messageId)).to.include({ acknowledged: true, counted: 'message' });
    });

    it('waits when the network does not say why it refuses the message, for five copies', async () => {
      const messageId = await hold('hello');
      const asked: (boolean | undefined)[] = [];
      rig.onLeft = async () => {
        rig.onRefusals = ({ isRejected }) => {
          asked.push(isRejected);
          return refusedFor('networkSilent', 30_000);
        };
        throw new GatewayError('send_rejected', 'error 463');
      };
      await rig.sends.connected('acme');
      for (let count = 1; count < 5; count += 1) {
        await copies(count);
        expect(await waiting()).to.deep.equal([messageId]);
        // by now it has answered, and restricts nothing
        rig.onRefusals = () => [];
        rig.clock.advance(HOUR_MS);
      }
      await until('an empty outbox', async () => (await waiting()).length === 0);
      expect(rig.sent).to.have.length(5);
      expect(asked).to.deep.equal(Array(5).fill(true));
    });

    it('is given up when only a rule of its policy would hold back the next copy', async () => {
      const messageId = await hold('hello');
      rig.onLeft = async () => {
        rig.onRefusals = () => refusedFor('samePersonGap', 1_000);
        throw new GatewayError('send_rejected', 'error 479');
      };
      await rig.sends.connected('acme');
      await until('an empty outbox', async () => (await waiting()).length === 0);
      expect(rig.statuses).to.deep.equal([`${messageId} failed send_rejected`]);
      expect(await record(messageId))
        .to.include({ closed: true, acknowledged: false })
        .and.not.have.property('held');
    });

    it('cannot be cancelled when an earlier copy may have arrived', async () => {
      const messageId = await hold('hello');
      rig.onLeft = unacknowledged;
      await rig.sends.connected('acme');
      await copies(1);
      rig.onLeft = rejected;
      await restart();
      await copies(2);
      expect(await cancel(messageId)).to.equal('held_send_leaving');
      expect((await record(messageId))?.content).not.to.have.length(0);
    });

    it('cannot be cancelled when the connection ended as its first copy left', async () => {
      const messageId = await hold('hello');
      rig.onLeft = async () => {
        rig.onLeft = rejected;
        await rig.reconnect();
        throw new GatewayError('send_cut_off', 'the connection ended');
      };
      await rig.sends.connected('acme');
      await copies(2);
      expect(await cancel(messageId)).to.equal('held_send_leaving');
    });
  });

  it('is shown with its state: held back, leaving, waiting for another copy, or acknowledged', async () => {
    const messageId = await hold('hello');
    const sessions = { find: () => rig.session.record };
    const traces = createMessageTraces({ sessions, store: rig.store, tail: { since: () => [] } });
    const told = async () => {
      const { steps, conclusion } = await traces.of('acme', messageId);
      return [steps.map(({ step }) => step).join(), conclusion];
    };
    expect(await told()).to.deep.equal([
      'written_down,held_back',
      'It has not left: its policy holds it back.',
    ]);
    let leaving: string[] = [];
    rig.onLeft = async () => {
      leaving = await told();
      await unacknowledged();
    };
    await rig.sends.connected('acme');
    await copies(1);
    expect(leaving).to.deep.equal(['written_down,unacknowledged', 'It is being sent.']);
    await rig.store.sends.close('acme', messageId);
    expect(await told()).to.deep.equal([
      'written_down,held_back',
      'A copy of it may have left, and was not acknowledged. Its policy holds back the next one.',
    ]);
    rig.onLeft = async () => undefined;
    await restart();
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect((await told())[0]).to.equal('written_down,acknowledged');
  });

  it('does not leave from another number, even if a copy of it was interrupted', async () => {
    const messageId = await hold('hello');
    rig.onLeft = unacknowledged;
    await rig.sends.connected('acme');
    await copies(1);
    expect(await record(messageId)).to.include({ closed: false });
    await rig.session.update({ jid: '15550000009:1@s.whatsapp.net' });
    rig.onLeft = async () => undefined;
    await restart();
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.sent).to.have.length(1);
    expect(rig.statuses).to.deep.equal([`${messageId} failed session_unpaired`]);
    expect(await record(messageId))
      .to.include({ closed: true })
      .and.not.have.property('held');
  });

  it('is given up when five copies in a row were not acknowledged', async () => {
    const messageId = await hold('hello');
    rig.onLeft = unacknowledged;
    await rig.sends.connected('acme');
    for (let count = 1; count < 5; count += 1) {
      await copies(count);
      expect(await waiting()).to.deep.equal([messageId]);
      // longer than the longest pause
      rig.clock.advance(HOUR_MS);
    }
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.sent.map((message) => message.messageId)).to.deep.equal(Array(5).fill(messageId));
    expect(rig.statuses).to.deep.equal([`${messageId} failed send_unacknowledged`]);
    expect(await record(messageId))
      .to.include({ closed: true })
      .and.not.have.property('held');
  });

  it('is not sent when it was cancelled and the key of its request is repeated', async () => {
    // as if the daemon was killed before it kept the answer
    rig.store.idempotency.answer = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    const messageId = await hold('hello', { key: 'key' });
    rig.clock.advance(1_000);
    expect(await send('hello', { key: 'key' })).to.include({ status: 'held', messageId });
    await rig.sends.held.cancel('acme', messageId);
    const repeated = await send('hello', { key: 'key' }).catch((error: unknown) => error);
    expect(repeated).to.be.instanceOf(GatewayError).that.includes({ code: 'idempotency_conflict' });
    expect(rig.sent).to.deep.equal([]);
  });

  describe('Sends: one of many held messages that may leave at once', () => {
    for (const { mode, when, minMs, maxMs } of [
      { mode: 'enforce', when: 'the limits of its policy end', minMs: 2_000, maxMs: 2_000 },
      { mode: 'observe', when: 'its policy only observes', minMs: 60_000, maxMs: 180_000 },
      { mode: 'off', when: 'its policy is switched off', minMs: 60_000, maxMs: 180_000 },
    ] as const) {
      it(`leaves after a pause when ${when}`, async () => {
        const people = [2, 3, 4].map((n) => `9000000000000${n}@lid`);
        for (const to of people) await hold('hello', { to });
        rig.mode = mode;
        const times: number[] = [];
        rig.onLeft = async () => void times.push(rig.clock.now());
        await restart();
        for (const left of [1, 2]) {
          await copies(left);
          const [pauseMs = 0] = rig.clock.pending();
          expect(pauseMs).to.be.within(minMs, maxMs);
          rig.clock.advance(pauseMs);
        }
        await until('an empty outbox', async () => (await waiting()).length === 0);
        expect(rig.sent.map(({ to }) => to)).to.deep.equal(people);
        const pauses = times.slice(1).map((time, n) => time - (times[n] ?? 0));
        for (const pauseMs of pauses) expect(pauseMs).to.be.within(minMs, maxMs);
      });
    }
  });

  it('lets other work run between two judgements', async () => {
    const COUNT = 100;
    for (let n = 0; n < COUNT; n += 1) await hold('hello', { to: `${900_000 + n}@lid` });
    let turn = 0;
    const judgedIn: number[] = [];
    const count = () => {
      turn += 1;
      if (judgedIn.length < COUNT) setImmediate(count);
    };
    rig.onRefusals = () => {
      judgedIn.push(turn);
      return refusedFor('newChatsPerDay', HOUR_MS);
    };
    count();
    await restart();
    await until('all to be judged', async () => judgedIn.length === COUNT);
    expect(new Set(judgedIn).size).to.equal(COUNT);
    expect(await waiting()).to.have.lengthOf(COUNT);
  });

  it('is refused when the sessions together hold as many messages as a node keeps', async () => {
    const first = await hold('hello');
    const others = rig.sends.held.total;
    rig.sends.held.total = () => LIMITS.heldSendsOfNode;
    const error = await hold('one more', { to: '90000000000003@lid' }).catch((reason: unknown) => reason);
    rig.sends.held.total = others;
    expect(error).to.be.instanceOf(GatewayError).and.include({ code: 'held_sends_full' });
    expect(await waiting()).to.deep.equal([first]);
  });

  it('is judged at least once an hour, whatever the same rule says of another chat', async () => {
    const carol = '90000000000003@lid';
    rig.onRefusals = () => refusedFor('newChatsPerDay', 24 * HOUR_MS);
    await hold('to Bob');
    const messageId = await hold('to Carol', { to: carol });
    await restart();
    await until('both to be judged', async () => rig.clock.pending().length > 0);
    // Carol's chat is no new one any more, and nothing told of it
    rig.onRefusals = ({ to }) => (to === carol ? [] : refusedFor('newChatsPerDay', 24 * HOUR_MS));
    rig.clock.advance(HOUR_MS);
    await until('the message to Carol', async () => rig.sent.length > 0);
    expect(rig.sent.map((message) => message.messageId)).to.deep.equal([messageId]);
  });

  it('leaves even if the store was unavailable when its session connected', async () => {
    const messageId = await hold('hello');
    const { held } = rig.store.sends;
    rig.store.sends.held = () => Promise.reject(new GatewayError('store_unavailable', 'away'));
    await restart();
    await until('the next attempt to be planned', async () => rig.clock.pending().length > 0);
    rig.store.sends.held = held;
    rig.clock.advance(60_000);
    await until('the message to leave', async () => rig.sent.length > 0);
    expect(rig.sent.map((message) => message.messageId)).to.deep.equal([messageId]);
  });

  it('is listed without its request, in pages, in the order of all waiting messages', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await hold('hello', { to: `${900_000 + n}@lid` }));
    const { held } = rig.store.sends;
    const pages: number[] = [];
    rig.store.sends.held = async (...asked) => {
      const page = await held(...asked);
      pages.push(page.length);
      return page;
    };
    rig.sends.held.forget('acme');
    expect(await waiting()).to.deep.equal(ids);
    expect(pages).to.deep.equal([50, 50, 20]);
  });

  it('waits for the look-up of its recipient, in the order of its chat', async () => {
    const look = refusal();
    rig.onLookUp = () => Promise.reject(look);
    const to = '+15550000002';
    const ids: string[] = [];
    for (const text of ['first', 'second']) {
      const { status, messageId } = await send(text, { to });
      expect(status).to.equal('held');
      ids.push(messageId);
    }
    const [first] = await rig.sends.held.list('acme');
    expect(first).to.include({ to: '15550000002@s.whatsapp.net', allowedAt: look.policy?.allowedAt });
    const plain = { clientId: 'acme', to, body: 'plain' };
    expect(await rig.sends.send(textKind(), plain).catch((error: unknown) => error)).to.equal(look);
    rig.onLookUp = async () => undefined;
    await restart();
    await copies(1);
    rig.clock.advance(2_000);
    await until('an empty outbox', async () => (await waiting()).length === 0);
    expect(rig.sent.map(({ messageId }) => messageId)).to.deep.equal(ids);
  });
});
