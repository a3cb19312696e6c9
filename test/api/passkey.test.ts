import { expect } from 'chai';
import { ALICE, nextQr, reached, startWorld, type World } from '../support/world.js';

describe('a session whose account demands a passkey', () => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld();
    await world.phones.addPhone(ALICE);
    await world.phones.update(ALICE.number, { passkey: 'required' });
    await world.api.post('/start?clientId=acme');
  });
  afterEach(() => world.stop());

  const passkey = async () => (await world.api.get('/passkey?clientId=acme')).body;
  const row = async () => {
    const { body } = await world.api.get('/health/clients');
    return Array.isArray(body.clients) ? body.clients[0] : undefined;
  };

  async function reachedStep(step: string): Promise<Record<string, unknown>> {
    await world.tail.until(
      (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
      async () => (await passkey()).step === step,
    );
    return passkey();
  }

  async function scan(): Promise<void> {
    world.phones.scan(ALICE.number, await nextQr(world, 'acme')).catch(() => undefined);
  }

  async function answer(): Promise<void> {
    const { options } = await reachedStep('assertion_needed');
    const assertion = await world.phones.assertPasskey(ALICE.number, Object(options));
    const answered = await world.api.post('/passkey', { clientId: 'acme', assertion });
    expect(answered.status, JSON.stringify(answered.body)).to.equal(200);
  }

  async function confirm(): Promise<void> {
    const { code } = await reachedStep('confirm_code');
    await world.phones.confirmPasskey(ALICE.number, String(code));
    const confirmed = await world.api.post('/passkey/confirm', { clientId: 'acme' });
    expect(confirmed.status, JSON.stringify(confirmed.body)).to.equal(200);
    await reached(world, 'acme', 'connected');
  }

  it('reports the passkey as the reason, hides the QR code, and connects after assertion and code', async () => {
    expect((await passkey()).step).to.equal('none');
    await scan();
    await reachedStep('assertion_needed');
    expect((await row()).reason).to.match(/^passkey: WhatsApp asks/);
    expect((await world.api.get('/qr?clientId=acme')).body).to.include({ status: 'qr', qr: '' });
    await answer();
    await confirm();
    expect((await passkey()).step).to.equal('none');
    expect((await row()).reason).to.equal('');
  });

  it('shows the reason of a declined attempt beside the next QR code, which links the number', async () => {
    await scan();
    await answer();
    await reachedStep('confirm_code');
    await world.phones.declinePasskey(ALICE.number);
    await world.tail.until(
      (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
      async () => /declined on the phone/.test((await row()).reason) && (await passkey()).step === 'none',
    );
    await scan();
    await answer();
    await confirm();
  });

  it('can be started again after a restart of the daemon', async () => {
    await scan();
    await answer();
    await world.restartDaemon();
    await world.api.post('/start?clientId=acme');
    expect((await passkey()).step).to.equal('none');
    await scan();
    await answer();
    await confirm();
  });
});
