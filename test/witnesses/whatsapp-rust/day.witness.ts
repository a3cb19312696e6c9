import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { GroupUpdate, MessageView } from '../../../src/client/sandbox/client.js';
import { ALICE, BOB, CAROL, pnJid, SandboxWorld } from '../../sandbox/support/world.js';
import { hasField, hashOf, refusalOf } from '../checks.js';
import { Witness, type WitnessEvent, WitnessProgram } from '../witness.js';
import { ABOUT_DAMAGE, EXPECTED } from './expected.js';

const BACKLOG = 50;
const PICTURE = Buffer.from(
  '/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAA//EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AN//Z',
  'base64',
);

describe('whatsapp-rust', () => {
  let program: WitnessProgram;
  const world = new SandboxWorld();
  let witness: Witness;
  let second: Witness;
  let damage: string[] = [];

  before(async function () {
    // the first build compiles the library and what it needs: three minutes
    this.timeout(900_000);
    program = await WitnessProgram.build('whatsapp-rust');
    await world.open();
    await world.client.write(BOB, { to: ALICE, text: 'before the pairing' });
    await world.client.updateChat(ALICE, BOB, { pinned: true });
    witness = new Witness(program, world.sandbox);
    second = new Witness(program, world.sandbox);
  });

  after(async () => {
    await Promise.all([witness?.stop(), second?.stop()]);
    await world.close();
    await program?.remove();
  });

  it('links by QR, logs in again after 515, and reads the history and the name', async () => {
    await witness.take('connect');
    const { code } = await witness.named('PairingQrCode');
    await world.client.scan(ALICE, String(code));
    expect(await witness.named('PairSuccess')).to.include({ business_name: '' });
    expect(await witness.named('Connected')).to.include({ name: 'Alice' });
    await witness.until(({ event, messages }) => event === 'HistorySync' && messages === 1);
    expect(await witness.named('PinUpdate')).to.have.nested.property('action.pinned', true);
  });

  it('receives and sends a text, and hears that it was delivered and read', async () => {
    await world.client.write(BOB, { to: ALICE, text: 'Hello Alice' });
    const received = await witness.until(({ text }) => text === 'Hello Alice');
    expect(received).to.include({ fromMe: false });
    await witness.take('read', { to: received.chat, ids: [received.id] });
    await world.client.waitForMessage(
      BOB,
      ({ messageId, receipts }) => messageId === received.id && receipts[ALICE] === 'read',
    );
    const sent = await witness.take('text', { to: pnJid(BOB), text: 'Hello Bob' });
    const held = await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
    expect(sent).to.include({ id: held.messageId });
    await world.client.read(BOB, [held.messageId]);
    for (const type of ['Delivered', 'Read'])
      await witness.until((event) => event.event === 'Receipt' && event.type === type, 0, type);
  });

  it('sees what the phone of its own account writes', async () => {
    await world.client.write(ALICE, { to: BOB, text: 'from the phone' });
    expect(await witness.until(({ text }) => text === 'from the phone')).to.include({ fromMe: true });
  });

  it('receives and sends files', async () => {
    const [coming, going] = [randomBytes(100_000), randomBytes(100_000)];
    const file = { kind: 'document', mimeType: 'application/octet-stream', fileName: 'in.bin' } as const;
    await world.client.write(BOB, { to: ALICE, media: { ...file, base64: coming.toString('base64') } });
    const received = await witness.until(({ event, size }) => event === 'message' && size !== undefined);
    expect(received).to.include({ size: coming.length, sha256: hashOf(coming) });
    await witness.take('file', { to: pnJid(BOB), name: 'out.bin', file: going.toString('base64') });
    const held = await world.client.waitForMessage(BOB, (message) => message.media?.fileName === 'out.bin');
    expect(held.media).to.include({ sha256: hashOf(going) });
    await witness.take('file', { to: pnJid(BOB), text: 'a picture', file: PICTURE.toString('base64') });
    const picture = await world.client.waitForMessage(BOB, ({ text }) => text === 'a picture');
    expect(picture).to.include({ type: 'image' }).and.have.nested.property('media.sha256', hashOf(PICTURE));
  });

  it('replies, reacts, edits and deletes', async () => {
    const { messageId: asked } = await world.client.write(BOB, { to: ALICE, text: 'How are you?' });
    await witness.until(({ id }) => id === asked);
    await witness.take('reply', { id: asked, text: 'Fine' });
    const reply = await world.client.waitForMessage(BOB, ({ text }) => text === 'Fine');
    expect(reply).to.include({ quotedMessageId: asked });
    await witness.take('react', { id: asked, text: '👍' });
    await world.client.waitForChange(
      BOB,
      ({ type, emoji, applied }) => type === 'reaction' && emoji === '👍' && applied,
    );
    await witness.take('edit', { to: pnJid(BOB), id: reply.messageId, text: 'Very well' });
    await world.client.waitForMessage(
      BOB,
      ({ messageId, text }) => messageId === reply.messageId && text === 'Very well',
    );
    await witness.take('revoke', { to: pnJid(BOB), id: reply.messageId });
    await world.client.waitForChange(BOB, ({ type, applied }) => type === 'revoke' && applied);
  });

  it('hears of reactions, edits and deletions of others', async () => {
    const sent = await witness.take('text', { to: pnJid(BOB), text: 'Good morning' });
    const { messageId: target } = await world.client.waitForMessage(
      BOB,
      ({ text }) => text === 'Good morning',
    );
    expect(sent).to.include({ id: target });
    await world.client.write(BOB, { to: ALICE, reaction: { messageId: target, emoji: '❤️' } });
    await witness.until(hasField('content.reaction_message.text', '❤️'));
    const { messageId: own } = await world.client.write(BOB, { to: ALICE, text: 'Godo' });
    await world.client.write(BOB, { to: ALICE, edit: { messageId: own, text: 'Good' } });
    await witness.until(hasField('content.protocol_message.edited_message.conversation', 'Good'));
    await world.client.write(BOB, { to: ALICE, revoke: { messageId: own } });
    await witness.until(hasField('content.protocol_message.type', 'REVOKE'));
  });

  it('asks in a poll, reads the vote, and votes', async () => {
    await witness.take('poll', { to: pnJid(BOB), text: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
    const asked = await world.client.waitForMessage(BOB, ({ text }) => text === 'Tea or coffee?');
    await world.client.write(BOB, { to: ALICE, vote: { pollMessageId: asked.messageId, options: ['Tea'] } });
    const { vote } = await witness.until((event) => event.vote !== undefined);
    expect(vote).to.deep.equal(['Tea']);
    const { messageId: id } = await world.client.write(BOB, {
      to: ALICE,
      poll: { name: 'When?', options: ['Today', 'Tomorrow'], selectableCount: 1 },
    });
    await witness.until((event) => event.id === id);
    await witness.take('vote', { to: pnJid(BOB), id, options: ['Tomorrow'] });
    await world.client.waitForMessage(
      BOB,
      ({ messageId, poll }) => messageId === id && poll?.votes[ALICE]?.[0] === 'Tomorrow',
    );
  });

  it(`receives ${BACKLOG} messages that waited offline after a restart with its store, and what comes after`, async () => {
    await witness.take('disconnect');
    const ids: string[] = [];
    for (let count = 0; count < BACKLOG; count++)
      ids.push((await world.client.write(BOB, { to: ALICE, text: `waiting ${count}` })).messageId);
    const from = witness.events.length;
    await witness.take('connect');
    expect(await witness.named('OfflineSyncPreview', from)).to.include({ messages: BACKLOG });
    await witness.named('OfflineSyncCompleted', from);
    for (const id of ids) await witness.until((event) => event.id === id, from, `message ${id}`);
    await world.client.write(BOB, { to: ALICE, text: 'live again' });
    await witness.until(({ text }) => text === 'live again', from);
    const hasReceipt = ({ messageId, receipts }: MessageView) =>
      ids.includes(messageId) && receipts[ALICE] === 'delivered';
    await world.client.waitForMessage(BOB, (one) => one.messageId === ids.at(-1) && hasReceipt(one));
    expect((await world.client.messages(BOB)).filter(hasReceipt)).to.have.lengthOf(BACKLOG);
    expect((await world.client.stats()).waitingOffline).to.equal(0);
    expect((await world.client.stats()).resumed).to.be.greaterThan(0);
  });

  it('asks again for a message that it cannot read', async () => {
    const from = witness.complaints.length;
    await world.client.write(BOB, { to: ALICE, text: 'damaged', deviceCopy: 'damaged' });
    await witness.until(({ text }) => text === 'damaged');
    damage = witness.complaints.slice(from).filter((line) => ABOUT_DAMAGE.test(line));
    expect(damage).not.to.deep.equal([]);
  });

  it('asks the phone for older messages', async () => {
    const from = witness.events.length;
    const [oldest] = (await world.client.messages(ALICE)).filter(({ text }) => text === 'Hello Alice');
    await witness.take('history', {
      to: pnJid(BOB),
      id: oldest?.messageId,
      at: (oldest?.timestamp ?? 0) * 1000,
    });
    await witness.until(({ event, request }) => event === 'HistorySync' && Boolean(request), from);
  });

  it('appears online, types, and sees others do so', async () => {
    await witness.take('presence', { on: true });
    await world.client.waitFor(
      ({ type }) => type === 'chatstate',
      5_000,
      () => witness.take('typing', { to: pnJid(BOB) }),
    );
    await witness.take('subscribe', { to: pnJid(BOB) });
    await world.client.activity.setOnline(BOB, true);
    await witness.until(({ event, unavailable }) => event === 'Presence' && unavailable === false);
    await world.client.activity.type(BOB, { to: ALICE, state: 'composing' });
    await witness.named('ChatPresence');
    await world.client.activity.setOnline(BOB, false);
    await witness.until(({ event, unavailable }) => event === 'Presence' && unavailable === true);
  });

  it('looks people up, with pictures and status texts', async () => {
    await world.client.update(BOB, { picture: PICTURE.toString('base64') });
    await witness.named('PictureUpdate');
    const found = await witness.take('lookUp', { people: [pnJid(BOB), '15550009999@s.whatsapp.net'] });
    expect(found).to.have.nested.property('[0].registered', true);
    expect(found).to.have.nested.property('[1].registered', false);
    expect(await witness.take('picture', { to: pnJid(BOB) })).to.have.property('id');
    expect(await witness.take('picture', { to: pnJid(CAROL) })).to.equal(null);
    await world.client.update(BOB, { status: 'At work' });
    expect(await witness.named('UserAboutUpdate')).to.include({ status: 'At work' });
    const person = await witness.take('person', { people: [pnJid(BOB)] });
    expect(person).to.have.nested.property('[0].status', 'At work');
  });

  it('changes its own profile, block list and privacy', async () => {
    await witness.take('setStatus', { text: 'A bot' });
    await witness.take('setPicture', { file: PICTURE.toString('base64') });
    await witness.take('setName', { text: 'Alice Bot' });
    const phone = await world.client.phone(ALICE);
    expect(phone).to.include({ status: 'A bot' });
    expect(phone.pictureId).to.not.equal('');
    await witness.take('lookUp', { people: [pnJid(CAROL)] });
    await witness.take('block', { to: pnJid(CAROL), on: true });
    expect(await witness.take('blocked')).to.have.lengthOf(1);
    await witness.take('block', { to: pnJid(CAROL), on: false });
    expect(await witness.take('blocked')).to.have.lengthOf(0);
    expect(await witness.take('privacy')).to.match(/last/i);
  });

  it('changes chats on the phone, and hears what the phone changes', async () => {
    await witness.take('archive', { to: pnJid(CAROL), on: true });
    await world.client.waitForChat(ALICE, (chat) => chat.with === CAROL && chat.archived);
    await witness.take('mute', { to: pnJid(CAROL) });
    await world.client.waitForChat(ALICE, (chat) => chat.with === CAROL && chat.muted);
    await witness.take('markRead', { to: pnJid(CAROL), on: false });
    await world.client.waitForChat(ALICE, (chat) => chat.with === CAROL && chat.unread);
    const from = witness.events.length;
    await world.client.updateChat(ALICE, CAROL, { archived: false, muted: false });
    await witness.named('ArchiveUpdate', from);
    await witness.named('MuteUpdate', from);
  });

  it('creates a group and manages it', async () => {
    const people = [pnJid(BOB)];
    const created = await witness.take('createGroup', { name: 'Team', people, expiry: 86_400 });
    expect(created).to.include({ subject: 'Team', expiry: 86_400 });
    const [group] = await world.client.groups.of(BOB);
    const to = group?.jid ?? '';
    await witness.take('text', { to, text: 'Hello team' });
    await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello team');
    await world.client.write(BOB, { to, text: 'Hello boss' });
    await witness.until(({ text }) => text === 'Hello boss');
    for (const step of ['add', 'promote', 'demote', 'remove'])
      expect(await witness.take(step, { to, people: [pnJid(CAROL)] }), step).to.deep.equal(['200']);
    await witness.take('subject', { to, text: 'The team' });
    await witness.take('description', { to, text: 'All of us' });
    for (const step of ['lock', 'announce', 'approval']) await witness.take(step, { to, on: true });
    expect(await witness.take('group', { to })).to.include({
      subject: 'The team',
      description: 'All of us',
      locked: true,
      announce: true,
      approval: true,
    });
    const link = String(await witness.take('inviteLink', { to }));
    const code = link.split('/').at(-1) ?? '';
    await world.client.groups.join(CAROL, code);
    const requests = await witness.take('requests', { to });
    expect(requests).to.have.lengthOf(1);
    expect(await witness.take('approve', { to, people: requests })).to.deep.equal(['200']);
    await witness.take('leave', { to });
    expect(await witness.take('groups')).to.deep.equal([]);
  });

  it('hears of every change of a group', async () => {
    const { jid } = await world.client.groups.create(BOB, { subject: 'Changing', participants: [ALICE] });
    await witness.until(isChange(jid, 'create'));
    const changes: [GroupUpdate, string][] = [
      [{ subject: 'Changed' }, 'subject'],
      [{ announce: true }, 'announcement'],
      [{ announce: false }, 'not_announcement'],
      [{ locked: true }, 'locked'],
      [{ locked: false }, 'unlocked'],
      [{ description: 'for a while' }, 'description'],
      [{ description: '' }, 'description'],
      [{ ephemeral: 86_400 }, 'ephemeral'],
      [{ joinApproval: true }, 'membership_approval_mode'],
    ];
    for (const [change, type] of changes) {
      const from = witness.events.length;
      await world.client.groups.update(BOB, jid, change);
      await witness.until(isChange(jid, type), from, type);
    }
    for (const action of ['add', 'promote', 'demote', 'remove'] as const) {
      const from = witness.events.length;
      await world.client.groups.participants(BOB, jid, action, [CAROL]);
      await witness.until(isChange(jid, action), from, action);
    }
  });

  it('joins by a link, and tells a revoked link from an invalid one', async () => {
    const { jid, inviteCode } = await world.client.groups.create(BOB, { subject: 'Open', participants: [] });
    expect(await witness.take('invite', { text: inviteCode })).to.include({ subject: 'Open' });
    expect(await witness.take('join', { text: inviteCode })).to.deep.equal({ joined: jid });
    await world.client.groups.invite(BOB, jid, true);
    expect(await refusalOf(witness.take('join', { text: inviteCode }))).to.match(/410/);
    expect(await refusalOf(witness.take('join', { text: 'never-was' }))).to.match(/406/);
  });

  it('creates a community and links a group', async () => {
    const community = await witness.take('createCommunity', { name: 'Village' });
    expect(community).to.include({ parent: true });
    const created = await witness.take('createGroup', { name: 'Street', people: [pnJid(BOB)] });
    const [to, from] = [jidOf(community), jidOf(created)];
    expect(await witness.take('link', { to, from })).to.deep.equal([from]);
    expect(await world.client.groups.get(from)).to.include({ communityJid: to });
  });

  it('writes to a device that was linked, and to a contact who reinstalled', async () => {
    const bob = await world.linked(BOB);
    await witness.named('DeviceListUpdate');
    await witness.take('text', { to: pnJid(BOB), text: 'to both devices' });
    await bob.text('to both devices');
    await world.client.reinstall(BOB);
    await witness.named('IdentityChange');
    await witness.take('text', { to: pnJid(BOB), text: 'to the new phone' });
    await world.client.waitForMessage(BOB, ({ text }) => text === 'to the new phone');
    await world.client.write(BOB, { to: ALICE, text: 'from the new phone' });
    await witness.until(({ text }) => text === 'from the new phone');
  });

  it('connects again after each end of a connection that is not final', async () => {
    for (const kind of ['disconnect', 'service-unavailable', 'restart-required']) {
      const from = witness.events.length;
      await world.client.fault({ kind, number: ALICE });
      await witness.until(({ event }) => event === 'Connected', from, `Connected after ${kind}`);
      await settle(witness);
    }
  });

  it('is logged out when the phone unlinks it', async () => {
    await world.client.unlink(ALICE);
    expect(await witness.named('LoggedOut')).to.include({ on_connect: false });
  });

  it('links by code', async () => {
    await second.take('connect');
    const code = await second.take('pairCode', { to: CAROL });
    await world.client.enterCode(CAROL, String(code));
    await second.named('Connected');
    await settle(second);
  });

  it('ends when another connection replaces it, and when the number is banned or the client is outdated', async () => {
    const from = second.events.length;
    await world.client.fault({ kind: 'conflict', number: CAROL });
    await second.named('StreamReplaced', from);
    await world.client.fault({ kind: 'temporary-ban', number: CAROL, ms: 60_000 });
    await second.take('connect');
    await second.named('TemporaryBan', from);
    await world.client.clearFaults();
    await world.client.changeNetwork({ minVersion: '2.3000.4000000000' });
    await second.take('connect');
    await second.named('ClientOutdated', from);
    await world.client.changeNetwork({ minVersion: null });
  });

  it('unlinks itself', async () => {
    const from = second.events.length;
    await second.take('connect');
    await second.named('Connected', from);
    await settle(second);
    await second.take('logout');
    expect((await world.client.phone(CAROL)).devices).to.deep.equal([]);
  });

  it('complains of nothing', () => {
    const unexpected = [...witness.complaints, ...second.complaints].filter(
      (line) => !damage.includes(line) && !EXPECTED.some(({ text }) => text.test(line)),
    );
    expect(unexpected).to.deep.equal([]);
  });
});

/** Waits for the answers to the queries of a login: the network answers in order. */
async function settle(witness: Witness): Promise<void> {
  await witness.take('privacy');
}

function isChange(jid: string, type: string) {
  const isOfType = hasField('action.type', type);
  return (event: WitnessEvent) => event.group_jid === jid && isOfType(event);
}

function jidOf(group: unknown): string {
  return group && typeof group === 'object' && 'jid' in group ? String(group.jid) : '';
}
