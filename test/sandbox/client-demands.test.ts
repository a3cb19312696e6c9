import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { ask, element, heard, notified } from './support/stanza-queries.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from './support/world.js';

const GROUPS = 'g.us';

/** More stanzas as clients of other families read them, beside `strict-clients.test.ts`. */
describe('Sandbox: what clients of other families demand', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  describe('messages', () => {
    it('marks a withheld copy as the official client reads it', async () => {
      const alice = await world.linked(ALICE);
      for (const [deviceCopy, attrs, isOfBot] of [
        ['unavailable', {}, false],
        ['unavailable-view-once', { type: 'view_once' }, false],
        ['unavailable-hosted', { hosted: 'true' }, false],
        ['unavailable-bot', {}, true],
      ] as const) {
        const told = heard(alice, 'message', (node) => getBinaryNodeChild(node, 'unavailable') !== undefined);
        await world.client.write(BOB, { to: ALICE, text: 'withheld', deviceCopy });
        const message = await told;
        expect(getBinaryNodeChild(message, 'unavailable')?.attrs, deviceCopy).to.deep.equal(attrs);
        expect(getBinaryNodeChild(message, 'bot') !== undefined, deviceCopy).to.equal(isOfBot);
      }
    });

    it('reach a group, both ways, after a member has installed WhatsApp anew', async () => {
      const alice = await world.linked(ALICE);
      const { id } = await alice.socket.groupCreate('Team', [pnJid(BOB), pnJid(CAROL)]);
      const isHeard = (by: string, text: string) =>
        world.client.waitForMessage(by, (message) => message.text === text);
      for (const by of [BOB, CAROL]) {
        await world.client.write(by, { to: id, text: `before, by ${by}` });
        await alice.text(`before, by ${by}`);
      }
      await alice.say(id, 'before');
      await isHeard(BOB, 'before');
      // as a device that has not heard of the new identity: it believes that the phone still has its key
      const keys = { ...(await alice.keys.get('sender-key-memory', [id])) };
      await world.client.reinstall(BOB);
      await world.client.write(BOB, { to: id, text: 'with a new key' });
      await alice.text('with a new key');
      await isHeard(CAROL, 'with a new key');
      await alice.keys.set({ 'sender-key-memory': keys });
      const askedAgain = heard(alice, 'receipt', ({ attrs }) => attrs.type === 'retry');
      await alice.say(id, 'to a phone without the key');
      expect((await askedAgain).attrs.from).to.equal(id);
      await isHeard(BOB, 'to a phone without the key');
      expect((await world.client.stats()).retryReceipts).to.deep.equal({});
      await world.client.write(CAROL, { to: id, text: 'between phones' });
      await isHeard(BOB, 'between phones');
    });
  });

  describe('chats', () => {
    it('disappear from the phone when a device deletes them, until somebody writes again', async () => {
      const alice = await world.linked(ALICE);
      const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'old' });
      const { key, messageTimestamp = null } = await alice.message(messageId);
      await world.client.write(CAROL, { to: ALICE, text: 'other chat' });
      await alice.text('other chat');
      const chat = key.remoteJid ?? '';
      await alice.socket.chatModify({ delete: true, lastMessages: [{ key, messageTimestamp }] }, chat);
      const texts = async () => (await world.client.messages(ALICE)).map(({ text }) => text);
      const partners = async () => {
        const { chats } = await world.client.chats(ALICE);
        return chats.map((one) => one.with);
      };
      expect(await partners()).to.deep.equal([CAROL]);
      expect(await texts()).to.deep.equal(['other chat']);
      await world.client.write(BOB, { to: ALICE, text: 'new' });
      await alice.text('new');
      expect(await partners()).to.have.members([CAROL, BOB]);
    });
  });

  describe('calls', () => {
    it('come as a notice to devices that need not ring', async () => {
      const alice = await world.linked(ALICE);
      const { jid } = await world.client.groups.create(BOB, { subject: 'Team', participants: [ALICE] });
      const told = heard(alice, 'call');
      const { callId } = await world.client.activity.ring(BOB, { to: jid, video: true, notice: true });
      const notice = getBinaryNodeChild(await told, 'offer_notice');
      expect(notice?.attrs).to.include({
        'call-id': callId,
        media: 'video',
        type: 'group',
        'group-jid': jid,
      });
    });
  });

  describe('a client that was away', () => {
    for (const [kind, type] of [
      ['dirty-account', 'account_sync'],
      ['dirty-groups', 'groups'],
    ] as const) {
      it(`is told by ${kind} what to ask for again, and says when it has`, async () => {
        const alice = await world.linked(ALICE);
        await alice.stop();
        await world.client.fault({ kind, number: ALICE });
        alice.start();
        const told = await heard(alice, 'ib', (node) => getBinaryNodeChild(node, 'dirty') !== undefined);
        const dirty = getBinaryNodeChild(told, 'dirty');
        expect(dirty?.attrs).to.include({ type });
        expect(Number(dirty?.attrs.timestamp)).to.be.greaterThan(1_700_000_000);
        const clean = element('clean', { type, timestamp: dirty?.attrs.timestamp });
        const answer = await ask(alice, { xmlns: 'urn:xmpp:whatsapp:dirty', type: 'set' }, clean);
        expect(answer.attrs.type).to.equal('result');
      });
    }
  });

  describe('groups', () => {
    const participantsOf = (group: BinaryNode | undefined) => {
      const all = getBinaryNodeChildren(group, 'participant').map(({ attrs }) => attrs);
      return new Map(all.map((attrs) => [attrs.jid, attrs]));
    };

    it('mask the numbers of members in the announcement group of a community', async () => {
      const alice = await world.linked(ALICE);
      const bob = await world.linked(BOB);
      const created = await ask(
        alice,
        { xmlns: 'w:g2', type: 'set', to: GROUPS },
        element('create', { subject: 'Community', key: 'K1' }, [element('parent')]),
      );
      const to = `${getBinaryNodeChild(created, 'group')?.attrs.id}@${GROUPS}`;
      const { id } = await alice.socket.groupCreate('Linked', [pnJid(BOB), pnJid(CAROL)]);
      const link = element('link', { link_type: 'sub_group' }, [element('group', { jid: id })]);
      await ask(alice, { xmlns: 'w:g2', type: 'set', to }, element('links', {}, [link]));
      const answer = await ask(alice, { xmlns: 'w:g2', to }, element('sub_groups'));
      const groups = getBinaryNodeChildren(getBinaryNodeChild(answer, 'sub_groups'), 'group');
      const [announcements] = groups.filter((group) => getBinaryNodeChild(group, 'default_sub_group'));
      const asked = { xmlns: 'w:g2', to: `${announcements?.attrs.id}@${GROUPS}` };
      const query = element('query', { request: 'interactive' });
      const seenBy = async (device: typeof alice) =>
        participantsOf(getBinaryNodeChild(await ask(device, asked, query), 'group'));
      const [ofAlice, ofBob, ofCarol] = await Promise.all(
        [ALICE, BOB, CAROL].map(async (number) => (await world.client.phone(number)).lid),
      );
      const forBob = await seenBy(bob);
      const masked = '+1\u2219\u2219\u2219\u2219\u2219\u2219\u2219\u221903';
      expect(forBob.get(ofCarol ?? '')).to.deep.equal({ jid: ofCarol, display_name: masked });
      expect(forBob.get(ofAlice ?? '')).to.include({ phone_number: pnJid(ALICE) });
      expect(forBob.get(ofBob ?? '')).to.include({ phone_number: pnJid(BOB) });
      expect((await seenBy(alice)).get(ofCarol ?? '')).to.include({ phone_number: pnJid(CAROL) });
      await world.client.people.nameContacts(CAROL, [{ number: BOB, name: 'Bob' }]);
      expect((await seenBy(bob)).get(ofCarol ?? '')).to.include({ phone_number: pnJid(CAROL) });
    });

    it('name the author of a description by LID and number', async () => {
      const alice = await world.linked(ALICE);
      const { id } = await alice.socket.groupCreate('Team', [pnJid(BOB)]);
      const told = notified(alice, 'w:gp2', 'description');
      await world.client.groups.update(BOB, id, { description: 'what it is about' });
      const { lid } = await world.client.phone(BOB);
      const author = { participant: lid, participant_pn: pnJid(BOB) };
      expect((await told)[1].attrs).to.include(author);
      const answer = await ask(
        alice,
        { xmlns: 'w:g2', to: id },
        element('query', { request: 'interactive' }),
      );
      const description = getBinaryNodeChild(getBinaryNodeChild(answer, 'group'), 'description');
      expect(description?.attrs).to.include(author);
    });

    it('have a new version when the number of a member changes', async () => {
      const alice = await world.linked(ALICE);
      await alice.socket.groupCreate('Team', [pnJid(BOB)]);
      const told = notified(alice, 'w:gp2', 'modify');
      await world.client.changeNumber(BOB, '+15550000077');
      const { v_id, prev_v_id } = (await told)[1].attrs;
      expect(Number(v_id)).to.be.greaterThan(Number(prev_v_id));
    });
  });

  describe('terms', () => {
    it('are accepted by a client, and are so for the other devices of the account', async () => {
      const [alice, tablet] = [await world.linked(ALICE), await world.linked(ALICE)];
      const state = async () => {
        const wanted = element('request', {}, [element('notice', { id: '20601216' })]);
        const tos = getBinaryNodeChild(await ask(tablet, { xmlns: 'tos' }, wanted), 'tos');
        return getBinaryNodeChild(tos, 'notice')?.attrs;
      };
      expect(await state()).to.deep.equal({ id: '20601216', state: 'false' });
      const accepted = element('notice', { id: '20601216', stage: '5' });
      await ask(alice, { xmlns: 'tos', type: 'set' }, accepted);
      expect(await state()).to.deep.equal({ id: '20601216', state: 'true' });
    });
  });
});
