import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../../src/domain/clock.js';
import { isGatewayError } from '../../../src/domain/errors.js';
import type { JournalEntry } from '../../../src/domain/signal-state.js';
import { createBaileysLinks } from '../../../src/gateway/link/baileys/index.js';
import type { HistoricMessage, HistoryBatch, HistoryPart } from '../../../src/gateway/link/history.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
/** More than one part holds. */
const MANY = 520;
/** Messages that a batch has at most. */
const BATCH = 200;
/** Bytes that do not compress: these few messages are too much for one stanza. */
const LONG = 8_000;
const LONG_MESSAGES = 12;
/** An address without a listener. */
const NOBODY = 'http://127.0.0.1:9';

describe('the history of a paired phone', () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
  });

  afterEach(() => rig.stop());

  async function said(from: string, to: string, text: string): Promise<string> {
    const { messageId } = await rig.network.write(from, { to, text });
    if (to === ALICE) await rig.network.waitForMessage(ALICE, (message) => message.messageId === messageId);
    return messageId;
  }

  it('the history arrives in parts that stay in the journal until their reader closes them', async () => {
    const asked = await said(BOB, ALICE, 'How are you?');
    const answered = await said(ALICE, BOB, 'Fine');
    const session = await linked(rig, { wantsHistory: true });
    const parts = await partsOf(rig, session, 2);
    expect(session.keys.openEntries().map(({ id }) => id)).to.have.members(
      session.all('history').map(({ journalId }) => journalId),
    );
    expect(parts.map(({ progress, account }) => [progress, account])).to.deep.equal([
      [100, { pn: '15550000001' }],
      [100, { pn: '15550000001' }],
    ]);
    const { people, messages } = await readAll(parts);
    const bob = (await rig.network.phone(BOB)).lid.split('@')[0];
    expect(people).to.deep.include({ lid: bob, pn: '15550000002', pushName: 'Bob' });
    expect(people).to.deep.include({ lid: bob, pushName: 'Bob' });
    expect(messages.map(({ messageId }) => messageId)).to.have.members([asked, answered]);
    const question = messages.find(({ messageId }) => messageId === asked);
    expect(question).to.deep.include({
      chat: `${bob}@lid`,
      chatAlt: '15550000002@s.whatsapp.net',
      fromMe: false,
      pushName: 'Bob',
      deleted: false,
      reactions: [],
    });
    expect(textOf(question ?? { content: {} })).to.equal('How are you?');
    expect(messages.find(({ messageId }) => messageId === answered)).to.include({
      fromMe: true,
      pushName: '',
    });
    expect(session.all('message')).to.deep.equal([]);
  });

  it('the history contains edits, deletions, reactions and unread counts', async () => {
    const loved = await said(ALICE, BOB, 'Fine');
    await rig.network.waitForMessage(BOB, ({ messageId }) => messageId === loved);
    await rig.network.write(BOB, { to: ALICE, reaction: { messageId: loved, emoji: '👍' } });
    await rig.network.waitForChange(ALICE, ({ targetId }) => targetId === loved);
    const gone = await said(CAROL, ALICE, 'Oops');
    await rig.network.write(CAROL, { to: ALICE, revoke: { messageId: gone } });
    await rig.network.waitForChange(ALICE, ({ targetId }) => targetId === gone);
    await said(CAROL, ALICE, 'Anybody?');
    const session = await linked(rig, { wantsHistory: true });
    const { messages } = await readAll(await partsOf(rig, session, 2));
    const byId = new Map(messages.map((message) => [message.messageId, message]));
    expect(byId.get(loved)?.reactions.map(({ fromMe, emoji }) => [fromMe, emoji])).to.deep.equal([
      [false, '👍'],
    ]);
    expect(byId.get(loved)).to.include({ unreadInChat: 0 });
    expect(byId.get(gone)).to.deep.include({ deleted: true, content: {}, unreadInChat: 2 });
  });

  it('the history arrives only for its tokens when the pairing did not request it', async () => {
    await said(BOB, ALICE, 'before');
    const session = await linked(rig, { wantsHistory: false });
    const parts = await partsOf(rig, session, 2);
    expect(await Promise.all(parts.map((part) => part.isWanted(session.keys)))).to.deep.equal([false, false]);
  });

  it('the history comes from the media host when it is large, and is yielded only when it is complete', async () => {
    const texts = Array.from({ length: LONG_MESSAGES }, () => randomBytes(LONG).toString('base64'));
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    const session = await linked(rig, { wantsHistory: true });
    const parts = await partsOf(rig, session, 2);
    const { messages } = await readAll(parts);
    expect(messages.map(textOf)).to.have.members(texts);
  });

  it('fails with `media_unfetchable` while the host is unavailable', async () => {
    const texts = Array.from({ length: LONG_MESSAGES }, () => randomBytes(LONG).toString('base64'));
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    const session = await linked(rig, { wantsHistory: true });
    await partsOf(rig, session, 2);
    const nowhere = createBaileysLinks({
      network: { mediaUrl: NOBODY },
      log: pino({ level: 'silent' }),
      clock: systemClock,
    });
    const entries = session.keys.openEntries();
    const [first] = entries.flatMap((entry) => nowhere.history(entry, '') ?? []);
    const failed = await collect(required(first)).catch((error: unknown) => error);
    expect(isGatewayError(failed, 'media_unfetchable')).to.equal(true);
  });

  it('the history is ignored when its journal entry is damaged or comes from another account', async () => {
    await said(BOB, ALICE, 'before');
    const session = await linked(rig, { wantsHistory: true });
    await partsOf(rig, session, 2);
    const entry = session.keys.openEntries()[0];
    const damaged: JournalEntry[] = [
      { ...required(entry), stanza: new Uint8Array() },
      { ...required(entry), plain: new Uint8Array([1, 2, 3]) },
    ];
    expect(damaged.map((each) => rig.factory.history(each, ''))).to.deep.equal([undefined, undefined]);
    await said(BOB, ALICE, 'live');
    const { message } = await session.next('message');
    const live = session.keys.openEntries().find(({ messageId }) => messageId === message.messageId);
    expect(rig.factory.history(required(live), '')).to.equal(undefined);
  });
});

