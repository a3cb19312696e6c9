import { proto } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { LIMITS } from '../../src/domain/limits.js';
import { GROUP, groupOf, HOSTED, makeRig, type Rig, SENT_AT } from './receive-rig.js';

describe('changes of messages', () => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await makeRig();
  });
  afterEach(() => rig.close());

  const edit = {
    protocolMessage: { type: 14, key: { id: 'M1' }, editedMessage: { conversation: 'forged' } },
  };
  const revoke = { protocolMessage: { type: 0, key: { id: 'M1' } } };
  const carol = { participant: '90000000000003@lid', participantAlt: '15550000003@s.whatsapp.net' };

  for (const [what, content] of Object.entries({ 'an edit': edit, 'a revoke': revoke })) {
    it(`${what} of what the linked number wrote is not for the other side`, async () => {
      await rig.receive({ fromMe: true });
      await rig.receive({ messageId: 'C1', content });
      expect(rig.events).to.have.length(1);
      expect(rig.counted).to.include('not the author');
    });
  }

  it('only the author edits a message in a group, and others delete it as admins', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    rig.groups.set(GROUP.chat, groupOf('90000000000003'));
    await rig.receive(GROUP, session);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C1', content: edit }, session);
    expect(rig.events).to.have.length(1);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C2', content: revoke }, session);
    expect(rig.events[1]).to.deep.include({ type: 'revoke', revoke: { targetId: 'M1', byAdmin: true } });
    const [row] = await rig.history('acme-90000000000001-120363040000000000');
    expect(row).to.include({ deleted: true, body: 'hello' });
  });

  it('wait for the connection when an admin made them and nobody knows yet who is one', async () => {
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

  it('are decided at the next start when the gateway stops before anybody can say who is an admin', async () => {
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
    'no admin': '90000000000001',
    'nobody knows who': undefined,
  })) {
    it(`by ${who} delete nothing in a group that somebody else wrote`, async () => {
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

  it('of an own send that is not announced yet are not for the other side', async () => {
    const content = proto.Message.encode({ conversation: 'mine' }).finish();
    const sent = { messageId: 'M1', to: '90000000000002@lid', content, metaData: '', sentAt: SENT_AT };
    await rig.store.sends.put('acme', { ...sent, acknowledged: false, closed: false });
    for (const [messageId, forged] of Object.entries({ C1: edit, C2: revoke }))
      await rig.receive({ messageId, content: forged });
    expect(rig.events).to.deep.equal([]);
  });

  it('of a message that only the history knows any more are not for everybody', async () => {
    const session = { ...HOSTED, enableGroupAi: true };
    await rig.receive(GROUP, session);
    await rig.store.traces.prune(SENT_AT + 1);
    await rig.receive({ ...GROUP, ...carol, messageId: 'C1', content: edit }, session);
    expect(rig.events).to.have.length(1);
    await rig.receive({ ...GROUP, messageId: 'C2', content: edit }, session);
    expect(rig.events[1]).to.include({ type: 'edit' });
  });

  it('say in a chat of two whose message they delete, and nobody deletes the other’s', async () => {
    const claims = { protocolMessage: { type: 0, key: { id: 'M9', fromMe: false } } };
    await rig.receive({ messageId: 'C1', content: claims });
    expect(rig.events).to.deep.equal([]);
    const own = { protocolMessage: { type: 0, key: { id: 'M9', fromMe: true } } };
    await rig.receive({ messageId: 'C2', content: own });
    expect(rig.events[0]).to.deep.include({ revoke: { targetId: 'M9', byAdmin: false } });
  });

  it('of a message that nobody knows are announced as they come', async () => {
    await rig.receive({ messageId: 'C1', content: edit });
    expect(rig.events[0]).to.deep.include({ type: 'edit', edit: { targetId: 'M1', body: 'forged' } });
  });
});
