import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { pino } from 'pino';
import { systemClock } from '../../src/domain/clock.js';
import { isGatewayError } from '../../src/domain/errors.js';
import type { JournalEntry } from '../../src/domain/signal-state.js';
import { createBaileysLinks } from '../../src/link/baileys/index.js';
import type { HistoricMessage, HistoryBatch, HistoryPart } from '../../src/link/port/history.js';
import { Rig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
/** More than one part holds. */
const MANY = 700;
/** Messages that a batch has at most. */
const BATCH = 200;
/** Bytes that do not compress: these few messages are too much for one stanza. */
const LONG = 8_000;
const LONG_MESSAGES = 12;
/** Where nobody listens. */
const NOBODY = 'http://127.0.0.1:9';

describe('history over the wire', () => {
  let rig: Rig;

  beforeEach(async () => {
    rig = await Rig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
  });

  afterEach(() => rig.stop());

  async function linked(options: { wantsHistory: boolean }): Promise<Session> {
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
  async function partsOf(session: Session, count: number): Promise<HistoryPart[]> {
    await session.next('history', () => session.all('history').length >= count);
    return session.keys.openEntries().flatMap((entry) => rig.factory.history(entry) ?? []);
  }

  async function said(from: string, to: string, text: string): Promise<string> {
    const { messageId } = await rig.network.write(from, { to, text });
    if (to === ALICE) await rig.network.waitForMessage(ALICE, (message) => message.messageId === messageId);
    return messageId;
  }

  it('of a phone is told in parts that stay in the journal until somebody closes them', async () => {
    const asked = await said(BOB, ALICE, 'How are you?');
    const answered = await said(ALICE, BOB, 'Fine');
    const session = await linked({ wantsHistory: true });
    const parts = await partsOf(session, 2);
    expect(session.keys.openEntries().map(({ id }) => id)).to.have.members(
      session.all('history').map(({ journalId }) => journalId),
    );
    expect(parts.map(({ progress, account }) => [progress, account])).to.deep.equal([
      [100, { pn: '15550000001' }],
      [100, { pn: '15550000001' }],
    ]);
    const { people, messages } = await readAll(parts);
    const bob = (await rig.network.phone(BOB)).lid.split('@')[0];
    expect(people).to.deep.include({ lid: bob, pn: '15550000002', name: 'Bob' });
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
    expect(question?.content.conversation).to.equal('How are you?');
    expect(messages.find(({ messageId }) => messageId === answered)).to.include({
      fromMe: true,
      pushName: '',
    });
    expect(session.all('message')).to.deep.equal([]);
  });

  it('tells what had become of the messages, and what nobody had read', async () => {
    const loved = await said(ALICE, BOB, 'Fine');
    await rig.network.waitForMessage(BOB, ({ messageId }) => messageId === loved);
    await rig.network.write(BOB, { to: ALICE, reaction: { messageId: loved, emoji: '👍' } });
    await rig.network.waitForChange(ALICE, ({ targetId }) => targetId === loved);
    const gone = await said(CAROL, ALICE, 'Oops');
    await rig.network.write(CAROL, { to: ALICE, revoke: { messageId: gone } });
    await rig.network.waitForChange(ALICE, ({ targetId }) => targetId === gone);
    await said(CAROL, ALICE, 'Anybody?');
    const session = await linked({ wantsHistory: true });
    const { messages } = await readAll(await partsOf(session, 2));
    const byId = new Map(messages.map((message) => [message.messageId, message]));
    expect(byId.get(loved)?.reactions.map(({ fromMe, emoji }) => [fromMe, emoji])).to.deep.equal([
      [false, '👍'],
    ]);
    expect(byId.get(loved)).to.include({ unreadInChat: 0 });
    expect(byId.get(gone)).to.deep.include({ deleted: true, content: {}, unreadInChat: 2 });
  });

  it('is ignored, and nothing of it is kept or fetched, when it was not wanted of the pairing', async () => {
    await said(BOB, ALICE, 'before');
    const session = await linked({ wantsHistory: false });
    await session.keys.until(() => session.keys.journal.size >= 3);
    expect(session.keys.openEntries()).to.deep.equal([]);
    await said(BOB, ALICE, 'after');
    await session.next('message');
    expect(session.all('history')).to.deep.equal([]);
  });

  it('comes in bounded batches, the messages of one second in the order in which they were written', async () => {
    const texts = Array.from({ length: MANY }, (_, index) => `no ${index}`);
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    const session = await linked({ wantsHistory: true });
    const batches: HistoryBatch[] = [];
    for (const part of await partsOf(session, 3)) batches.push(...(await collect(part)));
    for (const { messages } of batches) expect(messages.length).to.be.at.most(BATCH);
    const seconds = new Map<number, string[]>();
    for (const { timestamp, content } of batches.flatMap(({ messages }) => messages)) {
      seconds.set(timestamp, [...(seconds.get(timestamp) ?? []), content.conversation ?? '']);
    }
    const told = [...seconds].sort(([a], [b]) => a - b).flatMap(([, words]) => words);
    expect(told).to.have.members(texts);
    // a second that two parts share is told half by each
    const breaks = told.filter(
      (text, index) => index > 0 && texts.indexOf(text) < texts.indexOf(told[index - 1] ?? ''),
    );
    expect(breaks.length).to.be.at.most(1);
  });

  it('reads nothing further before the next batch is asked for', async () => {
    for (let index = 0; index < 2 * BATCH + 1; index++) {
      await rig.network.write(ALICE, { to: BOB, text: `no ${index}` });
    }
    const session = await linked({ wantsHistory: true });
    const [part] = await partsOf(session, 2);
    const sizes: number[] = [];
    for await (const { messages } of part?.batches(new AbortController().signal) ?? []) {
      sizes.push(messages.length);
      if (messages.length > 0) break;
    }
    expect(sizes.at(-1)).to.equal(BATCH);
  });

  it('comes by way of the media host when it is large, and is given only when it is whole', async () => {
    const texts = Array.from({ length: LONG_MESSAGES }, () => randomBytes(LONG).toString('base64'));
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    const session = await linked({ wantsHistory: true });
    const parts = await partsOf(session, 2);
    const { messages } = await readAll(parts);
    expect(messages.map(({ content }) => content.conversation)).to.have.members(texts);
  });

  it('that cannot be fetched now is an error that says so', async () => {
    const texts = Array.from({ length: LONG_MESSAGES }, () => randomBytes(LONG).toString('base64'));
    for (const text of texts) await rig.network.write(ALICE, { to: BOB, text });
    const session = await linked({ wantsHistory: true });
    await partsOf(session, 2);
    const nowhere = createBaileysLinks({
      network: { mediaUrl: NOBODY },
      log: pino({ level: 'silent' }),
      clock: systemClock,
    });
    const entries = session.keys.openEntries();
    const [first] = entries.flatMap((entry) => nowhere.history(entry) ?? []);
    const failed = await collect(required(first)).catch((error: unknown) => error);
    expect(isGatewayError(failed, 'media_unfetchable')).to.equal(true);
  });

  it('announced by an entry that is damaged, or by somebody else, is none', async () => {
    await said(BOB, ALICE, 'before');
    const session = await linked({ wantsHistory: true });
    await partsOf(session, 2);
    const entry = session.keys.openEntries()[0];
    const damaged: JournalEntry[] = [
      { ...required(entry), stanza: new Uint8Array() },
      { ...required(entry), plain: new Uint8Array([1, 2, 3]) },
    ];
    expect(damaged.map((each) => rig.factory.history(each))).to.deep.equal([undefined, undefined]);
    await said(BOB, ALICE, 'live');
    const { message } = await session.next('message');
    const live = session.keys.openEntries().find(({ messageId }) => messageId === message.messageId);
    expect(rig.factory.history(required(live))).to.equal(undefined);
  });
});

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
