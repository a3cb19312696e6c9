import { expect } from 'chai';
import type { RoomSignal } from '../../src/delivery/tail.js';
import { UntoldRooms } from '../../src/http/untold-rooms.js';

const AT = '2026-01-02T03:04:05.000Z';

describe('rooms that a slow client has not been told of', () => {
  let untold: UntoldRooms;
  beforeEach(() => {
    untold = new UntoldRooms('acme');
  });

  const signal = (room: number, more: Partial<RoomSignal> = {}): RoomSignal => ({
    kind: 'room',
    at: AT,
    clientId: 'acme',
    chatRoomId: `acme-1-${room}`,
    ...more,
  });
  const all = () => {
    const signals: RoomSignal[] = [];
    for (let next = untold.take(); next; next = untold.take()) signals.push(next);
    return signals;
  };

  it('are told in the order in which they changed, each once', () => {
    for (const room of [1, 2, 1]) untold.add(signal(room));
    expect(all()).to.deep.equal([signal(1), signal(2)]);
    expect(all()).to.deep.equal([]);
  });

  it('name a message when one alone changed', () => {
    for (const messageId of ['M1', 'M1']) untold.add(signal(1, { messageId }));
    for (const messageId of ['M1', 'M2']) untold.add(signal(2, { messageId }));
    untold.add(signal(3, { messageId: 'M1' }));
    untold.add(signal(3));
    expect(all()).to.deep.equal([signal(1, { messageId: 'M1' }), signal(2), signal(3)]);
  });

  it('tell their former id, whatever came after it', () => {
    untold.add(signal(1, { formerId: 'acme-1-0' }));
    untold.add(signal(1, { messageId: 'M1' }));
    expect(all()).to.deep.equal([signal(1, { formerId: 'acme-1-0' })]);
  });

  it('are all of the session when there are too many', () => {
    for (let room = 0; room < 1_000; room++) untold.add(signal(room));
    expect(all()).to.deep.equal([{ kind: 'room', at: AT, clientId: 'acme', chatRoomId: '' }]);
    untold.add(signal(1));
    expect(all()).to.deep.equal([signal(1)]);
  });
});
