import { expect } from 'chai';
import { ALICE, BOB, pnJid } from '../../sandbox/support/world.js';
import { type Bot, partOfDay, refusalOf } from './day.js';

const EXPECTED = [
  { text: /Got 503 stream error/, reason: 'the test plays it' },
  { text: /Got 500\/.* connect failure/, reason: 'the test plays it' },
  { text: /Unknown connect failure: <failure .*reason="(400|409|418|501)"/, reason: 'the test plays them' },
  { text: /Temporary ban connect failure/, reason: 'the test plays it' },
  { text: /Client outdated \(405\)/, reason: 'the test demands a newer version' },
  { text: /Failed to decode node in frame/, reason: 'the test plays a frame that is no stanza' },
  { text: /Keepalive timed out|Error sending close to websocket/, reason: 'the test plays a silent network' },
  {
    text: /Error reading from websocket: .*(EOF|received close frame)/,
    reason: 'the test cuts a connection; after 500 and 503 whatsmeow waits until the network closes it',
  },
];

partOfDay('ends of a connection and limits', EXPECTED, (day) => {
  const { world } = day;
  let alice: Bot;
  const bobJid = pnJid(BOB);

  before(async () => {
    alice = await day.linked(ALICE);
  });

  async function works(): Promise<void> {
    const { messageId } = await world.client.write(BOB, { to: ALICE, text: 'still there?' });
    await alice.message(messageId);
    const id = await alice.send(bobJid, { conversation: 'still here' });
    await world.client.waitForMessage(BOB, (message) => message.messageId === id);
  }

  describe('a connection', () => {
    for (const kind of ['disconnect', 'restart-required', 'service-unavailable'] as const) {
      it(`that ends by ${kind} is made again`, async () => {
        await alice.after(() => world.client.fault({ kind, number: ALICE, count: 1 }), 'connected');
        await works();
      });
    }

    it('survives a frame that is no stanza', async () => {
      await world.client.fault({ kind: 'garbage-frames', number: ALICE, count: 1 });
      await works();
    });

    it('that falls silent is made again', async () => {
      await alice.after(() => world.client.fault({ kind: 'silence', number: ALICE, count: 1 }), 'connected');
      await works();
    });

    it('is replaced by another one, and can be made again', async () => {
      await alice.after(
        () => world.client.fault({ kind: 'conflict', number: ALICE, count: 1 }),
        'streamReplaced',
      );
      await alice.call('Disconnect');
      await alice.connect();
      await works();
    });

    it('is refused while the account is banned for a time', async () => {
      const ban = { kind: 'temporary-ban', number: ALICE, ms: 60_000 } as const;
      const { Expire: expire } = await alice.after(() => world.client.fault(ban), 'temporaryBan');
      expect(Number(expire) / 1e9).to.be.within(1, 60);
      await world.client.clearFaults();
      await alice.call('Disconnect');
      await alice.connect();
      await works();
    });

    it('is refused to an old version', async () => {
      await world.client.changeNetwork({ minVersion: '2.3000.9999999999' });
      await alice.call('Disconnect');
      await alice.after(() => alice.call('Connect'), 'clientOutdated');
      await world.client.changeNetwork({ minVersion: null });
      await alice.call('Disconnect');
      await alice.connect();
      await works();
    });

    const refusals: Record<string, number> = {
      'login-bad-request': 400,
      'login-user-agent': 409,
      'login-client-unknown': 418,
      'login-experimental': 501,
    };
    for (const [kind, reason] of Object.entries(refusals)) {
      it(`is refused with ${reason}, and can be made again`, async () => {
        const refused = await alice.after(
          () => world.client.fault({ kind, number: ALICE, count: 1 }),
          'connectFailure',
        );
        expect(refused).to.include({ Reason: reason });
        await alice.call('Disconnect');
        await alice.connect();
        await works();
      });
    }

    it('is refused with 500, and is made again', async () => {
      await alice.after(
        () => world.client.fault({ kind: 'login-server-error', number: ALICE, count: 1 }),
        'connected',
      );
      await works();
    });
  });

  describe('a send', () => {
    it('with the token of its recipient passes a time lock, and without one is refused with 463', async () => {
      const [one, two] = ['+15550000011', '+15550000012'];
      for (const [number, name] of [
        [one, 'Erin'],
        [two, 'Frank'],
      ] as const)
        await world.client.addPhone({ number, name });
      await world.client.giveToken(one, { to: ALICE });
      await world.client.fault({ kind: 'reachout-lock', number: ALICE });
      const refusal = await refusalOf(alice.send(pnJid(two), { conversation: 'unasked' }));
      expect(refusal).to.match(/463/);
      const id = await alice.send(pnJid(one), { conversation: 'with a token' });
      await world.client.waitForMessage(one, ({ messageId }) => messageId === id);
      await world.client.clearFaults();
      await alice.send(pnJid(two), { conversation: 'after the lock' });
      await world.client.fault({ kind: 'token-required', number: ALICE, count: 1 });
      expect(await refusalOf(alice.send(pnJid(two), { conversation: 'no token' }))).to.match(/463/);
    });

    it('goes on while the account comes near its limit of new chats', async () => {
      for (const kind of ['new-chat-warning', 'new-chat-second-warning', 'new-chat-cap'])
        await world.client.fault({ kind, number: ALICE, ms: 60_000 });
      await works();
      await world.client.clearFaults();
    });

    it('that is refused is reported', async () => {
      await world.client.fault({ kind: 'reject-sends', number: ALICE, count: 1 });
      expect(await refusalOf(alice.send(bobJid, { conversation: 'refused' }))).to.match(/error/);
      await works();
    });

    it('waits for a slow network', async () => {
      await world.client.fault({ kind: 'delay', number: ALICE, ms: 500, count: 3 });
      await works();
    });
  });

  describe('a link', () => {
    it('ends when the phone removes the device, and can be made again', async () => {
      const ended = await alice.after(() => world.client.unlink(ALICE), 'loggedOut');
      expect(ended).to.include({ OnConnect: false });
      alice = await day.linked(ALICE);
      await works();
    });

    it('ends while the bot is away, which it learns at its next login', async () => {
      await alice.restart();
      await world.client.unlink(ALICE);
      const ended = await alice.after(() => alice.call('Connect'), 'loggedOut');
      expect(ended).to.include({ OnConnect: true, Reason: 401 });
      alice = await day.linked(ALICE);
    });

    it('ends when the phone gets another number', async () => {
      await alice.after(() => world.client.changeNumber(ALICE, '+15550000021'), 'loggedOut');
    });
  });
});
