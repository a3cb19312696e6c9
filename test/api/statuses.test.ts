import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { MessageView } from '../../src/client/sandbox/client.js';
import { pdf, picture } from '../support/made-files.js';
import { extraEventOf, extraEventsIn, startReceiver, type TestReceiver } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import {
  ALICE,
  type ApiAnswer,
  BOB,
  CAROL,
  lidOf,
  linkSession,
  nextQr,
  startWorld,
  type World,
} from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const EVENTS = ['status_post', 'message_status'];

describe('the routes for statuses', () => {
  let world: World;
  let website: TestReceiver;

  before(async () => {
    world = await startWorld({ settings: { allowPrivateUrls: true } });
    website = await startReceiver();
    for (const person of [ALICE, BOB, CAROL, DAVE]) await world.phones.addPhone(person);
    await world.phones.people.nameContacts(ALICE.number, [
      { number: BOB.number, name: 'Bob Builder' },
      { number: CAROL.number, name: 'Carol Jones' },
    ]);
    await linkSession(world, 'acme', ALICE, { extraEvents: EVENTS });
    await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'workspace1' });
    // the address book arrives a moment after the connection is open
    await until('the address book', async () => (await post({ body: 'a try' })).body.people === 2);
  });
  after(async () => {
    await website.stop();
    await world.stop();
  });
  afterEach(async () => {
    await world.phones.clearFaults();
    await world.phones.people.changePrivacy(ALICE.number, { statuses: { mode: 'contacts', people: [] } });
  });

  const post = (body: object, headers = {}): Promise<ApiAnswer> =>
    world.api.post('/post-status', { clientId: 'acme', ...body }, headers);
  async function posted(body: object): Promise<ApiAnswer['body'] & { messageId: string }> {
    const answer = await post(body);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return { ...answer.body, messageId: String(answer.body.messageId) };
  }
  const shown = (number: string, messageId: string, fits = (_: MessageView) => true) =>
    world.phones.waitForStatus(number, (status) => status.messageId === messageId && fits(status));
  const isShown = async (number: string, messageId: string) =>
    (await world.phones.statuses(number)).some((status) => status.messageId === messageId);
  async function refused(answer: Promise<ApiAnswer>, status: number, code: string): Promise<void> {
    const { status: actual, headers, body } = await answer;
    expect(actual, JSON.stringify(body)).to.equal(status);
    expect(headers.get('x-sn-error')).to.equal(code);
  }

  describe('/post-status', () => {
    it('shows nothing to people who have only written to the number, also with the chats that the phone had before', async () => {
      const fay = await world.phones.addPhone({ number: '+15550000006', name: 'Fay' });
      const gus = await world.phones.addPhone({ number: '+15550000007', name: 'Gus' });
      await world.phones.write(gus.number, { to: fay.number, text: 'Hello Fay' });
      const session = { clientId: 'fay' };
      await world.api.post('/start?clientId=fay', { webhookUrl: world.receiver.url });
      await world.api.post('/set-org-id', { ...session, orgId: 'workspace1' });
      await world.phones.scan(fay.number, await nextQr(world, 'fay'));
      const chats = async () => (await world.api.get('/chatrooms?clientId=fay')).body.chatRooms;
      await until('the chats of before', async () => JSON.stringify(await chats()).includes('Gus'));
      await refused(post({ ...session, body: 'for contacts' }), 409, 'audience_empty');
    });

    it('shows a text to the contacts of the linked phone, and to nobody else', async () => {
      const look = { backgroundColor: '#1E6E4F', font: 2 };
      const { messageId, status, people } = await posted({ body: 'Closed on Monday', ...look });
      expect([status, people]).to.deep.equal(['sent', 2]);
      const seen = await shown(BOB.number, messageId);
      expect(seen).to.include({
        from: ALICE.number,
        text: 'Closed on Monday',
        backgroundColor: '#1e6e4f',
        font: 2,
      });
      await shown(CAROL.number, messageId);
      expect((await shown(ALICE.number, messageId)).fromMe).to.equal(true);
      expect(await isShown(DAVE.number, messageId)).to.equal(false);
    });

    it('shows a picture by its URL, and an uploaded one, and refuses other files', async () => {
      const bytes = Buffer.from(await picture('red'), 'base64');
      website.respond((response) => response.setHeader('content-type', 'image/jpeg').end(bytes));
      const byUrl = await posted({ downloadUrl: `${website.url}/menu.jpg`, caption: 'Our new menu' });
      expect(byUrl).to.include({ mediaType: 'image', bytes: bytes.length });
      const { media } = await shown(BOB.number, byUrl.messageId);
      expect(media).to.include({ size: bytes.length, caption: 'Our new menu' });
      const form = new FormData();
      form.append('clientId', 'acme');
      form.append('audience', `${BOB.number},${CAROL.number}`);
      form.append('metaData', '{"userId":"u1"}');
      form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'menu.jpg');
      const uploaded = await world.api.upload('/post-status?clientId=acme', form);
      expect(uploaded.status, JSON.stringify(uploaded.body)).to.equal(200);
      expect(uploaded.body).to.include({ mediaType: 'image', people: 2 });
      const uploadedId = String(uploaded.body.messageId);
      await shown(CAROL.number, uploadedId);
      const event = await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === uploadedId);
      expect(event.meta?.userId).to.equal('u1');
      website.respond((response) => response.setHeader('content-type', 'application/pdf').end(pdf(1)));
      await refused(post({ downloadUrl: `${website.url}/menu.pdf` }), 400, 'media_unsupported');
    });

    it('encrypts a status again for a phone that could not read it', async () => {
      await world.phones.fault({ kind: 'ask-again', number: BOB.number, count: 1 });
      const { messageId } = await posted({ body: 'once more' });
      await shown(BOB.number, messageId);
      const { resent } = await world.phones.stats();
      expect(resent).to.equal(1);
      // as a status, and in no chat
      expect(await world.phones.messages(BOB.number)).to.deep.equal([]);
    });

    it('narrows the audience to some contacts, by any address', async () => {
      const carol = await world.phones.phone(CAROL.number);
      const { messageId, people } = await posted({ body: 'for Carol', audience: [lidOf(carol)] });
      expect(people).to.equal(1);
      await shown(CAROL.number, messageId);
      expect(await isShown(BOB.number, messageId)).to.equal(false);
    });

    it('does not reach a person whom the number has blocked', async () => {
      const block = (path: string) => world.api.post(path, { clientId: 'acme', jid: BOB.number });
      expect((await block('/block')).status).to.equal(200);
      const { messageId, people } = await posted({ body: 'not for a blocked person' });
      expect(people).to.equal(1);
      await shown(CAROL.number, messageId);
      expect(await isShown(BOB.number, messageId)).to.equal(false);
      await refused(post({ body: 'x', audience: [BOB.number] }), 409, 'audience_empty');
      expect((await block('/unblock')).status).to.equal(200);
      expect((await posted({ body: 'for all again' })).people).to.equal(2);
    });

    it('names the forms of a person in an error, and the next call', async () => {
      const wrong = await post({ body: 'x', audience: ['120363040000000000@g.us'] });
      expect([wrong.status, wrong.headers.get('x-sn-error')]).to.deep.equal([400, 'recipient_unknown']);
      expect(wrong.body.error).to.contain('audience').and.not.to.contain('g.us');
      const nobody = await post({ body: 'x', audience: [DAVE.number] });
      expect(nobody.body.error).to.contain('/status-privacy');
      expect(decodeURIComponent(nobody.headers.get('x-sn-reason') ?? '')).to.contain('getStatusPrivacy');
    });

    it('refuses a status that nobody could see', async () => {
      await refused(post({ body: 'x', audience: [DAVE.number] }), 409, 'audience_empty');
      await world.phones.people.changePrivacy(ALICE.number, { statuses: { mode: 'whitelist', people: [] } });
      await refused(post({ body: 'x' }), 409, 'audience_empty');
    });

    it('refuses a request without a content, with two, and with a wrong color', async () => {
      for (const body of [
        {},
        { body: 'a', downloadUrl: 'https://example.com/a.jpg' },
        { body: 'a', backgroundColor: 'red' },
        { body: 'a', caption: 'of no file' },
      ])
        await refused(post(body), 400, 'invalid_request');
    });

    it('posts once for an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'monday' };
      const first = await post({ body: 'once' }, headers);
      expect((await post({ body: 'once' }, headers)).body).to.deep.equal(first.body);
      await shown(BOB.number, String(first.body.messageId));
      const texts = (await world.phones.statuses(BOB.number)).filter(({ text }) => text === 'once');
      expect(texts.length).to.equal(1);
    });

    it('announces own statuses apart from messages, who has seen them, and keeps them out of the inbox', async () => {
      const { messageId } = await posted({ body: 'Look', metaData: { userId: 'u1' } });
      const event = await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === messageId);
      expect(event).to.deep.include({ event: 'status.post', fromMe: true, kind: 'text', body: 'Look' });
      expect(event.meta).to.deep.equal({ userId: 'u1', raw: { userId: 'u1' } });
      expect(Date.parse(event.expiresAt ?? '') - Date.parse(event.timestamp)).to.equal(24 * 60 * 60_000);
      await shown(BOB.number, messageId);
      await world.phones.read(BOB.number, [messageId]);
      const read = await extraEventOf(
        world.receiver,
        'message_status',
        (one) => one.messageId === messageId && one.status === 'read',
      );
      expect(read.by).to.equal(lidOf(await world.phones.phone(BOB.number)));
      const rooms = await world.api.get('/chatrooms?clientId=acme&orgId=workspace1');
      expect(JSON.stringify(rooms.body)).not.to.include('Look').and.not.to.include('broadcast');
      const types = world.receiver.calls.map(({ headers }) => headers['x-sn-event']);
      expect([...new Set(types)]).to.have.members(EVENTS);
    });
  });

  describe('/delete-status', () => {
    it('deletes a status for everybody who got it, also after the setting has changed', async () => {
      const { messageId } = await posted({ body: 'a mistake' });
      await shown(BOB.number, messageId);
      await world.phones.people.changePrivacy(ALICE.number, {
        statuses: { mode: 'blacklist', people: [BOB.number] },
      });
      const answer = await world.api.post('/delete-status', { clientId: 'acme', messageId });
      expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      await shown(BOB.number, messageId, ({ revoked }) => revoked);
      await shown(CAROL.number, messageId, ({ revoked }) => revoked);
      const event = await extraEventOf(world.receiver, 'status_post', (one) => one.targetId === messageId);
      expect(event).to.include({ kind: 'revoke', fromMe: true }).and.not.to.have.property('expiresAt');
    });

    it('is the only call that changes a status', async () => {
      const { messageId } = await posted({ body: 'fixed' });
      const edit = { clientId: 'acme', to: BOB.number, messageId, body: 'changed' };
      await refused(world.api.post('/edit-message', edit), 400, 'invalid_request');
      const to = 'status@broadcast';
      await refused(world.api.post('/edit-message', { ...edit, to }), 400, 'recipient_unknown');
      await refused(
        world.api.post('/send-message', { clientId: 'acme', to, body: 'x' }),
        400,
        'recipient_unknown',
      );
    });

    const deletion = (messageId: unknown) =>
      world.api.post('/delete-status', { clientId: 'acme', messageId });
    const deletionsOf = (id: string) =>
      extraEventsIn(world.receiver.calls, 'status_post').filter(({ targetId }) => targetId === id);

    it('says that a status was not deleted when nobody is known who may see it', async () => {
      const { messageId } = await world.phones.postStatus(ALICE.number, 'for nobody any more');
      await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === messageId);
      await world.phones.people.changePrivacy(ALICE.number, { statuses: { mode: 'whitelist', people: [] } });
      const answer = await deletion(messageId);
      expect([answer.status, answer.headers.get('x-sn-error')]).to.deep.equal([409, 'audience_empty']);
      expect(answer.body.error)
        .to.match(/^The status was not deleted: .* the privacy setting names nobody\./)
        .and.contain('Delete the status on the phone.');
    });

    it('refuses a message that is no status, and names the call that deletes it', async () => {
      const sent = await world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'Hi' });
      const answer = await deletion(sent.body.messageId);
      expect([answer.status, answer.headers.get('x-sn-error')]).to.deep.equal([400, 'invalid_request']);
      expect(answer.body.error).to.contain('/delete-message');
      const { jid } = await world.phones.channels.create(ALICE.number, { name: 'Own' });
      const post = await world.api.post('/post-channel', { clientId: 'acme', channelJid: jid, body: 'News' });
      const ofPost = await deletion(post.body.messageId);
      expect([ofPost.status, ofPost.headers.get('x-sn-error')]).to.deep.equal([400, 'invalid_request']);
      expect(ofPost.body.error).to.contain('/delete-channel-post');
    });

    it('sends and announces nothing for an id that is no own status', async () => {
      const foreign = await world.phones.postStatus(BOB.number, "Bob's own");
      await extraEventOf(world.receiver, 'status_post', ({ messageId }) => messageId === foreign.messageId);
      for (const id of ['NOSUCH', foreign.messageId]) {
        await refused(deletion(id), 404, 'message_unknown');
        expect(deletionsOf(id)).to.deep.equal([]);
      }
      expect((await shown(CAROL.number, foreign.messageId)).revoked).to.equal(false);
    });

    it('deletes once, and answers a repetition the same; a deletion is no status itself', async () => {
      const { messageId } = await posted({ body: 'deleted twice' });
      for (const answer of [await deletion(messageId), await deletion(messageId)])
        expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      await extraEventOf(world.receiver, 'status_post', ({ targetId }) => targetId === messageId);
      await world.restartDaemon();
      await world.connected('acme');
      expect((await deletion(messageId)).body).to.deep.equal({ ok: true });
      // announced after whatever came before
      const { messageId: later } = await posted({ body: 'after it' });
      await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === later);
      const [event, ...others] = deletionsOf(messageId);
      expect(others).to.deep.equal([]);
      const trace = await world.api.get(`/message-trace?clientId=acme&messageId=${messageId}`);
      expect(trace.body.conclusion).to.contain('It has been deleted for everybody since.');
      await refused(deletion(event?.messageId), 404, 'message_unknown');
    });

    it('deletes a status that was posted on the phone, once', async () => {
      const { messageId } = await world.phones.postStatus(ALICE.number, 'from the phone');
      await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === messageId);
      for (const answer of [await deletion(messageId), await deletion(messageId)])
        expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      await shown(BOB.number, messageId, ({ revoked }) => revoked);
      const { messageId: later } = await posted({ body: 'after that' });
      await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === later);
      expect(deletionsOf(messageId).length).to.equal(1);
    });
  });

  describe('/status-privacy', () => {
    it('shows who may see statuses, which decides who gets them', async () => {
      await world.phones.people.changePrivacy(ALICE.number, {
        statuses: { mode: 'blacklist', people: [BOB.number] },
      });
      const lid = lidOf(await world.phones.phone(BOB.number));
      expect((await world.api.get('/status-privacy?clientId=acme')).body).to.deep.equal({
        mode: 'except',
        people: [{ lid, phone: BOB.number, name: 'Bob Builder' }],
      });
      const { messageId, people } = await posted({ body: 'not for Bob' });
      expect(people).to.equal(1);
      await shown(CAROL.number, messageId);
      expect(await isShown(BOB.number, messageId)).to.equal(false);
    });

    it('can be set, for the phone too', async () => {
      const set = (body: object) => world.api.post('/set-status-privacy', { clientId: 'acme', ...body });
      const answer = await set({ mode: 'only', people: [CAROL.number] });
      expect([answer.status, answer.body]).to.deep.equal([200, { ok: true }]);
      await until('the phone', async () => {
        const { statuses } = await world.phones.people.privacy(ALICE.number);
        return statuses.mode === 'whitelist' && statuses.people.join() === CAROL.number;
      });
      expect((await posted({ body: 'only Carol' })).people).to.equal(1);
      await refused(set({ mode: 'only' }), 400, 'invalid_request');
      await refused(set({ mode: 'only', people: [CAROL.number, ALICE.number] }), 400, 'invalid_request');
      await refused(set({ mode: 'contacts', people: [BOB.number] }), 400, 'invalid_request');
    });
  });

  describe('the event status_post', () => {
    it('tells of statuses of contacts, with their files, and of their deletion', async () => {
      const media = { kind: 'image', mimeType: 'image/png', size: 100, caption: 'the lake' } as const;
      const { messageId } = await world.phones.postStatus(BOB.number, '', media);
      const event = await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === messageId);
      const lid = lidOf(await world.phones.phone(BOB.number));
      expect(event).to.deep.include({ fromMe: false, kind: 'image', body: 'the lake', from: lid });
      expect(event).to.include({ fromPhone: BOB.number, fromName: 'Bob Builder', orgId: 'workspace1' });
      expect(event.media).to.include({ mimeType: 'image/png', fileSize: 100, caption: 'the lake' });
      expect(event.media?.download.mediaKey).to.be.a('string');
      await world.phones.deleteStatus(BOB.number, messageId);
      await extraEventOf(world.receiver, 'status_post', (one) => one.targetId === messageId);
    });

    it('has an id of its own for each author, also if two chose the same message id in the same second', async () => {
      const [device] = (await world.phones.phone(ALICE.number)).devices;
      const messageId = '3EB0A9253D5F6C2B1E7A91';
      const base64 = Buffer.from(proto.Message.encode({ conversation: 'same id' }).finish()).toString(
        'base64',
      );
      for (const { number } of [BOB, CAROL]) {
        const { lid } = await world.phones.phone(number);
        const attrs = {
          from: 'status@broadcast',
          participant: lid,
          id: messageId,
          t: '1795257228',
          type: 'text',
        };
        const children = [{ tag: 'plaintext', base64 }];
        await world.phones.stanzas.send(ALICE.number, device?.id ?? 0, { tag: 'message', attrs, children });
      }
      const isOne = ({ body }: { body: string }) => body.includes(messageId);
      await until('both statuses', async () => world.receiver.calls.filter(isOne).length === 2);
      const calls = world.receiver.calls.filter(isOne);
      expect(new Set(calls.map(({ headers }) => headers['x-sn-delivery'])).size).to.equal(2);
    });

    it('tells of a status that the owner posts on the phone', async () => {
      const { messageId } = await world.phones.postStatus(ALICE.number, 'from the phone');
      const event = await extraEventOf(world.receiver, 'status_post', (one) => one.messageId === messageId);
      expect(event).to.include({ fromMe: true, kind: 'text', body: 'from the phone' });
    });

    it('does not come to a session that has not opted in, which stays able to read later ones', async () => {
      await linkSession(world, 'quiet', DAVE);
      await world.phones.postStatus(BOB.number, 'unread');
      const { messageId } = await world.phones.write(BOB.number, { to: DAVE.number, text: 'after it' });
      await world.receiver.find(({ body }) => body.includes(messageId));
      const told = extraEventsIn(world.receiver.calls, 'status_post');
      expect(told.filter(({ clientId }) => clientId === 'quiet')).to.deep.equal([]);
      await world.api.post('/set-webhook', {
        ...{ clientId: 'quiet', webhookUrl: world.receiver.url, extraEvents: ['status_post'] },
      });
      const later = await world.phones.postStatus(BOB.number, 'now read');
      await extraEventOf(
        world.receiver,
        'status_post',
        (one) => one.clientId === 'quiet' && one.messageId === later.messageId,
      );
    });
  });
});

