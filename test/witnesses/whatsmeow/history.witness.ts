import { expect } from 'chai';
import { ALICE, BOB, pnJid } from '../../sandbox/support/world.js';
import type { WitnessEvent } from '../witness.js';
import { type Bot, partOfDay } from './day.js';

/** More than two parts hold. */
const MANY = 1_100;
/** Bytes that do not compress: a part with them does not fit into a stanza. */
const LONG = 4_000;

partOfDay('history and app state', [], (day) => {
  const { world } = day;
  let alice: Bot;
  const ids: string[] = [];
  let bobLid = '';

  const idsIn = (events: readonly WitnessEvent[]) =>
    events.flatMap((one) => (one.event === 'history' && Array.isArray(one.ids) ? one.ids : []));

  describe('history', () => {
    before(async function () {
      this.timeout(60_000);
      bobLid = (await world.client.phone(BOB)).lid;
      for (let number = 0; number < MANY; number++) {
        const text = number % 100 === 0 ? randomText() : `past ${number}`;
        ids.push((await world.client.write(BOB, { to: ALICE, text })).messageId);
      }
    });

    it('comes in parts at the pairing, through the media host where it is large', async () => {
      alice = await day.linked(ALICE);
      await alice.heard('history', ({ type }) => type === 'PUSH_NAME');
      const parts = alice.events.filter(({ event }) => event === 'history');
      expect(parts.map(({ type }) => type)).to.include.members(['INITIAL_BOOTSTRAP', 'RECENT', 'PUSH_NAME']);
      expect(new Set(idsIn(parts))).to.deep.equal(new Set(ids));
    });

    it('comes on demand, from a message backwards', async () => {
      const [oldest = '', , , fourth = ''] = ids;
      const info = (id: string) => ({
        ...{ Chat: bobLid, Sender: bobLid, IsFromMe: false, IsGroup: false },
        ...{ ID: id, Timestamp: new Date().toISOString() },
      });
      const ask = async (id: string, count: number) => {
        const act = () =>
          alice.build(pnJid(ALICE), 'BuildHistorySyncRequest', [info(id), count], { peer: true });
        return (await alice.after(act, 'history', ({ type }) => type === 'ON_DEMAND')).ids;
      };
      expect(await ask(fourth, 2)).to.deep.equal([ids[2], ids[1]]);
      expect(await ask(fourth, 50)).to.deep.equal([ids[2], ids[1], ids[0]]);
      expect(await ask(oldest, 50)).to.deep.equal([]);
    });

    it('gives a message again that the bot asks the phone for', async () => {
      const id = ids.at(-1) ?? '';
      const args = [bobLid, bobLid, id];
      await alice.after(
        () => alice.build(pnJid(ALICE), 'BuildUnavailableMessageRequest', args, { peer: true }),
        'message',
        (one) => one.id === id && one.fromPhone === true,
      );
    });
  });

  describe('app state', () => {
    const now = () => new Date().toISOString();
    const actionOf = (field: string) => (one: WitnessEvent) => Object(one.Action)[field];

    const onPhone: [object, string, string, unknown][] = [
      [{ archived: true }, 'archive', 'archived', true],
      [{ archived: false }, 'archive', 'archived', false],
      [{ pinned: true }, 'pin', 'pinned', true],
      [{ pinned: false }, 'pin', 'pinned', false],
      [{ muted: true }, 'mute', 'muted', true],
      [{ muted: false }, 'mute', 'muted', false],
      [{ unread: true }, 'markChatAsRead', 'read', false],
      [{ unread: false }, 'markChatAsRead', 'read', true],
    ];
    for (const [change, event, field, value] of onPhone) {
      it(`hears of ${JSON.stringify(change)} on the phone`, async () => {
        const news = await alice.after(() => world.client.updateChat(ALICE, BOB, change), event);
        expect(actionOf(field)(news)).to.equal(value);
        expect(news.JID).to.equal(bobLid);
      });
    }

    const byBot: [string, unknown[], object][] = [
      ['archive', [true, new Date(0).toISOString(), null], { archived: true }],
      ['archive', [false, new Date(0).toISOString(), null], { archived: false }],
      ['pin', [true], { pinned: true }],
      ['pin', [false], { pinned: false }],
      ['mute', [true, 3_600 * 1e9], { muted: true }],
      ['mute', [false, 0], { muted: false }],
      ['markRead', [false, now(), null], { unread: true }],
      ['markRead', [true, now(), null], { unread: false }],
    ];
    for (const [build, args, result] of byBot) {
      it(`changes the phone by ${build} to ${JSON.stringify(result)}`, async () => {
        await alice.take('patch', { build, args: [bobLid, ...args] });
        const [[field, value] = ['', undefined]] = Object.entries(result);
        await world.client.waitForChat(ALICE, (chat) => chat.with === BOB && Object(chat)[field] === value);
      });
    }

    it('stars messages, and hears of names in the address book', async () => {
      const id = ids.at(-1) ?? '';
      await alice.take('patch', { build: 'star', args: [bobLid, bobLid, id, false, true] });
      await world.client.waitForChat(ALICE, ({ starredMessages }) => starredMessages?.includes(id) === true);
      const contacts = [{ number: BOB, name: 'Bob Berg' }];
      const news = await alice.after(() => world.client.people.nameContacts(ALICE, contacts), 'contact');
      expect(actionOf('fullName')(news)).to.equal('Bob Berg');
    });

    it('changes the name of the account, and hears of the change on the phone', async () => {
      await alice.take('patch', { build: 'pushName', args: ['Alice the bot'] });
      expect((await world.client.phone(ALICE)).name).to.equal('Alice the bot');
      await alice.after(() => world.client.update(ALICE, { name: 'Alice' }), 'pushNameSetting');
      expect(await alice.take('state')).to.include({ name: 'Alice' });
    });

    it('repeats a change after a conflict with another device', async () => {
      await world.client.fault({ kind: 'app-state-conflict', number: ALICE, count: 1 });
      const pin = () => alice.take('patch', { build: 'pin', args: [bobLid, true] });
      // whatsmeow repeats it itself, unless it reads the news of the other change in the same moment
      await pin().catch(pin);
      await world.client.waitForChat(ALICE, (chat) => chat.with === BOB && chat.pinned);
    });

    it('learns after a restart what was changed meanwhile', async () => {
      await alice.restart();
      await world.client.updateChat(ALICE, BOB, { pinned: false });
      await world.client.updateChat(ALICE, BOB, { archived: true });
      await alice.connect();
      await alice.heard('pin', (one) => actionOf('pinned')(one) === false);
      await alice.heard('archive', (one) => actionOf('archived')(one) === true);
      expect((await world.client.chats(ALICE)).rejected).to.equal(0);
    });

    it('reads at its pairing what was set before, also from a snapshot', async () => {
      const second = await day.linked(ALICE);
      await second.heard('archive', (one) => actionOf('archived')(one) === true);
      await second.heard('star', ({ MessageID }) => MessageID === ids.at(-1));
      await second.heard('contact', (one) => actionOf('fullName')(one) === 'Bob Berg');
      for (const name of ['regular', 'regular_low', 'regular_high', 'critical_block', 'critical_unblock_low'])
        await second.call('FetchAppState', name, true, false);
    });
  });
});

/** Text that does not compress. */
function randomText(): string {
  return Array.from({ length: LONG }, () => String.fromCharCode(33 + Math.floor(Math.random() * 90))).join(
    '',
  );
}