describe('a long history of a paired phone', () => {
  const texts = Array.from({ length: MANY }, (_, index) => `no ${index}`);
  let rig: LinkRig;
  let parts: HistoryPart[];

  before(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    parts = await partsOf(rig, await linked(rig, { wantsHistory: true }), 3);
  });
  after(() => rig.stop());

  it('a long history arrives in bounded batches, from the newest message to the oldest', async () => {
    const batches: HistoryBatch[] = [];
    for (const part of parts) batches.push(...(await collect(part)));
    for (const { messages } of batches) expect(messages.length).to.be.at.most(BATCH);
    const told = batches.flatMap(({ messages }) => messages.map(({ content }) => textOf({ content })));
    // also across the border of two parts, and where all are of one second
    expect(told.reverse()).to.deep.equal(texts);
  });

  it('a long history is read no further before the next batch is requested', async () => {
    const [part] = parts;
    const sizes: number[] = [];
    for await (const { messages } of part?.batches(new AbortController().signal) ?? []) {
      sizes.push(messages.length);
      if (messages.length > 0) break;
    }
    expect(sizes.at(-1)).to.equal(BATCH);
  });
});

async function linked(rig: LinkRig, options: { wantsHistory: boolean }): Promise<Session> {
  const session = rig.session();
  session.wantsHistory = options.wantsHistory;
  await rig.paired(ALICE, session);
  // only at the moment of pairing it counts
  session.wantsHistory = false;
  session.open();
  await session.next('open');
  return session;
}

/** The parts of the past, when the last of them has come. */
async function partsOf(rig: LinkRig, session: Session, count: number): Promise<HistoryPart[]> {
  await session.next('history', () => session.all('history').length >= count);
  return session.keys.openEntries().flatMap((entry) => rig.factory.history(entry, '') ?? []);
}

async function collect(part: HistoryPart): Promise<HistoryBatch[]> {
  const batches: HistoryBatch[] = [];
  for await (const batch of part.batches(new AbortController().signal)) batches.push(batch);
  return batches;
}

async function readAll(parts: readonly HistoryPart[]): Promise<HistoryBatch> {
  const people: HistoryBatch['people'] = [];
  const messages: HistoricMessage[] = [];
  for (const part of parts) {
    for (const batch of await collect(part)) {
      people.push(...batch.people);
      messages.push(...batch.messages);
    }
  }
  return { people, messages };
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
