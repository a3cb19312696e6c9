import { expect } from 'chai';
import { GatewayError } from '../../../src/domain/errors.js';
import { until } from '../../support/until.js';
import { LinkRig, type Session } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';
const BOB_PN = '15550000002@s.whatsapp.net';
const CAROL_PN = '15550000003@s.whatsapp.net';
/** Tokens are valid for 4 buckets of 7 days. */
const WEEK_S = 7 * 24 * 60 * 60;
const FIVE_WEEKS_S = 5 * WEEK_S;
const LOCK_MS = 60_000;
const RESTRICTED = /463/;

describe('a link and trusted-contact tokens', () => {
  let rig: LinkRig;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
  });

  afterEach(() => rig.stop());

  async function linkedAfterChat(options: { wantsHistory: boolean }): Promise<Session> {
    const { messageId } = await rig.network.write(BOB, { to: ALICE, text: 'before' });
    await rig.network.waitForMessage(ALICE, (message) => message.messageId === messageId);
    const session = rig.session();
    session.wantsHistory = options.wantsHistory;
    await rig.paired(ALICE, session);
    session.open();
    await session.next('open');
    await session.next('history', () => session.all('history').length >= 2);
    return session;
  }

  async function keepTokens(session: Session): Promise<void> {
    for (const entry of session.keys.openEntries()) {
      await rig.factory.history(entry, '')?.keepTokens(session.keys, new AbortController().signal);
    }
  }

  for (const wantsHistory of [true, false]) {
    it(`sends tokens to the chats of the phone ${wantsHistory ? 'and' : 'though'} its history is ${wantsHistory ? '' : 'not '}kept`, async () => {
      const session = await linkedAfterChat({ wantsHistory });
      await rig.network.fault({ kind: 'reachout-lock', number: ALICE });
      await refused(session.send(BOB_PN, 'without the token'));
      await keepTokens(session);
      await session.send(BOB_PN, 'with the token');
      await rig.network.waitForMessage(BOB, ({ text }) => text === 'with the token');
      await refused(session.send(CAROL_PN, 'first contact'));
      for (const entry of session.keys.openEntries())
        expect(await rig.factory.history(entry, '')?.isWanted(session.keys)).to.equal(wantsHistory);
    });
  }

  it('reaches a restricted account at first contact, with a token made from the salt of the history', async () => {
    const session = await linkedAfterChat({ wantsHistory: false });
    await rig.network.fault({ kind: 'token-required', number: ALICE });
    await refused(session.send(CAROL_PN, 'without the salt'));
    await keepTokens(session);
    await session.send(CAROL_PN, 'with the salt');
    await rig.network.waitForMessage(CAROL, ({ text }) => text === 'with the salt');
  });

  it('reaches a restricted account at first contact with the salt of the settings, also after a change', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'token-required', number: ALICE });
    await refused(session.send(CAROL_PN, 'without a salt'));
    for (const text of ['with a salt', 'with another salt']) {
      session.keys.commits.length = 0;
      await rig.network.renewSalt(ALICE);
      await session.keys.until(() =>
        session.keys.commits.some(({ keys = [] }) => keys.some(({ type }) => type === 'nct-salt')),
      );
      await session.send(CAROL_PN, text);
      await rig.network.waitForMessage(CAROL, (message) => message.text === text);
    }
    // the phone can read its own patches
    expect((await rig.network.chats(ALICE)).rejected).to.equal(0);
  });

  it('stores tokens from notifications until they expire, and issues its own after a send', async () => {
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'reachout-lock', number: ALICE });
    const now = Math.floor(Date.now() / 1000);
    await given(session, CAROL, now - FIVE_WEEKS_S);
    expect(await session.link?.isTrusted(CAROL_PN)).to.equal(false);
    await refused(session.send(CAROL_PN, 'with an expired token'));
    await given(session, BOB, now);
    const { lid } = await rig.network.phone(BOB);
    const asked = async () => (await rig.network.stats()).queries.usync ?? 0;
    const before = await asked();
    expect(await session.link?.isTrusted(lid)).to.equal(true);
    // the network is not asked whose number it is
    expect(await session.link?.isTrusted(BOB_PN)).to.equal(false);
    expect(await asked()).to.equal(before);
    await session.link?.lookUp({ kind: 'pn', user: BOB.slice(1) });
    expect(await session.link?.isTrusted(BOB_PN)).to.equal(true);
    await session.send(BOB_PN, 'hello');
    await rig.network.waitForMessage(BOB, ({ text }) => text === 'hello');
    const tokens = async () => (await rig.network.tokens(ALICE)).map(({ to }) => to);
    await until('the token', async () => (await tokens()).includes(BOB));
    const [first] = (await rig.network.tokens(ALICE)).filter(({ to }) => to === BOB);
    await session.send(BOB_PN, 'again');
    const [second] = (await rig.network.tokens(ALICE)).filter(({ to }) => to === BOB);
    expect(second).to.deep.equal(first);
  });

  it('issues its own token again with a send in a later week', async () => {
    const session = await rig.connected(ALICE);
    const queries = async () => (await rig.network.stats()).queries.privacy ?? 0;
    const { lid } = await rig.network.phone(BOB);
    const note = async () => (await session.keys.get('tctoken', [lid])).get(lid);
    await session.send(BOB_PN, 'this week');
    await session.keys.until(() =>
      session.keys.commits.some(({ keys = [] }) => keys.some(({ id }) => id === lid)),
    );
    const before = await queries();
    const now = Buffer.from((await note()) ?? []).toString('latin1');
    const earlier = now.replace(
      /"senderTimestamp":\d+/,
      `"senderTimestamp":${Math.floor(Date.now() / 1000) - WEEK_S}`,
    );
    expect(earlier).not.to.equal(now);
    await session.keys.commit({
      keys: [{ type: 'tctoken', id: lid, value: Buffer.from(earlier, 'latin1') }],
    });
    await session.send(BOB_PN, 'a week later');
    await until('another query', async () => (await queries()) !== before);
    expect(await queries()).to.equal(before + 1);
  });

  it('asks for a missing token after a refusal, and sends once more under the same id', async () => {
    await rig.network.giveToken(BOB, { to: ALICE });
    const session = await rig.connected(ALICE);
    await rig.network.fault({ kind: 'token-required', number: ALICE });
    const { messageId } = await session.send(BOB_PN, 'with a token that was asked for');
    const held = await rig.network.waitForMessage(
      BOB,
      ({ text }) => text === 'with a token that was asked for',
    );
    expect(held.messageId).to.equal(messageId);
    expect(session.all('message-status').map(({ status }) => status))
      .to.include('sent')
      .and.not.include('failed');
    const refusal = await session.send(CAROL_PN, 'to a stranger').catch(String);
    expect(refusal).to.match(/463.*there is none/);
  });

  it('says until when a time lock lasts, and reports its begin and its end', async () => {
    const session = await rig.connected(ALICE);
    const ends = Date.now() + LOCK_MS;
    await rig.network.fault({ kind: 'reachout-lock', number: ALICE, ms: LOCK_MS });
    const { restriction } = await session.next('restriction', (event) => event.restriction.active);
    expect(restriction).to.deep.include({ kind: 'reachout-lock', cause: 'DEFAULT' });
    expect(restriction.until).to.be.closeTo(ends, 5_000);
    const refusal = await session.send(CAROL_PN, 'first contact').catch(String);
    expect(refusal).to.include(`until ${new Date(restriction.until ?? 0).toISOString()}`);
    await rig.network.clearFaults();
    await session.next('restriction', (event) => !event.restriction.active);
  });

  it('tells the restrictions of the account when it is asked', async () => {
    const session = await rig.connected(ALICE);
    const kinds = (await session.link?.restrictions())?.map(({ kind, active }) => [kind, active]);
    expect(kinds).to.deep.equal([
      ['reachout-lock', false],
      ['new-chat-limit', false],
    ]);
    for (const kind of ['new-chat-cap', 'new-chat-limit'] as const) {
      await rig.network.fault({ kind, number: ALICE });
      const { restriction } = await session.next('restriction', (event) => event.restriction.active);
      expect(restriction).to.deep.include({ kind: 'new-chat-limit', cause: 'CAPPED', quota: 100, used: 100 });
      expect(await session.link?.restrictions()).to.deep.include(restriction);
      await rig.network.clearFaults();
      await session.next('restriction', (event) => event.restriction.cause === 'NONE');
      session.events.length = 0;
    }
  });

  /** Gives Alice a token, and waits until the link has stored it. */
  async function given(session: Session, issuer: string, t: number): Promise<void> {
    const { lid } = await rig.network.phone(issuer);
    const stored = session.keys.until(() =>
      session.keys.commits.some(({ keys = [] }) =>
        keys.some(({ type, id }) => type === 'tctoken' && id === lid),
      ),
    );
    await rig.network.giveToken(issuer, { to: ALICE, t });
    await stored;
  }
});

async function refused(sending: Promise<unknown>): Promise<void> {
  const error = await sending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(GatewayError);
  expect(String(error)).to.match(RESTRICTED);
}
