import type { WACallEvent } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import type { BaileysDevice } from './support/baileys-device.js';
import { ALICE, BOB, CAROL, SandboxWorld } from './support/world.js';

describe('Sandbox: calls and presence', () => {
  const world = new SandboxWorld();

  beforeEach(() => world.open());
  afterEach(() => world.close());

  const linkedAlice = () => world.linked(ALICE, { markOnlineOnConnect: false });
  const lidOf = async (number: string) => (await world.client.phone(number)).lid;
  const step = (device: BaileysDevice, status: WACallEvent['status']) =>
    device.until('call', (calls) => calls.some((call) => call.status === status));

  it('rings at a client, which can decline the call', async () => {
    const alice = await linkedAlice();
    const offered = step(alice, 'offer');
    const { callId } = await world.client.activity.ring(BOB, { to: ALICE, video: true });
    const [offer] = await offered;
    expect(offer).to.include({ id: callId, isVideo: true, offline: false });
    await alice.socket.rejectCall(callId, offer?.from ?? '');
    const declined = await world.client.activity.waitForCall(BOB, ({ status }) => status === 'rejected');
    expect(declined).to.include({ callId, from: BOB, to: ALICE, rejectedBy: 'device' });
  });

  it('tells a client how a call ended, and keeps that for a client that is away', async () => {
    const alice = await linkedAlice();
    const timedOut = step(alice, 'timeout');
    const { callId } = await world.client.activity.ring(BOB, { to: ALICE });
    await world.client.activity.act(BOB, callId, 'timeout');
    const [end] = await timedOut;
    expect(end).to.include({ id: callId });
    await world.client.waitFor(
      (event) => event.type === 'device' && event.change === 'disconnected',
      undefined,
      () => alice.stop(),
    );
    const missed = await world.client.activity.ring(BOB, { to: ALICE });
    await world.client.activity.act(ALICE, missed.callId, 'accept');
    alice.start();
    const [ended] = await step(alice, 'terminate');
    expect(ended).to.include({ id: missed.callId, offline: true });
  });

  it('lets only the caller and the called person act, each once', async () => {
    const { activity } = world.client;
    const { callId } = await activity.ring(BOB, { to: ALICE });
    for (const [number, action, rule] of [
      [CAROL, 'reject', /called person/],
      [ALICE, 'cancel', /caller/],
    ] as const) {
      const error = await activity.act(number, callId, action).catch((thrown: unknown) => thrown);
      expect(String(error)).to.match(rule);
    }
    await activity.act(ALICE, callId, 'accept');
    const again = await activity.act(ALICE, callId, 'reject').catch((thrown: unknown) => thrown);
    expect(String(again)).to.match(/the call is accepted/);
    expect((await activity.act(BOB, callId, 'hangup')).status).to.equal('ended');
  });

  it('refuses a call that a client makes', async () => {
    const alice = await linkedAlice();
    const offer = { tag: 'offer', attrs: { 'call-id': 'C1', 'call-creator': await lidOf(ALICE) } };
    const asked = { tag: 'call', attrs: { id: 'own-call', to: await lidOf(BOB) }, content: [offer] };
    const acknowledged = new Promise<{ attrs: object }>((resolve) => {
      alice.socket.ws.on('CB:ack,class:call', resolve);
    });
    await alice.socket.sendNode(asked);
    expect((await acknowledged).attrs).to.include({ id: 'own-call', error: '501' });
    expect(await world.client.activity.calls(BOB)).to.deep.equal([]);
  });

  it('tells typing and presence only to a client that is online and has subscribed', async () => {
    const alice = await linkedAlice();
    const { activity } = world.client;
    const seen: string[] = [];
    alice.socket.ev.on('presence.update', ({ presences }) => {
      for (const { lastKnownPresence } of Object.values(presences)) seen.push(lastKnownPresence);
    });
    await activity.type(BOB, { to: ALICE, state: 'composing' });
    await alice.socket.sendPresenceUpdate('available');
    await activity.waitForPresence(ALICE, ({ online }) => online);
    await activity.type(BOB, { to: ALICE, state: 'composing' });
    await alice.socket.presenceSubscribe(await lidOf(BOB));
    await activity.waitForPresence(ALICE, ({ devices }) => devices[0]?.subscriptions[0] === BOB);
    const typed = alice.until('presence.update', ({ presences }) =>
      Object.values(presences).some(({ lastKnownPresence }) => lastKnownPresence === 'recording'),
    );
    await activity.type(BOB, { to: ALICE, state: 'recording' });
    await typed;
    // the answer to the subscription, and what came after it
    expect(seen).to.deep.equal(['unavailable', 'recording']);
  });

  it('hides the presence of a person who does not show it', async () => {
    const alice = await linkedAlice();
    const { activity, people } = world.client;
    await people.changePrivacy(BOB, { settings: { last: 'none' } });
    await activity.setOnline(BOB, true);
    await alice.socket.sendPresenceUpdate('available');
    const told = new Promise<{ attrs: object }>((resolve) => {
      alice.socket.ws.on('CB:presence', resolve);
    });
    await alice.socket.presenceSubscribe(await lidOf(BOB));
    expect((await told).attrs).to.include({ type: 'unavailable', last: 'deny' });
  });
});