const POLICIES = `
mode: enforce
policies:
  few: { messagesPerDay: 2 }
  tests: { allow: ['+15550000002'] }
  spared: { deny: ['+15550000002'] }
sessions: { acme: few, beta: tests, gamma: spared }
`;

describe('a status under a policy', () => {
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICIES);
    world = await startWorld({ settings: { allowPrivateUrls: true, policy } });
    for (const person of [ALICE, BOB, CAROL]) await world.phones.addPhone(person);
    for (const { number } of [ALICE, CAROL]) await world.phones.people.nameContacts(number, [BOB]);
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const post = (clientId: string) => world.api.post('/post-status', { clientId, body: 'Hello' });

  it('counts as one message, and its deletion as none', async () => {
    await linkSession(world, 'acme', ALICE);
    let first = await post('acme');
    await until('the address book', async () => {
      if (first.status === 409) first = await post('acme');
      return first.status === 200;
    });
    expect((await post('acme')).status).to.equal(200);
    const third = await post('acme');
    expect([third.status, third.headers.get('x-sn-error')]).to.deep.equal([429, 'policy_refused']);
    expect(third.body.policy).to.include({ rule: 'messagesPerDay', limit: 2, left: 0 });
    const { messageId } = first.body;
    const deleted = await world.api.post('/delete-status', { clientId: 'acme', messageId });
    expect([deleted.status, deleted.body]).to.deep.equal([200, { ok: true }]);
  });

  it('is refused under a list of allowed recipients', async () => {
    await linkSession(world, 'beta', CAROL);
    let answer = await post('beta');
    await until('the address book', async () => {
      if (answer.status === 409) answer = await post('beta');
      return answer.status !== 409;
    });
    expect(answer.body.policy).to.include({ rule: 'allow' });
    expect(await world.phones.statuses(BOB.number)).to.satisfy((all: MessageView[]) =>
      all.every(({ from }) => from !== CAROL.number),
    );
  });

  it('is refused before its file is downloaded', async () => {
    const website = await startReceiver();
    const downloadUrl = `${website.url}/x.png`;
    const answer = await world.api.post('/post-status', { clientId: 'beta', downloadUrl });
    await website.stop();
    expect([answer.status, answer.headers.get('x-sn-error')]).to.deep.equal([429, 'policy_refused']);
    expect(website.calls).to.deep.equal([]);
  });

  it('does not reach people on a list of denied recipients', async () => {
    const dave = { ...DAVE, number: '+15550000005' };
    await world.phones.addPhone(dave);
    await world.phones.people.nameContacts(dave.number, [BOB, CAROL]);
    await linkSession(world, 'gamma', dave);
    let answer = await post('gamma');
    await until('the address book', async () => {
      if (answer.status === 409) answer = await post('gamma');
      return answer.status !== 409;
    });
    expect(answer.body).to.include({ status: 'sent', people: 1 });
    const { messageId } = answer.body;
    await world.phones.waitForStatus(CAROL.number, (status) => status.messageId === messageId);
    const seen = await world.phones.statuses(BOB.number);
    expect(seen.filter(({ from }) => from === dave.number)).to.deep.equal([]);
    await world.phones.people.changePrivacy(dave.number, {
      statuses: { mode: 'whitelist', people: [BOB.number] },
    });
    const refused = await post('gamma');
    expect([refused.status, refused.headers.get('x-sn-error')]).to.deep.equal([409, 'audience_empty']);
  });
});
