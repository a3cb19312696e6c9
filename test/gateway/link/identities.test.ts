import type { SignalDataSet, SignalDataTypeMap } from '@whiskeysockets/baileys';
import { expect } from 'chai';
import { systemClock } from '../../../src/domain/clock.js';
import { Identities } from '../../../src/gateway/link/baileys/identities.js';
import type { LinkEvent } from '../../../src/gateway/link/events.js';

const BOB = '90000000000002_1.0';
const BOB_BY_NUMBER = '15550000002.0';
const TABLET = '90000000000002_1.3';
const OLD = Buffer.alloc(33, 1).toString('base64');
const NEW = Buffer.alloc(33, 2).toString('base64');
const OPEN = -1;

/** A record of sessions as the Signal implementation serializes it: the last identity is that of the open session. */
function record(...identities: string[]): SignalDataTypeMap['session'] {
  const sessions = identities.map((remoteIdentityKey, index) => {
    const closed = index === identities.length - 1 ? OPEN : index + 1;
    return [`base${index}`, { indexInfo: { remoteIdentityKey, closed } }];
  });
  return Object.assign(new Uint8Array(), { _sessions: Object.fromEntries(sessions) });
}

describe('identities of people', () => {
  let rows: Map<string, unknown>;
  let changes: string[];
  let store: ReturnType<Identities['watch']>;

  beforeEach(() => {
    rows = new Map();
    changes = [];
    const bare = {
      get: async <T extends keyof SignalDataTypeMap>(type: T, ids: string[]) => {
        const found: { [id: string]: SignalDataTypeMap[T] } = {};
        for (const id of ids)
          if (rows.has(`${type} ${id}`)) Object.assign(found, { [id]: rows.get(`${type} ${id}`) });
        return found;
      },
      set: async (data: SignalDataSet) => {
        for (const [type, values] of Object.entries(data))
          for (const [id, value] of Object.entries(values)) rows.set(`${type} ${id}`, value);
      },
    };
    const note = (event: LinkEvent) => event.type === 'identity-changed' && changes.push(event.jid);
    store = new Identities(note, systemClock).watch(bare);
  });

  /** Writes a session as the library does: after it has read the one before. */
  async function write(address: string, ...identities: string[]): Promise<void> {
    await store.get('session', [address]);
    await store.set({ session: { [address]: record(...identities) } });
  }

  it('reports a changed one once, and stores it with the session', async () => {
    await write(BOB, OLD);
    expect(changes).to.deep.equal([]);
    await write(BOB, OLD, NEW);
    await write(BOB, OLD, NEW);
    await store.set({ 'identity-key': { [BOB]: Buffer.from(NEW, 'base64') } });
    expect(changes).to.deep.equal(['90000000000002@lid']);
    expect(rows.get(`identity-key ${BOB}`)).to.deep.equal(Buffer.from(NEW, 'base64'));
  });

  it('reports a change that follows from the stored identity alone, also of a person who is known by number', async () => {
    rows.set(`identity-key ${BOB_BY_NUMBER}`, Buffer.from(OLD, 'base64'));
    await store.get('identity-key', [BOB_BY_NUMBER]);
    await store.set({
      session: { [BOB_BY_NUMBER]: record(NEW) },
      'identity-key': { [BOB_BY_NUMBER]: Buffer.from(NEW, 'base64') },
    });
    expect(changes).to.deep.equal(['15550000002@s.whatsapp.net']);
  });

  it('reports nothing when a message of the time before a change arrives after it', async () => {
    await write(BOB, OLD);
    await write(BOB, OLD, NEW);
    await write(BOB, NEW, OLD);
    await write(BOB, OLD, NEW);
    expect(changes).to.have.lengthOf(1);
  });

  it('reports nothing for linked devices, first sessions and deleted ones', async () => {
    await write(TABLET, OLD);
    await write(TABLET, OLD, NEW);
    await write(BOB, NEW);
    await store.set({ session: { [BOB]: null } });
    await write(BOB, NEW);
    expect(changes).to.deep.equal([]);
  });
});
