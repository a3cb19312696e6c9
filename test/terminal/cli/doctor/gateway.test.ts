import { expect } from 'chai';
import type { RawSettings } from '../../../../src/gateway/config/schema.js';
import { releaseVersion } from '../../../../src/gateway/daemon/release.js';
import { makeTempDir, type TempDir } from '../../../support/temp-dir.js';
import { linkSession, reached, startWorld, TOKEN, type World } from '../../../support/world.js';
import { diagnose } from './support/diagnose.js';

const NAMES = ['well', 'unlinked', 'replaced', 'banned'];

describe('doctor, with a running gateway', () => {
  let world: World;
  let folder: TempDir;

  before(async () => {
    const settings: RawSettings = { allowPrivateUrls: true };
    world = await startWorld({ settings });
    folder = await makeTempDir();
    for (const name of NAMES) await linkSession(world, name, { number: numberOf(name), name });
    // the receiver was allowed when it was set
    await world.stopDaemon();
    settings.allowPrivateUrls = false;
    await world.startDaemon();
    for (const name of NAMES) await reached(world, name, 'connected');
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  const numberOf = (name: string) => `+1555000001${NAMES.indexOf(name)}`;
  const look = () =>
    diagnose({
      url: world.daemon.url,
      token: TOKEN,
      dataDir: folder.path,
      program: { release: releaseVersion(), nodeVersion: '20.19.0', nodeRange: '>=20.19' },
    });

  it('finds only the receiver at a private address, which the daemon may not call', async () => {
    const diagnosis = await look();
    for (const id of ['daemon', 'clock', 'store', 'token', 'version', 'network', 'sessions']) {
      expect(diagnosis.of(id).level, id).to.equal('ok');
    }
    for (const name of NAMES) {
      expect(diagnosis.of('session', name).level).to.equal('ok');
      expect(diagnosis.of('webhook', name)).to.include({ level: 'failed', trouble: 'webhook-private' });
    }
  });

  it('finds sessions that wait for an operator, and suggests what to do', async () => {
    await world.phones.unlink(numberOf('unlinked'));
    await world.phones.fault({ kind: 'conflict', number: numberOf('replaced') });
    await world.phones.fault({ kind: 'ban', number: numberOf('banned') });
    await reached(world, 'unlinked', 'logged_out');
    await reached(world, 'replaced', 'replaced');
    await reached(world, 'banned', 'banned');
    const diagnosis = await look();
    expect(diagnosis.of('session', 'well').level).to.equal('ok');
    expect(diagnosis.of('session', 'unlinked').trouble).to.equal('session-logged-out');
    expect(diagnosis.of('session', 'replaced').trouble).to.equal('session-replaced');
    expect(diagnosis.of('session', 'banned').trouble).to.equal('session-banned');
  });

  it('finds that the network is unreachable', async () => {
    await world.sandbox.stop();
    await reached(world, 'well', 'reconnecting');
    const diagnosis = await look();
    expect(diagnosis.of('network')).to.include({ level: 'failed', trouble: 'network-refused' });
    expect(diagnosis.of('session', 'well').trouble).to.be.oneOf(['session-reconnecting', 'session-looping']);
  });
});
