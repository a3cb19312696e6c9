import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { until } from '../../support/until.js';
import { LinkRig, type Session, textOf } from './rig.js';

const ALICE = '+15550000001';
const BOB = '+15550000002';
const CAROL = '+15550000003';

describe('a link among statuses and channel posts', () => {
  let rig: LinkRig;
  let session: Session;

  beforeEach(async () => {
    rig = await LinkRig.start();
    await rig.network.addPhone({ number: ALICE, name: 'Alice' });
    await rig.network.addPhone({ number: BOB, name: 'Bob' });
    session = await rig.connected(ALICE);
  });

  afterEach(() => rig.stop());

  it('receives the messages after a status, also at the next connection', async () => {
    await rig.network.postStatus(BOB, 'my holidays');
    await rig.network.postInChannel(ALICE, { text: 'news' });
    await rig.network.write(BOB, { to: ALICE, text: 'live' });
    await session.next('message', ({ message }) => textOf(message) === 'live');
    await session.close();
    await rig.network.write(BOB, { to: ALICE, text: 'later' });
    session.open();
    await session.next('message', ({ message }) => textOf(message) === 'later');
    // a text whose receipt was cut off by the close comes again
    const others = session
      .all('message')
      .filter(({ message }) => !/^(live|later)$/.test(textOf(message) ?? ''));
    expect(others).to.deep.equal([]);
  });

  it('receives statuses with their authors, if they are wanted, also those that waited', async () => {
    session.wantsStatuses = true;
    const { lid } = await rig.network.phone(BOB);
    const status = async (text: string) => {
      const { message } = await session.next('message', (event) => textOf(event.message) === text);
      const participantAlt = `${BOB.slice(1)}@s.whatsapp.net`;
      const author = { participant: lid, participantAlt, fromMe: false };
      expect(message)
        .to.include({ chat: 'status@broadcast', ...author })
        .and.not.have.property('chatAlt');
    };
    await rig.network.postStatus(BOB, 'live');
    await status('live');
    await session.close();
    await rig.network.postStatus(BOB, 'waited');
    await rig.network.write(BOB, { to: ALICE, text: 'after it' });
    session.open();
    await status('waited');
    await session.next('message', ({ message }) => textOf(message) === 'after it');
  });

  it('receives the statuses of the own phone as own ones', async () => {
    session.wantsStatuses = true;
    await rig.network.postStatus(ALICE, 'mine');
    const { message } = await session.next('message', (event) => textOf(event.message) === 'mine');
    expect(message).to.include({ chat: 'status@broadcast', fromMe: true });
  });

  it('reads a status after others that were acknowledged unread', async () => {
    await rig.network.postStatus(BOB, 'unread');
    await rig.network.write(BOB, { to: ALICE, text: 'between' });
    await session.next('message', ({ message }) => textOf(message) === 'between');
    session.wantsStatuses = true;
    await rig.network.postStatus(BOB, 'read');
    await session.next('message', ({ message }) => textOf(message) === 'read');
    expect(session.all('message').map(({ message }) => textOf(message))).to.deep.equal(['between', 'read']);
  });

  it('encrypts a status again for whoever got it, also after one for fewer people, and for nobody else', async () => {
    await rig.network.addPhone({ number: CAROL, name: 'Carol' });
    const [bob, carol] = [(await rig.network.phone(BOB)).lid, (await rig.network.phone(CAROL)).lid];
    const post = async (people: string[]) => {
      const audience = { setting: 'allowlist', people } as const;
      return (await session.send('status@broadcast', 'news', { audience })).messageId;
    };
    const [first, second] = [await post([bob, carol]), await post([carol])];
    const retry = (id: string, participant: string): BinaryNode => ({
      tag: 'receipt',
      attrs: { id, from: 'status@broadcast', participant, type: 'retry', t: '1' },
      content: [{ tag: 'retry', attrs: { count: '1', id, t: '1', v: '1' } }],
    });
    const { resent: before } = await rig.network.stats();
    for (const [id, device] of [
      [second, bob],
      [first, bob],
      [first, `${BOB.slice(1)}@s.whatsapp.net`],
      [second, carol],
    ] as const)
      rig.inject(ALICE, retry(id, device));
    await until('the copies', async () => (await rig.network.stats()).resent === before + 3);
    rig.inject(ALICE, retry(second, bob));
    rig.inject(ALICE, retry(second, carol));
    await until('another copy', async () => (await rig.network.stats()).resent === before + 4);
    const shown = (await rig.network.statuses(BOB)).map(({ messageId }) => messageId);
    expect(shown).to.deep.equal([first]);
  });
});
