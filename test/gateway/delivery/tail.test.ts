import { expect } from 'chai';
import type { TailEntry } from '../../../src/contract/events/stream-entry.js';
import { Tail } from '../../../src/gateway/delivery/tail.js';
import { textEvent } from '../../support/rig/deliveries.js';

const START = Date.UTC(2026, 0, 2, 3, 4, 5);
const LARGE = 65_536;

describe('the live stream', () => {
  let tail: Tail;

  beforeEach(() => {
    tail = new Tail(START);
  });

  const kept = () => tail.since('');

  it('keeps the last 2,000 entries', () => {
    for (let i = 0; i < 2_500; i++) tail.publish(entry('hi'));
    expect(kept()).to.have.length(2_000);
  });

  it('keeps fewer entries when they are large, and as many as before once the large ones are gone', () => {
    for (let i = 0; i < 2_000; i++) tail.publish(entry('x'.repeat(LARGE)));
    expect(kept().length).to.be.within(240, 256);
    const last = kept().at(-1)?.id ?? '';
    tail.publish(entry('newest'));
    expect(tail.since(last)).to.have.length(1);
    for (let i = 0; i < 2_500; i++) tail.publish(entry('hi'));
    expect(kept()).to.have.length(2_000);
  });

  it('counts every text of an event, including quoted ones', () => {
    const quoted = { messageId: 'm0', type: 'text', body: 'x'.repeat(LARGE) };
    for (let i = 0; i < 1_000; i++) {
      const { event, ...rest } = entry('hi');
      tail.publish({ ...rest, event: { ...event, quoted } });
    }
    expect(kept().length).to.be.within(240, 256);
  });

  it('continues after its own position in an id of several nodes', () => {
    for (let i = 0; i < 3; i++) tail.publish(entry('hi'));
    const [first] = kept();
    const bodies = tail.since(`abc-7.${first?.id}.xyz-9`);
    expect(bodies.map(({ id }) => id)).to.deep.equal([tail.idBefore(1), tail.lastId]);
    expect(tail.since('abc-7.xyz-9')).to.have.length(3);
  });

  it('repeats no entry for a reader that has all of them', () => {
    for (let i = 0; i < 3; i++) tail.publish(entry('hi'));
    expect(tail.since(tail.lastId)).to.deep.equal([]);
  });

  it('returns all entries for an id that is too old, and for an id that it never issued', () => {
    const before = tail.lastId;
    for (let i = 0; i < 2_500; i++) tail.publish(entry('hi'));
    const epoch = before.split('-')[0];
    for (const id of [before, `${epoch}-9999`]) expect(tail.since(id)).to.have.length(2_000);
  });

  it('has ids that no other stream has, even one that starts at the same time', () => {
    expect(new Tail(START).lastId).not.to.equal(tail.lastId);
  });

  it('continues for other listeners when one fails', () => {
    const heard: string[] = [];
    tail.listen(() => {
      throw new Error('gone');
    });
    tail.listen(({ id }) => heard.push(id));
    for (let i = 0; i < 3; i++) tail.publish(entry('hi'));
    expect(heard).to.have.length(3);
  });

  it('passes room signals to their listeners, and does not buffer them', () => {
    const heard: string[] = [];
    const unlisten = tail.listenToRooms(({ chatRoomId }) => heard.push(chatRoomId));
    const signal = (chatRoomId: string) =>
      tail.signal({ kind: 'room', at: '', clientId: 'acme', chatRoomId });
    signal('acme-1-2');
    unlisten();
    signal('acme-1-3');
    expect(heard).to.deep.equal(['acme-1-2']);
    expect(kept()).to.deep.equal([]);
  });
});

function entry(body: string) {
  return {
    kind: 'event',
    at: new Date(START).toISOString(),
    clientId: 'acme',
    event: { ...textEvent(), body },
  } satisfies TailEntry;
}
