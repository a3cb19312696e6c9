import { expect } from 'chai';
import type { DeviceCopy } from '../../src/client/sandbox/client.js';
import { answering, eventIn } from './receiver.js';
import { ALICE, BOB, linkSession, type World } from './world.js';

/** Every how many messages the linked device gets such a copy. */
const COPIES: readonly [number, DeviceCopy][] = [
  [41, 'unavailable-view-once'],
  [23, 'damaged-for-good'],
  [19, 'plaintext'],
  [13, 'unavailable'],
  [7, 'damaged'],
];
/** Every how many messages the network delivers one a second time, encrypted anew. */
const REPEATED = 11;
/** Messages that arrive while the daemon is down. */
const WHILE_DOWN = 10;
/** Messages on their way at a time: more would test how fast the machine is. */
const WINDOW = 40;
/** Milliseconds until a message that sender or phone can restore is announced, from its writing or the daemon's return on. */
const BOUND_MS = 20_000;
const TURN_MS = 20;

interface Written {
  messageId: string;
  text: string;
  /** The device can never read it. */
  isLost: boolean;
  /** From this time on the gateway can get it. Milliseconds since the epoch. */
  since: number;
}

/**
 * Bob writes so many messages to a linked number, among as many statuses and channel posts; some copies cannot be read, some
 * come twice; the daemon restarts a few times. Every message must be told once, in time, and the queue must end empty.
 */
export async function checkMixedTraffic(world: World, count: number, restarts: number): Promise<void> {
  await world.phones.addPhone(BOB);
  await linkSession(world, 'acme', ALICE, { extraEvents: ['message_unreadable'] });
  await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
  const arrived = new Map<string, number>();
  world.receiver.respond((response, call, index) => {
    const messageId = eventIn(call)?.messageId;
    if (messageId && !arrived.has(messageId)) arrived.set(messageId, Date.now());
    answering(200)(response, call, index);
  });
  const written: Written[] = [];
  const every = Math.floor(count / (restarts + 1));
  for (let index = 1; index <= count; index++) {
    const isDown = index >= every && index + WHILE_DOWN <= count && index % every < WHILE_DOWN;
    if (isDown && index % every === 0) await world.stopDaemon();
    if (!isDown) await told(arrived, written.slice(0, -WINDOW));
    await post(world, index);
    written.push(await write(world, index, isDown));
    const repeated = index % REPEATED === 0 ? written.at(-REPEATED) : undefined;
    if (repeated && !repeated.isLost) await world.phones.repeat(BOB.number, repeated.messageId);
    if (!isDown || index % every !== WHILE_DOWN - 1) continue;
    await world.startDaemon();
    await world.connected();
    const now = Date.now();
    for (const message of written) if (message.since === 0) message.since = now;
  }
  await told(arrived, written);
  while ((await held(world)) > 0) await turn();
  checkEvents(world, written);
  for (const { messageId, text, since } of written)
    expect((arrived.get(messageId) ?? 0) - since, text).to.be.below(BOUND_MS);
  const { messageRefusals, retryReceipts } = await world.phones.stats();
  expect(messageRefusals).to.deep.equal({});
  expect(Object.keys(retryReceipts)).to.not.include('0');
}

/** A status or the post of a channel. */
async function post(world: World, index: number): Promise<void> {
  if (index % 2 === 0) await world.phones.postStatus(BOB.number, `status ${index}`);
  else await world.phones.postInChannel(ALICE.number, { text: `post ${index}` });
}

async function write(world: World, index: number, isDown: boolean): Promise<Written> {
  const text = `text ${index}`;
  const deviceCopy = COPIES.find(([turns]) => index % turns === 0)?.[1];
  const wish = { to: ALICE.number, text, ...(deviceCopy && { deviceCopy }) };
  const { messageId } = await world.phones.write(BOB.number, wish);
  return {
    messageId,
    text,
    isLost: deviceCopy === 'unavailable-view-once',
    since: isDown ? 0 : Date.now(),
  };
}

/** Resolves when all of these were told. */
async function told(arrived: ReadonlyMap<string, number>, written: readonly Written[]): Promise<void> {
  const deadline = Date.now() + BOUND_MS;
  for (const { messageId, text } of written) {
    while (!arrived.has(messageId)) {
      if (Date.now() > deadline) throw new Error(`${text} was not told in time`);
      await turn();
    }
  }
}

/** Each message has one event, with its text. */
function checkEvents(world: World, written: readonly Written[]): void {
  const events = new Map<string, string[]>();
  for (const event of world.receiver.calls.map(eventIn)) {
    if (!event) continue;
    events.set(event.messageId, [...(events.get(event.messageId) ?? []), event.body ?? event.type]);
  }
  const wrong = written.flatMap(({ messageId, isLost, text }) => {
    const told = events.get(messageId)?.join();
    return told === (isLost ? 'message_unreadable' : text) ? [] : [[text, told]];
  });
  expect(wrong).to.deep.equal([]);
  expect(events.size).to.equal(written.length);
}

async function held(world: World): Promise<number> {
  const { waitingOffline, unacknowledged } = await world.phones.stats();
  return waitingOffline + unacknowledged;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, TURN_MS));
}
