import { expect } from 'chai';
import type { CallView, PhoneView } from '../../src/client/sandbox/client.js';
import type { CallEvent, GroupUpdateEvent, PresenceEvent } from '../../src/contract/events/catalogue.js';
import { picture } from '../support/made-files.js';
import { eventOf, extraEventOf, extraEventsIn } from '../support/receiver.js';
import { ALICE, BOB, Conversations, lidOf, linkSession } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const EVENTS = ['call', 'presence', 'group_update'];

describe('opt-in events', () => {
  let chats: Conversations;

  before(async () => {
    chats = await Conversations.start();
    await chats.world.phones.addPhone(DAVE);
    // the side without a history opts in to nothing
    await optIn('hosted', EVENTS);
  });
  after(() => chats.stop());

  const hosted = () => chats.hosted.phone.number;

  async function optIn(clientId: string, extraEvents: string[]): Promise<void> {
    const { receiver, api } = chats.world;
    const { status } = await api.post('/set-webhook', { clientId, webhookUrl: receiver.url, extraEvents });
    expect(status).to.equal(200);
  }

  /** Cuts the session's link, acts, and lets the session come back. */
  async function whileAway(act: () => Promise<unknown>): Promise<void> {
    const { world } = chats;
    await world.stopDaemon();
    await act();
    await world.startDaemon();
    await world.connected('hosted');
  }

  describe('calls', () => {
    const ring = (to: string, video = false): Promise<CallView> =>
      chats.world.phones.activity.ring(BOB.number, { to, video });
    const act = (
      number: string,
      { callId }: CallView,
      action: 'cancel' | 'timeout' | 'accept' | 'reject' | 'hangup',
    ) => chats.world.phones.activity.act(number, callId, action);
    const told = (call: CallView, status: CallEvent['status']): Promise<CallEvent> =>
      extraEventOf(
        chats.world.receiver,
        'call',
        (event) => event.callId === call.callId && event.status === status,
      );
    const statusesOf = ({ callId }: CallView) =>
      extraEventsIn(chats.world.receiver.calls, 'call').flatMap((event) =>
        event.callId === callId ? [event.status] : [],
      );

    it('are announced as missed when nobody answers, and get a row of their own in the history', async () => {
      const { chatRoomId, orgId, phone } = chats.hosted;
      const call = await ring(hosted(), true);
      const offer = await told(call, 'offer');
      expect(offer).to.deep.include({
        event: 'call',
        clientId: 'hosted',
        orgId,
        chatRoomId,
        myLid: lidOf(phone),
        clientLid: lidOf(chats.bob),
        remoteJid: chats.bob.lid,
        from: lidOf(chats.bob),
        fromPhone: BOB.number,
        fromName: BOB.name,
        isVideo: true,
        isGroup: false,
        rejected: false,
        offline: false,
      });
      await act(BOB.number, call, 'timeout');
      await told(call, 'missed');
      expect(statusesOf(call)).to.deep.equal(['offer', 'missed']);
      expect(await chats.row(chats.hosted, call.callId)).to.deep.include({
        messageType: 'call',
        body: 'Missed video call',
        fromMe: false,
        extras: { call: { status: 'missed', isVideo: true, isGroup: false } },
      });
      const { body } = await chats.world.api.get('/chatrooms?clientId=hosted');
      expect(JSON.stringify(body))
        .to.include('"lastMessage":"Missed video call"')
        .and.include('"unreadCount":1');
    });

    it('are announced with their end when the caller hangs up or the phone accepts or declines', async () => {
      const cancelled = await ring(hosted());
      await told(cancelled, 'offer');
      await act(BOB.number, cancelled, 'cancel');
      expect(await told(cancelled, 'missed')).to.include({ isVideo: false });
      const taken = await ring(hosted());
      await told(taken, 'offer');
      await act(hosted(), taken, 'accept');
      await told(taken, 'accept');
      await act(BOB.number, taken, 'hangup');
      await told(taken, 'ended');
      const declined = await ring(hosted());
      await told(declined, 'offer');
      await act(hosted(), declined, 'reject');
      expect(await told(declined, 'reject')).to.include({ rejected: false });
      for (const call of [taken, declined])
        expect(await chats.row(chats.hosted, call.callId)).to.equal(undefined);
    });

    it('appear in the tail and the metrics of sessions that did not opt in', async () => {
      const { world, plain } = chats;
      const call = await ring(plain.phone.number);
      await world.tail.next(
        ({ kind, clientId, ...entry }) =>
          kind === 'event' && clientId === 'plain' && JSON.stringify(entry).includes(call.callId),
      );
      expect(statusesOf(call)).to.deep.equal([]);
      const metrics = await fetch(`${world.api.url}/metrics`, {
        headers: { authorization: 'Bearer test-master-token-0123456789' },
      });
      expect(await metrics.text()).to.match(/switchboard_calls_total\{.*status="missed".*\} [1-9]/);
    });

    it('name the group and the caller when they ring in a group', async () => {
      const { phones } = chats.world;
      const participants = [hosted(), DAVE.number];
      const { jid } = await phones.groups.create(BOB.number, { subject: 'Callers', participants });
      const call = await ring(jid);
      expect(await told(call, 'offer')).to.deep.include({
        isGroup: true,
        remoteJid: jid,
        from: lidOf(chats.bob),
      });
      await act(BOB.number, call, 'cancel');
      const { chatRoomId } = await told(call, 'missed');
      expect(chatRoomId).to.include(jid.slice(0, -5));
      const { body } = await chats.world.api.get(`/chatrooms/${chatRoomId}/messages`);
      expect(body.messages)
        .to.have.nested.property('[0].extras')
        .that.deep.equals({
          call: { status: 'missed', isVideo: false, isGroup: true },
          group: { jid, subject: 'Callers', participant: lidOf(chats.bob), participantPhone: BOB.number },
        });
    });

    it('are declined over the wire if the session is set to decline calls, and are announced as rejected', async () => {
      const { api, phones } = chats.world;
      const set = (enabled: boolean) => api.post('/set-reject-calls', { clientId: 'hosted', enabled });
      expect((await set(true)).body).to.deep.equal({ ok: true, clientId: 'hosted', enabled: true });
      const { body } = await api.get('/health/clients');
      expect(JSON.stringify(body)).to.include('"rejectCalls":true');
      expect((await api.get('/config')).body.rejectCalls).to.equal(true);
      const call = await ring(hosted());
      const seen = await phones.activity.waitForCall(
        BOB.number,
        ({ callId, status }) => callId === call.callId && status === 'rejected',
      );
      expect(seen.rejectedBy).to.equal('device');
      expect(await told(call, 'reject')).to.include({ rejected: true });
      expect(statusesOf(call)).to.deep.equal(['offer', 'reject']);
      expect(await chats.row(chats.hosted, call.callId)).to.include({ body: 'Rejected voice call' });
      // the caller gives up before the rejection has reached the network
      await phones.fault({ kind: 'delay', number: hosted(), count: 1, ms: 300 });
      const brief = await ring(hosted());
      await told(brief, 'offer');
      await act(BOB.number, brief, 'cancel');
      expect(await told(brief, 'reject')).to.include({ rejected: true });
      expect(statusesOf(brief)).to.deep.equal(['offer', 'reject']);
      await set(false);
    });

    it('are announced as missed, with their own time, when they rang while the session was away', async () => {
      let call: CallView | undefined;
      await whileAway(async () => {
        call = await ring(hosted());
        await act(BOB.number, call, 'timeout');
      });
      if (!call) throw new Error('somebody rang');
      const event = await told(call, 'missed');
      expect(event.offline).to.equal(true);
      expect(event.timestamp).to.equal(new Date(call.timestamp * 1_000).toISOString());
      expect(await chats.row(chats.hosted, call.callId)).to.include({ body: 'Missed voice call' });
    });
  });

  it('announce old calls from the offline queue, and calls that began unseen, with their outcome', async () => {
    const { stanzas } = chats.world.phones;
    const { devices } = await chats.world.phones.phone(hosted());
    const at = Math.floor(Date.now() / 1_000) - 3_600;
    /** Sends steps of a call that rang an hour ago, as the offline queue has them. */
    async function queued(callId: string, ...steps: [tag: string, attrs: Record<string, string>][]) {
      for (const [tag, attrs] of steps) {
        const names = { 'call-id': callId, 'call-creator': chats.bob.lid, ...attrs };
        await stanzas.send(hosted(), devices[0]?.id ?? 1, {
          tag: 'call',
          attrs: { id: `${callId}-${tag}`, from: chats.bob.lid, t: String(at), offline: '0' },
          children: [{ tag, attrs: names }],
        });
      }
    }
    const statusesOf = (callId: string) =>
      extraEventsIn(chats.world.receiver.calls, 'call').flatMap((event) =>
        event.callId === callId ? event : [],
      );
    const last = (callId: string) =>
      extraEventOf(chats.world.receiver, 'call', (event) => event.callId === callId);
    await queued('OLD1', ['offer', {}]);
    await queued('OLD2', [
      'offer_notice',
      { media: 'video', type: 'group', 'group-jid': '120363000000000009@g.us' },
    ]);
    await queued('OLD3', ['offer', {}], ['terminate', { reason: 'accepted_elsewhere' }]);
    await queued('OLD4', ['terminate', {}]);
    await queued('OLD5', ['relaylatency', {}]);
    expect(await last('OLD3')).to.include({ status: 'accept', offline: true });
    expect(await last('OLD4')).to.include({ status: 'missed' });
    expect(await last('OLD1')).to.include({
      status: 'missed',
      timestamp: new Date(at * 1_000).toISOString(),
    });
    expect(await last('OLD2')).to.include({ status: 'missed', isVideo: true, isGroup: true });
    for (const id of ['OLD1', 'OLD2', 'OLD3', 'OLD4']) expect(statusesOf(id), id).to.have.length(1);
    expect(statusesOf('OLD5')).to.deep.equal([]);
  });

  describe('presence', () => {
    const { type, setOnline, presence, waitForPresence } = {
      type: (state: 'composing' | 'recording' | 'paused', to = hosted()) =>
        chats.world.phones.activity.type(BOB.number, { to, state }),
      setOnline: (online: boolean) => chats.world.phones.activity.setOnline(BOB.number, online),
      presence: () => chats.world.phones.activity.presence(hosted()),
      waitForPresence: (online: boolean) =>
        chats.world.phones.activity.waitForPresence(hosted(), (view) => view.online === online),
    };
    /** Resolves when the network has the subscription: the gateway tells it, and gets no answer. */
    const subscribed = (to: string) =>
      chats.world.phones.activity.waitForPresence(hosted(), ({ devices }) =>
        devices.some(({ subscriptions }) => subscriptions.includes(to)),
      );
    const told = (state: PresenceEvent['state'], isGroup = false): Promise<PresenceEvent> =>
      extraEventOf(
        chats.world.receiver,
        'presence',
        (event) => event.state === state && event.isGroup === isGroup,
      );
    const subscribe = (to: string, seconds?: number) =>
      chats.world.api.post('/subscribe-presence', { clientId: 'hosted', to, ...(seconds && { seconds }) });

    it('needs the opt-in, and without it the number does not appear online', async () => {
      const { api } = chats.world;
      const { status, body } = await api.post('/subscribe-presence', { clientId: 'plain', to: BOB.number });
      expect(status, JSON.stringify(body)).to.equal(400);
      expect(body.error).to.match(/extraEvents/);
      await chats.fromBob(chats.plain, { text: 'hello' });
      const { online } = await chats.world.phones.activity.presence(chats.plain.phone.number);
      expect(online).to.equal(false);
    });

    it('is announced for some seconds after the subscription, and the number appears online only for that time', async () => {
      expect((await presence()).online).to.equal(false);
      const { status, body } = await subscribe(BOB.number, 2);
      expect(status, JSON.stringify(body)).to.equal(200);
      await subscribed(BOB.number);
      expect((await presence()).online).to.equal(true);
      expect((await presence()).devices[0]?.subscriptions).to.deep.equal([BOB.number]);
      await type('composing');
      expect(await told('composing')).to.deep.include({
        event: 'presence',
        clientId: 'hosted',
        chatRoomId: chats.hosted.chatRoomId,
        clientLid: lidOf(chats.bob),
        from: lidOf(chats.bob),
        fromPhone: BOB.number,
        lastSeen: '',
      });
      await type('recording');
      await told('recording');
      await type('paused');
      await told('paused');
      await setOnline(true);
      await told('available');
      await setOnline(false);
      const gone = await extraEventOf(
        chats.world.receiver,
        'presence',
        ({ state, lastSeen }) => state === 'unavailable' && lastSeen !== '',
      );
      expect(Date.parse(gone.lastSeen)).to.be.closeTo(Date.now(), 60_000);
      await waitForPresence(false);
    });

    it('is subscribed to at each message, and again after a lost connection', async () => {
      await chats.fromBob(chats.hosted, { text: 'are you there?' });
      await waitForPresence(true);
      await chats.world.phones.waitFor(
        (event) => event.type === 'presence' && event.number === hosted() && event.presence.online,
        10_000,
        () => chats.world.phones.fault({ kind: 'disconnect', number: hosted(), count: 1 }),
      );
      const before = chats.world.receiver.calls.length;
      await subscribed(BOB.number);
      await type('composing');
      await chats.world.receiver.find(
        (call) =>
          chats.world.receiver.calls.indexOf(call) >= before && extraEventsIn([call], 'presence').length > 0,
      );
    });

    it('ends soon after the opt-out, and the number goes offline', async () => {
      expect((await subscribe(BOB.number)).status).to.equal(200);
      await waitForPresence(true);
      await optIn('hosted', ['call', 'group_update']);
      await waitForPresence(false);
      await optIn('hosted', EVENTS);
    });

    it('is announced for at most fifty chats at once', async () => {
      const { phones, receiver } = chats.world;
      const people = Array.from({ length: 50 }, (_, index) => `+1555100${1_000 + index}`);
      expect((await subscribe(BOB.number)).status).to.equal(200);
      for (const number of people) {
        await phones.addPhone({ number, name: number });
        expect((await subscribe(number)).status).to.equal(200);
      }
      const newest = people.at(-1) ?? '';
      const { lid } = await phones.phone(newest);
      const before = receiver.calls.length;
      await type('composing');
      await phones.activity.type(newest, { to: hosted(), state: 'composing' });
      await receiver.find(({ body }) => body.includes('"state":"composing"') && body.includes(lid));
      const typing = ({ state }: PresenceEvent) => state === 'composing';
      const told = extraEventsIn(receiver.calls.slice(before), 'presence').filter(typing);
      expect(told.map(({ remoteJid }) => remoteJid)).to.deep.equal([lid]);
    });

    it('names the member in a group', async () => {
      const participants = [hosted(), DAVE.number];
      const { jid } = await chats.world.phones.groups.create(BOB.number, {
        subject: 'Typists',
        participants,
      });
      expect((await subscribe(jid)).status).to.equal(200);
      await subscribed(jid);
      await type('composing', jid);
      expect(await told('composing', true)).to.deep.include({ remoteJid: jid, from: lidOf(chats.bob) });
    });
  });

  describe('changes of groups', () => {
    let jid: string;
    let dave: PhoneView;

    before(async () => {
      dave = await chats.world.phones.phone(DAVE.number);
      const participants = [hosted()];
      ({ jid } = await chats.world.phones.groups.create(BOB.number, { subject: 'Friends', participants }));
    });

    const groups = () => chats.world.phones.groups;
    const told = (
      change: GroupUpdateEvent['change'],
      fits: (event: GroupUpdateEvent) => boolean = () => true,
    ): Promise<GroupUpdateEvent> =>
      extraEventOf(
        chats.world.receiver,
        'group_update',
        (event) => event.remoteJid === jid && event.change === change && fits(event),
      );
    const bob = () => ({ user: lidOf(chats.bob), phone: BOB.number, name: BOB.name });
    const daveNamed = () => ({ user: lidOf(dave), phone: DAVE.number });

    it('name the member who made the change and the members who are affected', async () => {
      expect(await told('created')).to.deep.include({
        event: 'group.update',
        clientId: 'hosted',
        clientLid: jid.slice(0, -5),
        isGroup: true,
        fromMe: false,
        by: bob(),
      });
      for (const [action, change] of [
        ['add', 'added'],
        ['promote', 'promoted'],
        ['demote', 'demoted'],
        ['remove', 'removed'],
      ] as const) {
        await groups().participants(BOB.number, jid, action, [DAVE.number]);
        const event = await told(change);
        expect(event, change).to.deep.include({ fromMe: false, by: bob() });
        expect(event.members[0], change).to.include(daveNamed());
      }
      await groups().update(BOB.number, jid, { subject: 'Best friends', description: 'Us', locked: true });
      expect(await told('subject')).to.include({ value: 'Best friends' });
      expect(await told('description')).to.include({ value: 'Us' });
      expect((await told('settings')).settings).to.deep.equal({ locked: true });
      const { pictureId } = await groups().update(BOB.number, jid, { picture: await picture('#204080') });
      expect(await told('picture')).to.deep.include({ by: bob(), value: pictureId });
      const code = await groups().invite(BOB.number, jid);
      await groups().join(DAVE.number, code);
      expect((await told('joined')).members[0]).to.include(daveNamed());
      await groups().leave(DAVE.number, jid);
      const left = await told('left');
      expect(left.members[0]).to.include(daveNamed());
      expect(left.by).to.include(daveNamed());
    });

    it('are marked as made by the linked number', async () => {
      await groups().participants(BOB.number, jid, 'promote', [hosted()]);
      const own = await told('promoted', ({ members }) => members[0]?.phone === hosted());
      expect(own).to.deep.include({ fromMe: false });
      const body = { clientId: 'hosted', groupJid: jid, action: 'add', participants: [DAVE.number] };
      const { status } = await chats.world.api.post('/update-group-members', body);
      expect(status).to.equal(200);
      const added = await told('added', ({ fromMe }) => fromMe);
      expect(added.by).to.include({ user: lidOf(chats.hosted.phone) });
      expect(added.members[0]).to.include(daveNamed());
    });

    it('are announced once, at the next connection, when they happened while the session was away', async () => {
      await whileAway(() => groups().update(BOB.number, jid, { subject: 'Old friends' }));
      const { changeId } = await told('subject', ({ value }) => value === 'Old friends');
      await chats.fromBob(chats.hosted, { text: 'a message after the change' });
      const same = extraEventsIn(chats.world.receiver.calls, 'group_update').filter(
        (event) => event.changeId === changeId,
      );
      expect(same).to.have.length(1);
    });

    it('are announced once, even if the network reports them twice', async () => {
      const { stanzas } = chats.world.phones;
      const { devices } = await chats.world.phones.phone(hosted());
      const notification = (id: string, subject: string) => ({
        tag: 'notification',
        attrs: { id, type: 'w:gp2', from: jid, participant: chats.bob.lid, t: '1795257228' },
        children: [{ tag: 'subject', attrs: { subject, s_t: '1795257228' } }],
      });
      for (const [id, subject] of [
        ['twice', 'Told twice'],
        ['twice', 'Told twice'],
        ['after', 'Told after'],
      ] as const)
        await stanzas.send(hosted(), devices[0]?.id ?? 1, notification(id, subject));
      await told('subject', ({ value }) => value === 'Told after');
      const twice = extraEventsIn(chats.world.receiver.calls, 'group_update').filter(
        ({ value }) => value === 'Told twice',
      );
      expect(twice.map(({ changeId }) => changeId)).to.deep.equal(['twice']);
    });

    it('are not sent to a receiver that did not ask for them', async () => {
      await groups().participants(BOB.number, jid, 'add', [chats.plain.phone.number]);
      await told('added', ({ members }) => members[0]?.phone === chats.plain.phone.number);
      await eventOf(chats.world.receiver, (await chats.fromBob(chats.plain, { text: 'hello' })).messageId);
      const types = chats.world.receiver.calls.flatMap(({ headers, body }) =>
        body.includes('"clientId":"plain"') ? [headers['x-sn-event']] : [],
      );
      expect(types).to.include('text').and.not.include.members(EVENTS);
    });
  });

  it('can all be chosen when a session is started', async () => {
    const { world } = chats;
    const settings = { extraEvents: EVENTS, rejectCalls: true };
    await linkSession(world, 'fresh', { number: '+15550000009', name: 'Nina' }, settings);
    const call = await world.phones.activity.ring(ALICE.number, { to: '+15550000009' });
    const event = await extraEventOf(
      world.receiver,
      'call',
      ({ callId, status }) => callId === call.callId && status === 'reject',
    );
    expect(event).to.include({ clientId: 'fresh', rejected: true });
  });
});
