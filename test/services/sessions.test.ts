import { expect } from 'chai';
import { pino } from 'pino';
import { GatewayError, isGatewayError } from '../../src/domain/errors.js';
import type { LinkOptions } from '../../src/link/link.js';
import { ApiSecretHasher } from '../../src/services/sessions/api-secret.js';
import { SOLE_RESIDENCE } from '../../src/services/sessions/residence.js';
import { SessionRegistry } from '../../src/services/sessions/sessions.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { ManualClock } from '../support/manual-clock.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { HOSTED } from './receive-rig.js';
import { ME, playedLink, playedLinks } from './support/played-links.js';

// a store that fails at one instant cannot be had over the wire: here the links are played by hand
describe('sessions while the store fails', () => {
  let folder: TempDir;
  let store: Store;
  let sessions: SessionRegistry;
  let opened: LinkOptions[];
  let failing: string | undefined;
  /** Runs while a session is being ended. */
  let whileEnding: () => void;
  /** The node has the leases of its sessions. */
  let isHeld: boolean;
  beforeEach(async () => {
    folder = await makeTempDir();
    store = await openStore({ url: 'sqlite', dataDir: folder.path, encryptionKey: new Uint8Array(32) });
    opened = [];
    failing = undefined;
    whileEnding = () => undefined;
    isHeld = true;
    sessions = new SessionRegistry({
      store: breakable(store),
      links: playedLinks(playedLink(), (options) => opened.push(options)),
      clock: new ManualClock(),
      log: pino({ level: 'silent' }),
      hasher: new ApiSecretHasher(new Uint8Array(32)),
      onStatus: () => undefined,
      onLinkEvent: () => undefined,
      openJournal: () => 0,
      history: () => undefined,
      settled: async () => whileEnding(),
      residence: { ...SOLE_RESIDENCE, holds: () => isHeld },
      onForgotten: () => undefined,
    });
  });
  afterEach(async () => {
    failing = undefined;
    await sessions.stop();
    await store.close();
    await folder.remove();
  });

  function breakable(real: Store): Store {
    const guard = async (step: string) => {
      if (failing === step) throw new GatewayError('store_unavailable', 'the store is away');
    };
    return {
      ...real,
      keys: {
        ...real.keys,
        credentials: (clientId) => real.keys.credentials(clientId),
        get: (clientId, type, ids) => real.keys.get(clientId, type, ids),
        commit: (clientId, commit) => real.keys.commit(clientId, commit),
        clear: (clientId) => guard('clear').then(() => real.keys.clear(clientId)),
      },
      forget: (clientId) => guard('forget').then(() => real.forget(clientId)),
      ping: () => real.ping(),
      close: () => real.close(),
    };
  }

  /** A session that is linked, and then taken over by another client. */
  async function replaced(clientId: string): Promise<void> {
    await sessions.start(clientId, {});
    await store.keys.commit(clientId, { credentials: new Uint8Array([1]) });
    opened.at(-1)?.emit({ type: 'open', me: ME });
    opened.at(-1)?.emit({ type: 'closed', reason: 'replaced', detail: 'Taken over.' });
    await new Promise((resolve) => queueMicrotask(() => queueMicrotask(() => resolve(undefined))));
    expect(sessions.get(clientId).status).to.equal('replaced');
  }
  const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error);

  it('never open a link with credentials that should have been dropped', async () => {
    await replaced('acme');
    failing = 'clear';
    const before = opened.length;
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'store_unavailable')).to.equal(true);
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'store_unavailable')).to.equal(true);
    expect(opened).to.have.length(before);
    failing = undefined;
    await sessions.start('acme', {});
    expect(opened).to.have.length(before + 1);
    expect(await store.keys.credentials('acme')).to.equal(undefined);
  });

  it('can be ended again, or paired anew, when their data could not be deleted', async () => {
    await sessions.start('acme', {});
    opened.at(-1)?.emit({ type: 'open', me: ME });
    failing = 'forget';
    expect(isGatewayError(await failure(sessions.disconnect('acme')), 'store_unavailable')).to.equal(true);
    expect(sessions.get('acme').status).to.equal('logged_out');
    failing = undefined;
    const before = opened.length;
    await sessions.start('acme', {});
    expect(opened).to.have.length(before + 1);
    await sessions.disconnect('acme');
    expect(sessions.has('acme')).to.equal(false);
    expect(await store.sessions.get('acme')).to.equal(undefined);
  });

  it('stay with another node that got them while they were being ended here', async () => {
    await sessions.start('acme', {});
    failing = 'forget';
    whileEnding = () => sessions.giveUp(sessions.find('acme'));
    await failure(sessions.disconnect('acme'));
    expect(sessions.has('acme')).to.equal(false);
    expect(() => sessions.find('acme')).to.throw('moved to another node');
  });

  it('are not here when they were lost while they were being made', async () => {
    isHeld = false;
    expect(isGatewayError(await failure(sessions.start('acme', {})), 'session_elsewhere')).to.equal(true);
    expect(sessions.all()).to.deep.equal([]);
    isHeld = true;
    expect(await sessions.start('acme', {})).to.include({ clientId: 'acme' });
  });

  it('are not taken up while all are being closed', async () => {
    await store.sessions.create({ ...HOSTED, clientId: 'late' });
    const stopped = sessions.stop();
    expect(await sessions.adopt('late')).to.equal(undefined);
    await stopped;
  });

  it('do not say "already paired" to a pairing code when they wait for an operator', async () => {
    await replaced('acme');
    const error = await failure(sessions.pairPhone('acme', '15550000001'));
    expect(isGatewayError(error, 'pairing_code_refused')).to.equal(true);
  });

  it('keep the webhook of the second of two first starts', async () => {
    await Promise.all([
      sessions.start('acme', { webhookUrl: 'https://example.org/1' }),
      sessions.start('acme', { webhookUrl: 'https://example.org/2' }),
    ]);
    expect(sessions.get('acme').webhookUrl).to.equal('https://example.org/2');
  });
});
