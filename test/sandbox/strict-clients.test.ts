import { createHash, randomBytes } from 'node:crypto';
import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import sharp from 'sharp';
import type { BaileysDevice } from './support/baileys-device.js';
import { ask, element, notified } from './support/stanza-queries.js';
import { ALICE, BOB, CAROL, codeOf, pnJid, SandboxWorld } from './support/world.js';

const GROUPS = 'g.us';

/**
 * The library that the gateway uses tolerates much that others refuse. These tests read the stanzas themselves, and
 * demand what whatsmeow demands.
 */
describe('Sandbox: stanzas as strict clients need them', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  describe('files', () => {
    it('says how many buckets the media hosts have', async () => {
      const alice = await world.linked(ALICE);
      const answer = await ask(alice, { xmlns: 'w:m', type: 'set' }, element('media_conn'));
      expect(Number(getBinaryNodeChild(answer, 'media_conn')?.attrs.max_buckets)).to.be.greaterThan(0);
    });

    it('gives files a path with a query, to which a client appends its own', async () => {
      const alice = await world.linked(ALICE);
      const media = { kind: 'document', mimeType: 'text/plain', size: 10 } as const;
      const { messageId } = await world.client.write(BOB, { to: ALICE, media });
      const { message } = await alice.message(messageId);
      const { directPath } =
        message?.documentMessage ?? message?.documentWithCaptionMessage?.message?.documentMessage ?? {};
      expect(directPath).to.match(
        /^\/v\/document\/[\w-]{43}\.enc\?ccb=[^&]+&oh=[^&]+&oe=[0-9a-f]+&_nc_sid=[0-9a-f]+$/,
      );
      const url = `${world.sandbox.url}${directPath}&hash=abc=&mms-type=document&__wa-mms=`;
      expect((await fetch(url)).status).to.equal(200);
    });

    it('deletes a part of the history that a client has read', async () => {
      const size = 60_000;
      for (let count = 0; count < 3; count++)
        await world.client.write(BOB, { to: ALICE, text: randomBytes(size / 2).toString('hex') });
      const alice = await world.linked(ALICE);
      const { auth } = await alice.socket.refreshMediaConn(true);
      const paths = alice.everything.flatMap(
        ({ message }) => message?.protocolMessage?.historySyncNotification?.directPath ?? [],
      );
      const [path = ''] = paths;
      expect((await fetch(`${world.sandbox.url}${path}`)).status).to.equal(200);
      const [bare = ''] = path.split('?');
      const query = new URLSearchParams({ auth, d_md: Buffer.from(bare).toString('base64url') });
      const hash = /([\w-]{43})/.exec(bare)?.[1];
      const url = `${world.sandbox.url}/mms/md-msg-hist/${hash}=?${query}`;
      expect((await fetch(url, { method: 'DELETE' })).status).to.equal(200);
      expect((await fetch(`${world.sandbox.url}${path}`)).status).to.equal(404);
      query.set('auth', 'unknown');
      expect((await fetch(`${url.split('?')[0]}?${query}`, { method: 'DELETE' })).status).to.equal(401);
    });
  });

  describe('people', () => {
    async function lookUp(alice: BaileysDevice, contact: BinaryNode): Promise<BinaryNode[]> {
      const people = [`${BOB.slice(1)}@c.us`, '+15550009999'].map((asked) =>
        element('user', {}, [element('contact', {}, Buffer.from(asked))]),
      );
      const content = [element('query', {}, [contact]), element('list', {}, people)];
      const attrs = { sid: '1', mode: 'query', last: 'true', index: '0', context: 'interactive' };
      const answer = await ask(alice, { xmlns: 'usync' }, element('usync', attrs, content));
      return getBinaryNodeChildren(getBinaryNodeChild(getBinaryNodeChild(answer, 'usync'), 'list'), 'user');
    }

    it('repeats the query in the answer about a number', async () => {
      const users = await lookUp(await world.linked(ALICE), element('contact'));
      const found = users.map((user) => {
        const contact = getBinaryNodeChild(user, 'contact');
        return [user.attrs.jid, contact?.attrs.type, String(contact?.content)];
      });
      expect(found).to.deep.equal([
        [pnJid(BOB), 'in', `${BOB.slice(1)}@c.us`],
        [pnJid('+15550009999'), 'out', '+15550009999'],
      ]);
    });

    it('answers with the LID, and the number beside it, where the query asks for that', async () => {
      const [user] = await lookUp(await world.linked(ALICE), element('contact', { addressing_mode: 'lid' }));
      const { lid } = await world.client.phone(BOB);
      expect(user?.attrs).to.include({ jid: lid, pn_jid: pnJid(BOB) });
    });

    it('announces a linked and an unlinked device of a contact, with the hashes of the lists', async () => {
      const alice = await world.linked(ALICE);
      await world.client.write(BOB, { to: ALICE, text: 'Hello' });
      await alice.text('Hello');
      const { lid } = await world.client.phone(BOB);
      const [linked, tablet] = [notified(alice, 'devices', 'add'), await world.linked(BOB)];
      const [news, add] = await linked;
      expect(news.attrs).to.include({ from: pnJid(BOB), lid });
      expect(getBinaryNodeChild(add, 'device')?.attrs).to.include({
        jid: deviceOf(pnJid(BOB), 1),
        lid: deviceOf(lid, 1),
      });
      expect(add.attrs.device_hash).to.equal(hashOf(pnJid(BOB), [0, 1]));
      expect(add.attrs.device_lid_hash).to.equal(hashOf(lid, [0, 1]));
      const unlinked = notified(alice, 'devices', 'remove');
      await tablet.socket.logout();
      expect((await unlinked)[1].attrs).to.include({ device_hash: hashOf(pnJid(BOB), [0]) });
    });

    it('tells the devices of an account all devices that it has', async () => {
      const alice = await world.linked(ALICE);
      const told = notified(alice, 'account_sync', 'devices');
      await world.linked(ALICE);
      const [, devices] = await told;
      const jids = getBinaryNodeChildren(devices, 'device').map(({ attrs }) => attrs.jid);
      expect(jids).to.deep.equal([0, 1, 2].map((id) => deviceOf(pnJid(ALICE), id)));
      expect(devices.attrs.dhash).to.equal(hashOf(pnJid(ALICE), [0, 1, 2]));
    });

    it('tells that a contact has installed WhatsApp anew, after which both write on with new keys', async () => {
      const alice = await world.linked(ALICE);
      await alice.say(pnJid(BOB), 'before');
      await world.client.waitForMessage(BOB, ({ text }) => text === 'before');
      await world.client.write(BOB, { to: ALICE, text: 'Hello' });
      await alice.text('Hello');
      const tablet = await world.linked(BOB);
      const [ended, told] = [tablet.closed(), notified(alice, 'encrypt', 'identity')];
      expect((await world.client.reinstall(BOB)).devices).to.deep.equal([]);
      expect(await ended).to.equal(401);
      expect((await told)[0].attrs.from).to.equal((await world.client.phone(BOB)).lid);
      await world.client.write(BOB, { to: ALICE, text: 'with new keys' });
      await alice.text('with new keys');
      await alice.say(pnJid(BOB), 'to the new keys');
      await world.client.waitForMessage(BOB, ({ text }) => text === 'to the new keys');
      await world.client.write(CAROL, { to: BOB, text: 'from a phone' });
      await world.client.waitForMessage(BOB, ({ text }) => text === 'from a phone');
    });

    it('names the app of a caller', async () => {
      const alice = await world.linked(ALICE);
      const call = new Promise<BinaryNode>((resolve) => alice.socket.ws.once('CB:call', resolve));
      await world.client.activity.ring(BOB, { to: ALICE });
      expect((await call).attrs).to.have.property('platform', 'android');
      expect((await call).attrs.version).to.match(/^[\d.]+$/);
    });

    it('leaves out when a person was last online, if that never was', async () => {
      const alice = await world.linked(ALICE);
      const told = new Promise<BinaryNode>((resolve) => alice.socket.ws.once('CB:presence', resolve));
      await alice.socket.sendPresenceUpdate('available');
      await alice.socket.presenceSubscribe(pnJid(BOB));
      expect((await told).attrs)
        .to.include({ type: 'unavailable' })
        .and.not.to.have.property('last');
    });

    it('sends no picture to a client that has it', async () => {
      const alice = await world.linked(ALICE);
      await world.client.update(BOB, { picture: await image(200) });
      const asked = { xmlns: 'w:profile:picture', target: pnJid(BOB) };
      const known = getBinaryNodeChild(
        await ask(alice, asked, element('picture', { type: 'image' })),
        'picture',
      );
      const attrs = { type: 'image', id: known?.attrs.id };
      const again = await ask(alice, asked, element('picture', attrs));
      expect(getBinaryNodeChild(again, 'picture')).to.equal(undefined);
    });

    it('announces a changed status text', async () => {
      const alice = await world.linked(ALICE);
      await world.client.write(BOB, { to: ALICE, text: 'Hello' });
      await alice.text('Hello');
      const told = notified(alice, 'status', 'set');
      await world.client.update(BOB, { status: 'At work' });
      const [, set] = await told;
      expect(String(set.content)).to.equal('At work');
    });

    it('gives a token that names its holder without a device', async () => {
      const alice = await world.linked(ALICE);
      const told = notified(alice, 'privacy_token', 'tokens');
      await world.client.giveToken(BOB, { to: ALICE });
      const [, tokens] = await told;
      expect(getBinaryNodeChild(tokens, 'token')?.attrs).to.include({ jid: pnJid(ALICE) });
    });

    it('says who sees the statuses of an account: its contacts', async () => {
      const alice = await world.linked(ALICE);
      const answer = await ask(alice, { xmlns: 'status' }, element('privacy'));
      const lists = getBinaryNodeChildren(getBinaryNodeChild(answer, 'privacy'), 'list');
      expect(lists.map(({ attrs }) => attrs)).to.deep.equal([{ type: 'contacts', default: 'true' }]);
    });

    it('has no business name in the proof of a link with a person, and the time', async () => {
      const alice = world.device();
      const qr = await alice.qr();
      const proof = new Promise<BinaryNode>((resolve) =>
        alice.socket.ws.once('CB:iq,,pair-success', resolve),
      );
      await world.client.scan(ALICE, qr);
      const success = getBinaryNodeChild(await proof, 'pair-success');
      expect(getBinaryNodeChild(success, 'biz')).to.equal(undefined);
      expect(Number(success?.attrs.t)).to.be.greaterThan(1_700_000_000);
    });
  });

  describe('groups', () => {
    /** Creates a group with options. @returns the element of the group */
    async function create(alice: BaileysDevice, ...options: BinaryNode[]): Promise<BinaryNode | undefined> {
      const bob = element('participant', { jid: pnJid(BOB) });
      const wanted = element('create', { subject: 'Strict', key: 'K1' }, [bob, ...options]);
      return getBinaryNodeChild(
        await ask(alice, { xmlns: 'w:g2', type: 'set', to: GROUPS }, wanted),
        'group',
      );
    }

    it('creates a group with all options that the client asks for', async () => {
      const alice = await world.linked(ALICE);
      const group = await create(
        alice,
        element('locked'),
        element('announcement'),
        element('ephemeral', { expiration: '86400', trigger: '1' }),
        element('membership_approval_mode', {}, [element('group_join', { state: 'on' })]),
        element('member_add_mode', {}, Buffer.from('admin_add')),
      );
      const jid = `${group?.attrs.id}@${GROUPS}`;
      expect(await world.client.groups.get(jid)).to.include({
        locked: true,
        announce: true,
        ephemeral: 86_400,
        joinApproval: true,
        membersAdd: false,
      });
      expect(getBinaryNodeChild(group, 'locked')).not.to.equal(undefined);
    });

    it('gives changes of members and of who may write a version, after the version before', async () => {
      const alice = await world.linked(ALICE);
      const { id } = await alice.socket.groupCreate('Strict', [pnJid(BOB)]);
      const quiet = notified(alice, 'w:gp2', 'announcement');
      await world.client.groups.update(ALICE, id, { announce: true });
      const loud = notified(alice, 'w:gp2', 'not_announcement');
      await world.client.groups.update(ALICE, id, { announce: false });
      const [[, first], [, second]] = await Promise.all([quiet, loud]);
      expect(Number(second.attrs.v_id)).to.be.greaterThan(Number(first.attrs.v_id));
      const added = notified(alice, 'w:gp2', 'add');
      await alice.socket.groupParticipantsUpdate(id, [pnJid(CAROL)], 'add');
      const [, add] = await added;
      const answer = await ask(
        alice,
        { xmlns: 'w:g2', to: id },
        element('query', { request: 'interactive' }),
      );
      expect(getBinaryNodeChild(answer, 'group')?.attrs).to.include({
        a_v_id: second.attrs.v_id,
        p_v_id: add.attrs.v_id,
      });
      expect(Number(add.attrs.prev_v_id)).to.be.lessThan(Number(add.attrs.v_id));
    });

    it('announces a deleted description by its element', async () => {
      const alice = await world.linked(ALICE);
      const { id } = await alice.socket.groupCreate('Strict', [pnJid(BOB)]);
      await alice.socket.groupUpdateDescription(id, 'for a while');
      const told = notified(alice, 'w:gp2', 'description');
      await alice.socket.groupUpdateDescription(id, '');
      const [, description] = await told;
      expect(getBinaryNodeChild(description, 'delete')).not.to.equal(undefined);
      expect(description.attrs.id).to.be.a('string');
    });

    it('says why a group is not part of a community any more', async () => {
      const alice = await world.linked(ALICE);
      const community = await create(alice, element('parent'));
      const { id } = await alice.socket.groupCreate('Linked', [pnJid(BOB)]);
      const to = `${community?.attrs.id}@${GROUPS}`;
      const group = [element('group', { jid: id })];
      const link = element('links', {}, [element('link', { link_type: 'sub_group' }, group)]);
      await ask(alice, { xmlns: 'w:g2', type: 'set', to }, link);
      const told = notified(alice, 'w:gp2', 'unlink');
      await ask(
        alice,
        { xmlns: 'w:g2', type: 'set', to },
        element('unlink', { unlink_type: 'sub_group' }, group),
      );
      const [, unlink] = await told;
      expect(unlink.attrs).to.include({ unlink_reason: 'unlink_group' });
    });

    it('tells the devices of a person who joins by a link the whole group', async () => {
      const alice = await world.linked(ALICE);
      const group = await world.client.groups.create(BOB, { subject: 'Open', participants: [CAROL] });
      const told = notified(alice, 'w:gp2', 'create');
      await world.client.groups.join(ALICE, group.inviteCode);
      const [, joined] = await told;
      expect(joined.attrs).to.include({ reason: 'invite' });
      expect(getBinaryNodeChild(joined, 'group')?.attrs).to.include({ subject: 'Open', size: '3' });
    });

    it('tells a revoked invite code from one that never was', async () => {
      const alice = await world.linked(ALICE);
      const { jid, inviteCode } = await world.client.groups.create(BOB, {
        subject: 'Open',
        participants: [],
      });
      await world.client.groups.invite(BOB, jid, true);
      expect(await codeOf(alice.socket.groupGetInviteInfo(inviteCode))).to.equal(410);
      expect(await codeOf(alice.socket.groupAcceptInvite(inviteCode))).to.equal(410);
      expect(await codeOf(alice.socket.groupGetInviteInfo('never-was'))).to.equal(406);
    });

    it('does not take a personal invitation for a query of a member', async () => {
      const alice = await world.linked(ALICE);
      const { id } = await alice.socket.groupCreate('Strict', [pnJid(BOB)]);
      const request = element('add_request', { code: 'made-up', expiration: '1', admin: pnJid(BOB) });
      const query = ask(alice, { xmlns: 'w:g2', to: id }, element('query', {}, [request]));
      expect(await codeOf(query)).to.equal(501);
    });
  });
});

/** A square image in base64. */
async function image(size: number): Promise<string> {
  const create = { width: size, height: size, channels: 3 as const, background: 'red' };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

/** The jid of a device; 0 is the phone. */
function deviceOf(jid: string, id: number): string {
  return id === 0 ? jid : jid.replace('@', `:${id}@`);
}

/** The hash of a list of devices (whatsmeow `participantListHashV2`). */
function hashOf(jid: string, ids: number[]): string {
  const names = ids.map((id) => jid.replace('@', `.0:${id}@`)).sort();
  const digest = createHash('sha256').update(names.join('')).digest().subarray(0, 6);
  return `2:${digest.toString('base64').replaceAll('=', '')}`;
}
