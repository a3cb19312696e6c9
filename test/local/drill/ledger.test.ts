import { expect } from 'chai';
import { compare, faultAt, healthyMs } from '../../../src/local/drill/ledger.js';
import { BOB, type Drilled, entry, healthyDrill, remove, SESSION, second } from './support/seen.js';

const LATE_AFTER_MS = 60_000;

/** What is found, without what is the same each time. */
function found(drilled: Drilled) {
  return compare(drilled, LATE_AFTER_MS).map(({ breach, place, owner, token }) => [
    breach,
    place,
    owner,
    token,
  ]);
}

describe('the ledger of a drill', () => {
  let drilled: Drilled;
  beforeEach(() => {
    drilled = healthyDrill();
  });

  it('finds no problem when every message is complete, unique and in order', () => {
    expect(found(drilled)).to.deep.equal([]);
  });

  it('finds a message that a receiver does not have', () => {
    remove(drilled.durable, 'received 2');
    expect(found(drilled)).to.deep.equal([['lost', 'durable', SESSION, 'received 2']]);
  });

  it('finds a message that a receiver only refused', () => {
    entry(drilled.durable, 'received 2').processed = false;
    expect(found(drilled)).to.deep.equal([['lost', 'durable', SESSION, 'received 2']]);
  });

  it('finds a message that is missing in the history, and a send that is missing on the phone', () => {
    remove(drilled.history.get(SESSION), 'received 1');
    remove(drilled.phones.get(BOB), 'sent 3');
    expect(found(drilled)).to.have.deep.members([
      ['lost', 'history', SESSION, 'received 1'],
      ['lost', 'phone', BOB, 'sent 3'],
    ]);
  });

  it('accepts a message in the failed deliveries of a webhook, but not of a receiver with durable retries', () => {
    remove(drilled.webhook, 'received 2');
    drilled.failed.set(SESSION, new Set(['ID-received-2']));
    expect(found(drilled)).to.deep.equal([]);
    remove(drilled.durable, 'received 2');
    drilled.failedDurable.set(SESSION, new Set(['ID-received-2']));
    expect(found(drilled)).to.deep.equal([['lost', 'durable', SESSION, 'received 2']]);
  });

  it('finds a message of a group that one session has in its failed list, and another one nowhere', () => {
    entry(drilled.written, 'received 2').sessions = [SESSION, 'drill2'];
    remove(drilled.webhook, 'received 2');
    drilled.failed.set('drill2', new Set(['ID-received-2']));
    expect(found(drilled)).to.deep.include(['lost', 'webhook', SESSION, 'received 2']);
    expect(found(drilled)).not.to.deep.include(['lost', 'webhook', 'drill2', 'received 2']);
  });

  it('allows a second copy with the same delivery id, and finds one with another id', () => {
    const copy = { ...entry(drilled.durable, 'received 3'), at: second(9) };
    drilled.durable.push(copy);
    expect(found(drilled)).to.deep.equal([]);
    drilled.durable.push({ ...copy, deliveryId: 'another' });
    expect(found(drilled)).to.deep.equal([['twice', 'durable', SESSION, 'received 3']]);
  });

  it('does not count a second copy that the receiver refused', () => {
    const refused = { ...entry(drilled.webhook, 'received 3'), deliveryId: 'another', processed: false };
    drilled.webhook.push(refused);
    expect(found(drilled)).to.deep.equal([]);
  });

  it('finds one message under two message ids: at a receiver, on a phone and in the history', () => {
    drilled.durable.push({ ...entry(drilled.durable, 'sent 1'), messageId: 'another' });
    drilled.phones.get(BOB)?.push({ messageId: 'another', token: 'sent 1' });
    drilled.history.get(SESSION)?.push({ messageId: 'another', token: 'sent 1' });
    expect(found(drilled)).to.have.deep.members([
      ['twice', 'phone', BOB, 'sent 1'],
      ['twice', 'history', SESSION, 'sent 1'],
      ['twice', 'durable', SESSION, 'sent 1'],
    ]);
  });

  it('finds two rows of one message in the history', () => {
    drilled.history.get(SESSION)?.push({ messageId: 'ID-received-0', token: 'received 0' });
    expect(found(drilled)).to.deep.equal([['twice', 'history', SESSION, 'received 0']]);
  });

  it('finds a send that the phone has under another id than the caller was told', () => {
    entry(drilled.phones.get(BOB), 'sent 0').messageId = 'another';
    expect(found(drilled)).to.deep.equal([['twice', 'phone', BOB, 'sent 0']]);
  });

  it('finds a message that came after a later one of its chat, at receivers that keep the order', () => {
    for (const arrivals of [drilled.webhook, drilled.durable]) {
      const early = entry(arrivals, 'received 1');
      remove(arrivals, 'received 1');
      arrivals.push(early);
    }
    expect(found(drilled)).to.deep.equal([['disordered', 'durable', SESSION, 'received 1']]);
  });

  it('compares the order of first copies only, and within one chat only', () => {
    drilled.durable.push({ ...entry(drilled.durable, 'received 0'), at: second(9) });
    drilled.durable.reverse();
    entry(drilled.written, 'received 0').lane = 'another';
    const lanes = new Set(found(drilled).map(([, , , token]) => token));
    expect([...lanes]).to.have.members(['received 1', 'received 2', 'sent 0', 'sent 1', 'sent 2']);
  });

  it('finds a send without a final answer, also if it arrived', () => {
    entry(drilled.written, 'sent 2').outcome = 'unanswered';
    expect(found(drilled)).to.deep.equal([['unanswered', 'api', SESSION, 'sent 2']]);
    drilled.phones.get(BOB)?.push({ messageId: 'another', token: 'sent 2' });
    expect(found(drilled)).to.deep.equal([
      ['unanswered', 'api', SESSION, 'sent 2'],
      ['twice', 'phone', BOB, 'sent 2'],
    ]);
  });

  it('expects no message that its policy refused or still holds back', () => {
    for (const [token, outcome] of [['sent 1', 'refused'] as const, ['sent 2', 'held'] as const]) {
      entry(drilled.written, token).outcome = outcome;
      remove(drilled.phones.get(BOB), token);
      remove(drilled.history.get(SESSION), token);
      remove(drilled.webhook, token);
      remove(drilled.durable, token);
    }
    drilled.waiting.add('ID-sent-2');
    expect(found(drilled)).to.deep.equal([]);
    drilled.waiting.clear();
    expect(found(drilled)).to.have.deep.members([
      ['lost', 'phone', BOB, 'sent 2'],
      ['lost', 'history', SESSION, 'sent 2'],
      ['lost', 'webhook', SESSION, 'sent 2'],
      ['lost', 'durable', SESSION, 'sent 2'],
    ]);
  });

  it('measures how late an event is without the time of faults', () => {
    entry(drilled.durable, 'received 3').at = second(80);
    expect(found(drilled)).to.deep.equal([['late', 'durable', SESSION, 'received 3']]);
    drilled.faults = [{ kind: 'receiver-down', at: second(10), mendedAt: second(30) }];
    expect(found(drilled)).to.deep.equal([]);
  });

  it('blames the fault before a wrong copy, or else the fault during which the message was written', () => {
    drilled.faults = [
      { kind: 'kill', at: second(2), mendedAt: second(3) },
      { kind: 'freeze', at: second(8), mendedAt: second(9) },
    ];
    drilled.durable.push({ ...entry(drilled.durable, 'received 0'), deliveryId: 'another', at: second(10) });
    remove(drilled.history.get(SESSION), 'received 3');
    remove(drilled.history.get(SESSION), 'received 1');
    const faults = compare(drilled, LATE_AFTER_MS).map(({ token, fault }) => [token, fault]);
    expect(faults).to.have.deep.members([
      ['received 0', 'freeze'],
      ['received 3', 'kill'],
      ['received 1', 'none'],
    ]);
    expect(faultAt(drilled.faults, second(2))).to.equal('kill');
  });

  it('subtracts the times of faults from a duration', () => {
    const faults = [
      { kind: 'kill', at: 100, mendedAt: 200 },
      { kind: 'freeze', at: 300, mendedAt: 400 },
    ];
    expect(healthyMs(faults, 0, 500)).to.equal(300);
    expect(healthyMs(faults, 150, 350)).to.equal(100);
    expect(healthyMs(faults, 110, 190)).to.equal(0);
  });
});
