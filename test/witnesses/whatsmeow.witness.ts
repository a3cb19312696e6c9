import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { GroupUpdate, MessageView } from '../../src/client/sandbox/client.js';
import { ALICE, BOB, pnJid, SandboxWorld } from '../sandbox/support/world.js';
import { Witness, WitnessProgram } from './witness.js';

/** Complaints of whatsmeow that are no fault of the network, each with its reason. */
const EXPECTED: readonly { text: RegExp; reason: string }[] = [
  {
    text: /@lid's device list hash changed from 2:47DEQpj8 to .* New hash doesn't match/,
    reason:
      'whatsmeow adds the device to the list under the LID, which is empty (2:47DEQpj8) until it has asked for it',
  },
];

const BACKLOG = 50;

describe('whatsmeow', () => {
  let program: WitnessProgram;
  const world = new SandboxWorld();
  let witness: Witness;

  before(async function () {
    // the first build compiles SQLite
    this.timeout(600_000);
    program = await WitnessProgram.build();
    await world.open();
    witness = new Witness(program, world.sandbox);
  });

  after(async () => {
    await witness?.stop();
    await world.close();
    await program?.remove();
  });

  it('links by QR, logs in again after 515, and reads the history and the name', async () => {
    await witness.take('connect');
    const { code } = await witness.named('qr');
    await world.client.scan(ALICE, String(code));
    expect(await witness.named('paired')).to.include({ business: '' });
    await witness.named('connected');
    await witness.named('history');
    const settings = await witness.until(
      ({ event, name }) => event === 'appState' && name === 'critical_block',
    );
    expect(settings).to.include({ pushName: 'Alice' });
  });

  it('receives and sends a text, and hears that it was delivered and read', async () => {
    await world.client.write(BOB, { to: ALICE, text: 'Hello Alice' });
    const received = await witness.until(({ text }) => text === 'Hello Alice');
    expect(received).to.include({ fromMe: false });
    const sent = await witness.take('text', { to: pnJid(BOB), text: 'Hello Bob' });
    const held = await world.client.waitForMessage(BOB, ({ text }) => text === 'Hello Bob');
    expect(sent).to.deep.equal({ id: held.messageId });
    await world.client.read(BOB, [held.messageId]);
    await witness.until(({ event, type }) => event === 'receipt' && type === 'read');
  });

  it('receives and sends a file', async () => {
    const [coming, going] = [randomBytes(100_000), randomBytes(100_000)];
    const file = { kind: 'document', mimeType: 'application/octet-stream', fileName: 'in.bin' } as const;
    await world.client.write(BOB, { to: ALICE, media: { ...file, base64: coming.toString('base64') } });
    const received = await witness.until(({ event, size }) => event === 'message' && size !== undefined);
    expect(received).to.include({ size: coming.length, sha256: hashOf(coming) });
    await witness.take('file', { to: pnJid(BOB), name: 'out.bin', file: going.toString('base64') });
    const held = await world.client.waitForMessage(BOB, (message) => message.media?.fileName === 'out.bin');
    expect(held.media).to.include({ sha256: hashOf(going) });
  });

  it(`receives ${BACKLOG} messages that waited offline, and what comes after them`, async () => {
    await witness.take('disconnect');
    const ids: string[] = [];
    for (let count = 0; count < BACKLOG; count++)
      ids.push((await world.client.write(BOB, { to: ALICE, text: `waiting ${count}` })).messageId);
    const from = witness.events.length;
    await witness.take('connect');
    expect(await witness.named('offlinePreview', from)).to.include({ messages: BACKLOG });
    await witness.named('offlineCompleted', from);
    for (const id of ids) await witness.until((event) => event.id === id, from, `message ${id}`);
    await world.client.write(BOB, { to: ALICE, text: 'live again' });
    await witness.until(({ text }) => text === 'live again', from);
    const hasReceipt = ({ messageId, receipts }: MessageView) =>
      ids.includes(messageId) && receipts[ALICE] === 'delivered';
    await world.client.waitForMessage(BOB, (one) => one.messageId === ids.at(-1) && hasReceipt(one));
    expect((await world.client.messages(BOB)).filter(hasReceipt)).to.have.lengthOf(BACKLOG);
    expect((await world.client.stats()).waitingOffline).to.equal(0);
  });

  it('appears online and types', async () => {
    await witness.take('presence', { available: true });
    await world.client.waitFor(
      ({ type }) => type === 'chatstate',
      5_000,
      () => witness.take('typing', { to: pnJid(BOB) }),
    );
    const { devices } = await world.client.activity.presence(ALICE);
    expect(devices.map(({ online }) => online)).to.deep.equal([true]);
  });

  it('reads a channel, follows, mutes and watches it, reacts to a post and counts as a viewer', async () => {
    const { jid, inviteCode } = await world.client.channels.create(BOB, { name: 'Lake' });
    await world.client.channels.post(BOB, jid, { text: 'Thick ice' });
    const read = await witness.take('readChannel', { to: jid, text: inviteCode });
    expect(read).to.deep.equal({
      ...{ invited: 'Lake', role: 'subscriber', mute: 'on', followed: 1, live: 300, text: 'Thick ice' },
      ...{ views: 1, reactions: { '👍': 1 } },
    });
    await world.client.channels.post(BOB, jid, { text: 'Thin ice' });
    await witness.until(({ event, text }) => event === 'message' && text === 'Thin ice');
  });

  it('creates a channel, posts a text and a picture in it, and deletes the text', async () => {
    const file = randomBytes(10_000);
    const wish = { name: 'Own', text: 'Hello all', file: file.toString('base64') };
    const posted = Object(await witness.take('postInChannel', wish));
    expect(posted).to.include({ text: 1, picture: 2 });
    const [text, picture] = await world.client.channels.posts(posted.jid);
    expect(text).to.include({ deleted: true });
    expect(picture?.media).to.include({ kind: 'image', size: file.length, sha256: hashOf(file) });
  });

  it('creates a locked group', async () => {
    const created = await witness.take('createGroup', { name: 'Locked', people: [pnJid(BOB)], locked: true });
    expect(created).to.include({ IsLocked: true });
    const groups = await world.client.groups.of(BOB);
    expect(groups).to.have.lengthOf(1).and.have.nested.property('[0].locked', true);
  });

  it('hears of every change of a group', async () => {
    const { jid } = await world.client.groups.create(BOB, { subject: 'Changing', participants: [ALICE] });
    await witness.until((event) => event.event === 'joinedGroup' && event.jid === jid);
    const changes: [GroupUpdate, string, unknown][] = [
      [{ announce: true }, 'announce.IsAnnounce', true],
      [{ announce: false }, 'announce.IsAnnounce', false],
      [{ locked: true }, 'locked.IsLocked', true],
      [{ description: 'for a while' }, 'topic.Topic', 'for a while'],
      [{ description: '' }, 'topic.TopicDeleted', true],
    ];
    for (const [change, field, value] of changes) {
      const from = witness.events.length;
      await world.client.groups.update(BOB, jid, change);
      expect(await witness.named('group', from)).to.have.nested.property(field, value);
    }
  });

  it('joins by a link, and tells a revoked link from an invalid one', async () => {
    const { jid, inviteCode } = await world.client.groups.create(BOB, { subject: 'Open', participants: [] });
    await witness.take('join', { text: inviteCode });
    const joined = await witness.until((event) => event.event === 'joinedGroup' && event.jid === jid);
    expect(joined).to.include({ reason: 'invite' });
    await world.client.groups.invite(BOB, jid, true);
    expect(await refusalOf(witness.take('join', { text: inviteCode }))).to.match(/revoked/);
    expect(await refusalOf(witness.take('join', { text: 'never-was' }))).to.match(/not valid/);
  });

  it('looks numbers up, and finds each answer by its query', async () => {
    const phones = [BOB, '+15550009999'];
    const found = await witness.take('lookUp', { phones });
    expect(found).to.have.nested.property('[0].Query', BOB);
    expect(found).to.have.nested.property('[0].IsIn', true);
    expect(found).to.have.nested.property('[1].Query', '+15550009999');
    expect(found).to.have.nested.property('[1].IsIn', false);
  });

  it('hears of a new status text, and of devices', async () => {
    await world.client.update(BOB, { status: 'At work' });
    expect(await witness.named('about')).to.include({ status: 'At work' });
    const bob = await world.linked(BOB);
    await witness.take('text', { to: pnJid(BOB), text: 'to both devices' });
    await bob.text('to both devices');
  });

  it('is logged out when the phone unlinks it', async () => {
    await world.client.unlink(ALICE);
    expect(await witness.named('loggedOut')).to.include({ onConnect: false });
  });

  it('complains of nothing', () => {
    const unexpected = witness.complaints.filter((line) => !EXPECTED.some(({ text }) => text.test(line)));
    expect(unexpected).to.deep.equal([]);
  });
});

async function refusalOf(step: Promise<unknown>): Promise<string> {
  try {
    await step;
    return '';
  } catch (error) {
    return String(error);
  }
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
