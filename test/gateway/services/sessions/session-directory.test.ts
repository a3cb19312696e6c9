import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { GatewayError } from '../../../../src/domain/errors.js';
import { ApiSecretHasher } from '../../../../src/gateway/services/sessions/api-secret.js';
import { SessionDirectory } from '../../../../src/gateway/services/sessions/directory.js';
import { playedLink } from '../../../support/rig/link.js';
import { HOSTED } from '../../../support/rig/receiving.js';
import { Rig } from '../../../support/rig/rig.js';

/** Milliseconds between two reads of all secrets. */
const READ_MS = 1_000;
/** Milliseconds after which the secrets are read again beside a request. */
const OUTDATED_MS = 10_000;

describe('the directory of the sessions of a store that several nodes share', () => {
  let rig: Rig;
  let directory: SessionDirectory;
  /** Reads of all sessions. */
  let reads: number;
  let isAway: boolean;
  const hasher = new ApiSecretHasher(new Uint8Array(32));

  // `here` is a session of this node, all others are held elsewhere
  beforeEach(async () => {
    rig = await Rig.start();
    [reads, isAway] = [0, false];
    const { sessions } = rig.sessions(playedLink(), { hasher });
    await sessions.start('here', {});
    const { list, get } = rig.store.sessions;
    directory = new SessionDirectory({
      store: {
        sessions: {
          get,
          async list() {
            reads += 1;
            if (isAway) throw new GatewayError('store_unavailable', 'away');
            return list();
          },
        },
      },
      own: () => new Map(sessions.all().map((session) => [session.clientId, session])),
      shared: true,
      hasher,
      clock: rig.clock,
    });
    await sessions.setApiSecret('here', 'of here');
    await elsewhere('there', 'of there');
    await elsewhere('open', '');
    rig.clock.advance(READ_MS);
  });
  afterEach(() => rig.close());

  const elsewhere = (clientId: string, secret: string) => {
    const apiSecretHash = secret ? hasher.hash(secret) : '';
    return rig.store.sessions.create({ ...HOSTED, clientId, apiSecretHash });
  };
  /** Lets a read begin that need not wait for the last one. */
  async function openedBy(secret: string): Promise<string[]> {
    const opened = directory.openedBy(secret);
    rig.clock.advance(0);
    return opened;
  }
  const names = async (only?: string) => (await directory.list(only)).map(({ clientId }) => clientId);

  it('lists all sessions by name, or the named one alone, whichever node holds it', async () => {
    expect(await names()).to.deep.equal(['here', 'open', 'there']);
    expect(await names('there')).to.deep.equal(['there']);
    expect(await names('here')).to.deep.equal(['here']);
    expect(await names('nobody')).to.deep.equal([]);
  });

  it('reads an own session from this node, because its record is newer than the stored one', async () => {
    await rig.store.sessions.update('here', { orgId: 'stale' });
    expect((await directory.list('here'))[0]).to.include({ orgId: '' });
    expect((await directory.list()).find(({ clientId }) => clientId === 'here')).to.include({ orgId: '' });
  });

  it('finds the session of a secret on this node without the store, and on other nodes with it', async () => {
    expect(await openedBy('of there')).to.deep.equal(['there']);
    expect(await openedBy('of here')).to.deep.equal(['here']);
    expect(reads).to.equal(1);
  });

  it('finds no session for an unknown or an empty secret', async () => {
    for (const secret of ['unknown', '']) {
      expect(await openedBy(secret)).to.deep.equal([]);
      rig.clock.advance(READ_MS);
    }
  });

  it('reads the secrets once a second at most, however many callers try wrong ones', async () => {
    expect(await openedBy('wrong')).to.deep.equal([]);
    expect(reads).to.equal(1);
    const tries = Promise.all([1, 2, 3].map((n) => directory.openedBy(`wrong ${n}`)));
    await rig.clock.scheduled(READ_MS);
    expect(reads).to.equal(1);
    rig.clock.advance(READ_MS);
    expect(await tries).to.deep.equal([[], [], []]);
    expect(reads).to.equal(2);
  });

  it('finds a secret that another node has just set', async () => {
    await openedBy('of there');
    await elsewhere('new', 'of new');
    const opened = directory.openedBy('of new');
    await rig.clock.scheduled(READ_MS);
    rig.clock.advance(READ_MS);
    expect(await opened).to.deep.equal(['new']);
  });

  it('finds no session for a secret that its node has changed or removed since', async () => {
    await openedBy('of there');
    await rig.store.sessions.update('there', { apiSecretHash: hasher.hash('changed') });
    expect(await openedBy('of there')).to.deep.equal([]);
    await rig.store.sessions.update('there', { apiSecretHash: '' });
    expect(await openedBy('of there')).to.deep.equal([]);
  });

  it('reads the secrets again in the background after ten seconds, and not before', async () => {
    await openedBy('of there');
    rig.clock.advance(OUTDATED_MS);
    await openedBy('of there');
    expect(reads).to.equal(1);
    rig.clock.advance(1);
    isAway = true;
    // the store's outage is none of this caller's business
    expect(await openedBy('of there')).to.deep.equal(['there']);
    await setImmediate();
    expect(reads).to.equal(2);
  });

  it('reports an unavailable store when it cannot find the session of a secret', async () => {
    isAway = true;
    const error = await openedBy('of there').catch((reason: unknown) => reason);
    expect(error).to.include({ code: 'store_unavailable' });
  });
});
