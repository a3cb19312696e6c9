import { expect } from 'chai';
import { ALICE, BOB, CAROL } from '../../sandbox/support/world.js';
import { partOfDay } from './day.js';

const DAVE = '+15550000004';

partOfDay(
  'pairing',
  [
    {
      text: /Invalid HMAC from pair success message/,
      reason: 'the test has the network send a wrong proof',
    },
    { text: /Failed to pair device/, reason: 'the same' },
  ],
  (day) => {
    const { world } = day;

    it('links by QR, logs in again after 515, and reads the history and the name', async () => {
      const alice = await day.bot();
      await alice.call('Connect');
      const { code } = await alice.heard('qr');
      await world.client.scan(ALICE, String(code));
      expect(await alice.heard('pairSuccess')).to.include({ BusinessName: '' });
      await alice.heard('connected');
      await alice.heard('history');
      await alice.heard('pushNameSetting', ({ Action }) => JSON.stringify(Action).includes('Alice'));
      const { jid, lid } = await world.client.phone(ALICE);
      const state = await alice.take('state');
      expect(state).to.include({ name: 'Alice', id: jid.replace('@', ':1@'), lid: lid.replace('@', ':1@') });
    });

    it('links by a code', async () => {
      const bob = await day.bot();
      await bob.call('Connect');
      await bob.heard('qr');
      const code = await bob.call('PairPhone', BOB, true, 1, 'Chrome (Linux)');
      await bob.after(() => world.client.enterCode(BOB, String(code)), 'connected');
      await bob.heard('pairSuccess');
    });

    it('has a code refused that shows no browser', async () => {
      const bot = await day.bot();
      await bot.call('Connect');
      await bot.heard('qr');
      const refusal = await bot.call('PairPhone', CAROL, true, 1, 'My bot').catch(String);
      expect(refusal).to.match(/400/);
    });

    it('acknowledges a demand for another secret, which this release does not know, and links', async () => {
      const carol = await day.bot();
      await carol.call('Connect');
      const { code } = await carol.heard('qr');
      for (const element of ['companion_reg_refresh', 'pair-device-rotate-qr'] as const) {
        const { devices, acknowledged } = await world.client.refreshPairings({ element, count: 2 });
        expect(devices).to.be.greaterThan(0);
        expect(acknowledged).to.equal(2 * devices);
      }
      await carol.after(() => world.client.scan(CAROL, String(code)), 'connected');
    });

    it('is not linked where the phone demands a passkey, which this release does not know', async () => {
      await world.client.addPhone({ number: DAVE, name: 'Dave' });
      await world.client.update(DAVE, { passkey: 'required' });
      const dave = await day.bot();
      await dave.call('Connect');
      const { code } = await dave.heard('qr');
      await world.client.requestPasskey(DAVE);
      const scan = world.client.scan(DAVE, String(code)).catch(String);
      await dave.call('Disconnect');
      expect(await scan).to.match(/device_gone|link/);
      await world.client.update(DAVE, { passkey: 'off' });
      await dave.restart();
      await dave.link(world.client, DAVE);
    });

    it('refuses a proof that is not of the phone, and links with the next', async () => {
      await world.client.fault({ kind: 'wrong-pair-hmac', count: 1 });
      const bot = await day.bot();
      await bot.call('Connect');
      const { code } = await bot.heard('qr');
      const scan = world.client.scan(CAROL, String(code)).catch(String);
      await bot.heard('pairError');
      expect(await scan).not.to.equal('');
      await bot.link(world.client, CAROL);
    });

    it('forgets the link after a logout', async () => {
      const bot = await day.linked(CAROL);
      const before = (await world.client.phone(CAROL)).devices.length;
      await bot.call('Logout');
      expect((await world.client.phone(CAROL)).devices).to.have.lengthOf(before - 1);
      await bot.restart();
      await bot.after(() => bot.call('Connect'), 'qr');
    });
  },
);
