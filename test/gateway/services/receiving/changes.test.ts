import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { LIMITS } from '../../../../src/domain/limits.js';
import type { IncomingMessage } from '../../../../src/gateway/link/link.js';
import { GROUP, groupOf, HOSTED, type Receiving, SENT_AT } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

describe('Receiver: changes of messages', () => {
  let rig: Receiving;
  beforeEach(async () => {
    rig = (await Rig.start()).receiving();
  });
  afterEach(() => rig.close());

  const edit = {
    protocolMessage: { type: 14, key: { id: 'M1' }, editedMessage: { conversation: 'forged' } },
  };
  const revoke = { protocolMessage: { type: 0, key: { id: 'M1' } } };
  const carol = { participant: '90000000000003@lid', participantAlt: '15550000003@s.whatsapp.net' };

  for (const [what, content] of Object.entries({ 'an edit': edit, 'a revoke': revoke })) {
    it(`refuses ${what} of the other person for a message of the linked number`, async () => {
      await rig.receive({ fromMe: true });
      await rig.receive({ messageId: 'C1', content });
      expect(rig.events).to.have.length(1);
      expect(rig.counted).to.include('not the author');
    });
  }

  it('lets only the author edit a message in a group, and admins delete it', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    rig.groups.set(GROUP.chat, groupOf('90000000000003'));
    await rig.receive(GROUP, session);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C1', content: edit }, session);
    expect(rig.events).to.have.length(1);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C2', content: revoke }, session);
    expect(rig.events[1]).to.deep.include({ type: 'revoke', revoke: { targetId: 'M1', byAdmin: true } });
    const [row] = await rig.history('acme-90000000000001-120363040000000000');
    expect(row).to.include({ deleted: true, body: '' });
  });

  const secret = { content: { conversation: 'the secret' } };
  const quote = (participant = '90000000000002@lid') => ({
    messageId: 'Q1',
    content: {
      extendedTextMessage: {
        text: 'see above',
        contextInfo: { stanzaId: 'M1', participant, quotedMessage: { conversation: 'the secret' } },
      },
    },
  });
  /** By the person who wrote it, as it claims. */
  const deletion = {
    messageId: 'D1',
    content: { protocolMessage: { type: 0, key: { id: 'M1', fromMe: true } } },
  };
  const orders: [what: string, order: Partial<IncomingMessage>[]][] = [
    ['message, reply, deletion', [secret, quote(), deletion]],
    ['message, deletion, reply', [secret, deletion, quote()]],
    ['reply, message, deletion', [quote(), secret, deletion]],
    ['reply, deletion, message', [quote(), deletion, secret]],
    ['deletion, message, reply', [deletion, secret, quote()]],
    ['deletion, reply, message', [deletion, quote(), secret]],
    ['deletion, reply, without the message', [deletion, quote()]],
    ['reply, deletion, without the message', [quote(), deletion]],
  ];
  for (const [what, order] of orders) {
    it(`deletes what a reply quotes of a deleted message: ${what}`, async () => {
      for (const message of order) await rig.receive(message, HOSTED);
      const rows = await rig.history();
      const reply = rows.find(({ messageId }) => messageId === 'Q1');
      expect(reply?.body).to.equal('see above');
      const quoted = { messageId: 'M1', participant: '90000000000002', body: '', type: 'text' };
      expect(reply?.extras.quoted).to.deep.equal(quoted);
      for (const { content } of rows) expect(Buffer.from(content).includes('secret')).to.equal(false);
      const event = rig.events.find(({ messageId }) => messageId === 'Q1');
      const isLater = order.indexOf(deletion) < order.findIndex(({ messageId }) => messageId === 'Q1');
      expect(event?.quoted?.body).to.equal(isLater ? '' : 'the secret');
    });
  }

  it('deletes what a reply quotes when message, reply and deletion arrive at once', async () => {
    for (const message of [secret, quote(), deletion]) rig.take(message, HOSTED);
    await rig.receiver.idle();
    const rows = await rig.history();
    expect(rows).to.have.length(2);
    for (const { content } of rows) expect(Buffer.from(content).includes('secret')).to.equal(false);
    expect(JSON.stringify(rows.map(({ extras }) => extras))).to.not.include('secret');
  });

  it('keeps the quote of a message that is not stored when a person other than its author deletes it', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    rig.groups.set(GROUP.chat, groupOf('90000000000004'));
    await rig.receive({ ...GROUP, ...quote() }, session);
    await rig.receive({ ...GROUP, ...carol, ...deletion }, session);
    await rig.receive({ ...GROUP, ...quote(), messageId: 'Q2' }, session);
    const rows = await rig.history('acme-90000000000001-120363040000000000');
    expect(rows.map(({ extras }) => extras)).to.have.length(2);
    for (const { extras } of rows) expect(extras).to.have.nested.property('quoted.body', 'the secret');
  });

  it('waits for the connection when it is unknown whether a deletion is by an admin', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    rig.groups.set(GROUP.chat, groupOf('90000000000003'));
    let connect: () => void = () => undefined;
    rig.connection = new Promise((resolve) => {
      connect = resolve;
    });
    rig.take(GROUP, session);
    rig.take({ ...GROUP, ...carol, messageId: 'C2', content: revoke }, session);
    await rig.clock.scheduled(LIMITS.groupAskMs);
    rig.clock.advance(LIMITS.groupAskMs);
    connect();
    await rig.receiver.idle();
    expect(rig.events.map(({ type }) => type)).to.deep.equal(['text', 'revoke']);
  });

  it('decides a deletion at the next start when the gateway stops before it knows the admins', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    const closed: string[] = [];
    rig.store.journal.close = async (_clientId, ids) => void closed.push(...ids);
    rig.stopped = true;
    await rig.receive({ ...GROUP, ...carol, messageId: 'C2', content: revoke, journalIds: ['J1'] }, session);
    expect([rig.events, closed]).to.deep.equal([[], []]);
    const loggedOut = { ...session, status: 'logged_out' as const };
    await rig.receive(
      { ...GROUP, ...carol, messageId: 'C3', content: revoke, journalIds: ['J2'] },
      loggedOut,
    );
    expect([rig.events, closed]).to.deep.equal([[], ['J2']]);
  });

  for (const [who, admin] of Object.entries({
    'a member who is not an admin': '90000000000001',
    'a member of an unknown group': undefined,
  })) {
    it(`refuses deletions of other people’s messages in a group: by ${who}`, async () => {
      const session = { ...HOSTED, enableGroupAi: true };
      if (admin) rig.groups.set(GROUP.chat, groupOf(admin));
      await rig.receive(GROUP, session);
      for (const [messageId, fromMe] of Object.entries({ C1: true, C2: false })) {
        const content = { protocolMessage: { type: 0, key: { id: 'M1', fromMe } } };
        await rig.receive({ ...GROUP, ...carol, messageId, content }, session);
      }
      const unknown = { protocolMessage: { type: 0, key: { id: 'M9', fromMe: false } } };
      await rig.receive({ ...GROUP, ...carol, messageId: 'C3', content: unknown }, session);
      expect(rig.events).to.have.length(1);
      expect(rig.counted.filter((reason) => reason === 'not the author')).to.have.length(3);
      const [row] = await rig.history('acme-90000000000001-120363040000000000');
      expect(row).to.include({ deleted: false, body: 'hello' });
    });
  }

  it('refuses changes by the other side of an own send that is not announced yet', async () => {
    const content = proto.Message.encode({ conversation: 'mine' }).finish();
    const sent = {
      messageId: 'M1',
      to: '90000000000002@lid',
      content,
      metaData: '',
      fileName: '',
      sentAt: SENT_AT,
    };
    await rig.store.sends.put('acme', { ...sent, acknowledged: false, closed: false });
    for (const [messageId, forged] of Object.entries({ C1: edit, C2: revoke }))
      await rig.receive({ messageId, content: forged });
    expect(rig.events).to.deep.equal([]);
  });

  it('refuses a change by another person to a message that is only in the history', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    await rig.receive(GROUP, session);
    await rig.store.traces.prune(SENT_AT + 1);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C1', content: edit }, session);
    expect(rig.events).to.have.length(1);
    await rig.receive({ ...GROUP, messageId: 'C2', content: edit }, session);
    expect(rig.events[1]).to.include({ type: 'edit' });
  });

  it('refuses a deletion of the other person’s message in a chat of two', async () => {
    const claims = { protocolMessage: { type: 0, key: { id: 'M9', fromMe: false } } };
    await rig.receive({ messageId: 'C1', content: claims });
    expect(rig.events).to.deep.equal([]);
    const own = { protocolMessage: { type: 0, key: { id: 'M9', fromMe: true } } };
    await rig.receive({ messageId: 'C2', content: own });
    expect(rig.events[0]).to.deep.include({ revoke: { targetId: 'M9', byAdmin: false } });
  });

  it('names the admin when another member claims to delete their own message', async () => {
    rig.groups.set(GROUP.chat, groupOf('90000000000003'));
    const session = { ...HOSTED, enableGroupAi: true };
    await rig.receive(GROUP, session);
    const claims = { protocolMessage: { type: 0, key: { id: 'M1', fromMe: true } } };
    await rig.receive({ ...GROUP, ...carol, messageId: 'C1', content: claims }, session);
    expect(rig.events[1]).to.deep.include({ revoke: { targetId: 'M1', byAdmin: true } });
  });

  it('names the author of the target of a reaction, from the view of the linked number', async () => {
    await rig.receive({});
    await rig.receive({ messageId: 'M2', fromMe: true });
    for (const [id, targetFromMe] of [
      ['M1', false],
      ['M2', true],
    ] as const) {
      // a key says it from the view of who reacts
      const content = { reactionMessage: { key: { id, fromMe: targetFromMe }, text: '👍' } };
      await rig.receive({ messageId: `R${id}`, content });
      expect(rig.events.at(-1)).to.deep.include({ reaction: { targetId: id, emoji: '👍', targetFromMe } });
    }
  });

  it('erases the content of an own send that was deleted for everyone, once the send has ended', async () => {
    const content = proto.Message.encode({ conversation: 'mine' }).finish();
    const own = { to: '90000000000002@lid', content, metaData: '{}', fileName: '', sentAt: SENT_AT };
    for (const [messageId, closed] of Object.entries({ OPEN: false, CLOSED: true })) {
      await rig.store.sends.put('acme', { ...own, messageId, acknowledged: true, closed });
      const deleting = { protocolMessage: { type: 0, key: { id: messageId, fromMe: true } } };
      await rig.receive({ messageId: `D${messageId}`, fromMe: true, content: deleting });
      const kept = await rig.store.sends.get('acme', messageId);
      expect(kept).to.deep.include({
        ...{ messageId, to: own.to, sentAt: SENT_AT, acknowledged: true, closed },
        content: closed ? Buffer.alloc(0) : Buffer.from(content),
      });
    }
  });

  it('announces changes of an unknown message as they arrive', async () => {
    await rig.receive({ messageId: 'C1', content: edit });
    expect(rig.events[0]).to.deep.include({ type: 'edit', edit: { targetId: 'M1', body: 'forged' } });
  });
});
