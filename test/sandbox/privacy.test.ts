import type { BinaryNode } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, codeOf, pnJid, SandboxWorld } from './support/world.js';

describe('Sandbox: privacy', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.openKept());
  afterEach(() => world.close());

  const lidOf = async (number: string) => (await world.client.phone(number)).lid;

  /** Bob has written to Alice's client, so that it knows Bob's LID. */
  async function acquainted(): Promise<BaileysDevice> {
    const alice = await world.linked(ALICE);
    await world.client.write(BOB, { to: ALICE, text: 'Hello' });
    await alice.text('Hello');
    return alice;
  }

  it('delivers nothing that a blocked person writes, and keeps the list through a restart', async () => {
    const [alice, bob] = [await acquainted(), await world.linked(BOB)];
    await alice.socket.updateBlockStatus(pnJid(BOB), 'block');
    expect(await alice.socket.fetchBlocklist()).to.deep.equal([await lidOf(BOB)]);
    const acknowledged = acked(bob);
    const id = await bob.say(pnJid(ALICE), 'Can you hear me?');
    // the author gets the same tick as always
    expect(await acknowledged)
      .to.include({ id, class: 'message' })
      .and.not.to.have.property('error');
    await world.client.write(BOB, { to: ALICE, text: 'And from my phone?' });
    await alice.stop();
    await bob.stop();
    await world.restart();
    expect((await world.client.people.privacy(ALICE)).blocked).to.deep.equal([BOB]);
    await alice.connect(world.sandbox.wsUrl);
    await alice.socket.updateBlockStatus(await lidOf(BOB), 'unblock');
    expect(await alice.socket.fetchBlocklist()).to.deep.equal([]);
    await world.client.write(BOB, { to: ALICE, text: 'Friends again' });
    await alice.text('Friends again');
    expect((await world.client.messages(ALICE)).map(({ text }) => text)).to.deep.equal([
      'Hello',
      'Friends again',
    ]);
  });

  it('tells the devices of an account whom the phone blocks, and hides the profile from them', async () => {
    const [alice, bob] = [await acquainted(), await world.linked(BOB)];
    await world.client.update(ALICE, { picture: await dot() });
    const blocked = alice.until('blocklist.update', ({ type }) => type === 'add');
    await world.client.people.changePrivacy(ALICE, { blocked: [BOB] });
    expect((await blocked).blocklist).to.deep.equal([await lidOf(BOB)]);
    expect(await codeOf(bob.socket.profilePictureUrl(pnJid(ALICE)))).to.equal(401);
    const removed = alice.until('blocklist.update', ({ type }) => type === 'remove');
    await world.client.people.changePrivacy(ALICE, { blocked: [] });
    await removed;
    expect(await codeOf(bob.socket.profilePictureUrl(pnJid(ALICE)))).to.equal(200);
  });

  it('refuses to block by number, or without the number beside the LID', async () => {
    const alice = await world.linked(ALICE);
    const item = (attrs: Record<string, string>) =>
      codeOf(ask(alice, 'set', 'blocklist', { tag: 'item', attrs: { action: 'block', ...attrs } }));
    expect(await item({ jid: pnJid(BOB) })).to.equal(400);
    expect(await item({ jid: await lidOf(BOB) })).to.equal(400);
    expect(await item({ jid: '999999999999999@lid', pn_jid: pnJid(BOB) })).to.equal(404);
    expect(await item({ jid: await lidOf(BOB), pn_jid: pnJid(BOB) })).to.equal(200);
  });

  it('reads every setting back, and refuses values that a setting does not have', async () => {
    const alice = await world.linked(ALICE);
    const { socket } = alice;
    await socket.updateMessagesPrivacy('contacts');
    await socket.updateCallPrivacy('known');
    await socket.updateLastSeenPrivacy('contacts');
    await socket.updateOnlinePrivacy('match_last_seen');
    await socket.updateReadReceiptsPrivacy('none');
    expect(await socket.fetchPrivacySettings(true)).to.include({
      messages: 'contacts',
      calladd: 'known',
      last: 'contacts',
      online: 'match_last_seen',
      readreceipts: 'none',
      profile: 'all',
      defense: 'off',
      stickers: 'contacts',
    });
    const change = (name: string, value: string) =>
      codeOf(ask(alice, 'set', 'privacy', category({ name, value })));
    expect(await change('defense', 'on_standard')).to.equal(200);
    expect(await change('stickers', 'none')).to.equal(200);
    expect(await change('readreceipts', 'contacts')).to.equal(400);
    expect(await change('shoe_size', 'all')).to.equal(400);
    const refusal = await world.client.people
      .changePrivacy(ALICE, { settings: { last: 'sometimes' } })
      .catch((error) => error);
    expect(refusal)
      .to.include({ status: 400 })
      .and.match(/"last" cannot be "sometimes"/);
  });

  it('keeps the deny list of a setting, and refuses one that was made for another version', async () => {
    const [alice, bob] = await Promise.all([world.linked(ALICE), world.linked(BOB)]);
    await world.client.update(ALICE, { picture: await dot() });
    await world.client.people.nameContacts(
      ALICE,
      [BOB, CAROL].map((number) => ({ number, name: number })),
    );
    const list = async () => {
      const answer = await ask(alice, 'get', 'privacy', {
        tag: 'privacy',
        attrs: {},
        content: [{ tag: 'list', attrs: { name: 'profile', value: 'contact_blacklist' } }],
      });
      const [found] = childrenOf(childrenOf(answer)[0]);
      return { dhash: found?.attrs.dhash, people: childrenOf(found).map(({ attrs }) => attrs.jid) };
    };
    expect(await list()).to.deep.equal({ dhash: undefined, people: [] });
    const deny = async (dhash: string) =>
      ask(
        alice,
        'set',
        'privacy',
        category({ name: 'profile', value: 'contact_blacklist', dhash }, [
          { tag: 'user', attrs: { action: 'add', jid: await lidOf(BOB), pn_jid: pnJid(BOB) } },
        ]),
      );
    await deny('none');
    const { dhash, people } = await list();
    expect(people).to.deep.equal([await lidOf(BOB)]);
    expect(Number(dhash)).to.be.greaterThan(0);
    expect(await codeOf(deny('none'))).to.equal(409);
    expect(await codeOf(bob.socket.profilePictureUrl(pnJid(ALICE)))).to.equal(401);
  });

  it('reads the default expiry back, and uses it in new chats', async () => {
    const [alice, other] = [await world.linked(ALICE), await world.linked(ALICE)];
    const told = other.until('creds.update', ({ accountSettings }) => accountSettings !== undefined);
    await alice.socket.updateDefaultDisappearingMode(86_400);
    expect((await told).accountSettings?.defaultDisappearingMode).to.include({ ephemeralExpiration: 86_400 });
    expect(await alice.socket.fetchDisappearingDuration(pnJid(ALICE))).to.have.nested.property(
      '[0].disappearing_mode.duration',
      86_400,
    );
    await world.client.write(ALICE, { to: BOB, text: 'a new chat' });
    const held = await world.client.waitForMessage(BOB, ({ text }) => text === 'a new chat');
    expect(held.ephemeral).to.equal(86_400);
    await world.client.write(CAROL, { to: ALICE, text: 'a chat of hers' });
    await world.client.write(ALICE, { to: CAROL, text: 'my answer' });
    expect(await world.client.waitForMessage(CAROL, ({ text }) => text === 'my answer')).not.to.have.property(
      'ephemeral',
    );
  });

  it('keeps the address book of a phone, also when a device changes it', async () => {
    const alice = await world.linked(ALICE);
    await world.client.people.nameContacts(ALICE, [{ number: BOB, name: 'Bob Builder' }]);
    await alice.socket.addOrEditContact(pnJid(CAROL), { fullName: 'Carol Singer', firstName: 'Carol' });
    expect(await world.client.chats(ALICE)).to.include({ rejected: 0 });
    expect(await world.client.people.contacts(ALICE)).to.deep.equal([
      { number: BOB, name: 'Bob Builder', firstName: 'Bob' },
      { number: CAROL, name: 'Carol Singer', firstName: 'Carol' },
    ]);
    await world.client.people.nameContacts(ALICE, [{ number: BOB, name: '' }]);
    expect((await world.client.people.contacts(ALICE)).map(({ number }) => number)).to.deep.equal([CAROL]);
  });
});

/** The attributes of the next acknowledgement of a message. */
function acked(device: BaileysDevice): Promise<Record<string, string>> {
  return new Promise((resolve) =>
    device.socket.ws.once('CB:ack,class:message', ({ attrs }: BinaryNode) => resolve(attrs)),
  );
}

function ask(device: BaileysDevice, type: string, xmlns: string, content: BinaryNode): Promise<BinaryNode> {
  return device.socket.query({
    tag: 'iq',
    attrs: { to: '@s.whatsapp.net', type, xmlns },
    content: [content],
  });
}

function category(attrs: Record<string, string>, content: BinaryNode[] = []): BinaryNode {
  return { tag: 'privacy', attrs: {}, content: [{ tag: 'category', attrs, content }] };
}

function childrenOf(node: BinaryNode | undefined): BinaryNode[] {
  return Array.isArray(node?.content) ? node.content : [];
}

/** A small image in base64. */
async function dot(): Promise<string> {
  const create = { width: 64, height: 64, channels: 3 as const, background: 'red' };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}
