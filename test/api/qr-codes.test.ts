import { expect } from 'chai';
import { ALICE, nextQr, reached } from '../support/pairing.js';
import { startWorld, type World } from '../support/world.js';

describe('QR codes that nobody scans', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ overrides: { qrLifetimeMs: 200 } });
    await world.phones.addPhone(ALICE);
  });
  after(() => world.stop());

  const row = async () => {
    const { body } = await world.api.get('/health/clients');
    return (Array.isArray(body.clients) ? body.clients : []).find(({ clientId }) => clientId === 'acme');
  };

  it('rotate, run out once, and then cost nothing until the next start', async () => {
    await world.api.post('/start?clientId=acme');
    const first = await nextQr(world, 'acme');
    let second = first;
    while (second === first) second = String((await world.api.get('/qr?clientId=acme&format=text')).body.qr);
    expect(second).to.match(/^https:/);
    await reached(world, 'acme', 'initializing');
    const { loggedIn, connected, reason } = await row();
    expect({ loggedIn, connected }).to.deep.equal({ loggedIn: false, connected: false });
    expect(reason).to.match(/QR code.*\/start/);
    expect(await world.phones.stats()).to.include({ connections: 0 });
    expect((await world.api.get('/qr?clientId=acme')).body).to.include({ qr: '' });
  });

  it('come anew with the next start, and can be scanned then', async () => {
    await world.api.post('/start?clientId=acme');
    await world.phones.scan(ALICE.number, await nextQr(world, 'acme'));
    await reached(world, 'acme', 'connected');
  });
});
