import { expect } from 'chai';
import { KeptStore, keep, keepFile } from '../support/kept-store.js';
import { until } from '../support/until.js';
import { startWorld, type World } from '../support/world.js';

const ROOM = 'acme-1-2';
const DAY_MS = 24 * 60 * 60_000;

describe('POST /set-retention', () => {
  let kept: KeptStore;
  let world: World;
  before(async () => {
    kept = await KeptStore.begin();
    await kept.open(async (store) => {
      for (const clientId of ['acme', 'other']) {
        await store.sessions.update(clientId, { retentionDays: null });
        await keep(store, 'NEW', { sentAt: Date.now() }, clientId);
        await keep(store, 'OLD', { sentAt: Date.now() - 10 * DAY_MS }, clientId);
        await keepFile(store, 'FILE', { sentAt: Date.now() - 10 * DAY_MS, clientId });
      }
    });
    world = await startWorld({ settings: kept.settings });
  });
  after(async () => {
    await world.stop();
    await kept.drop();
  });

  const listOf = async (path: string, field: string) => {
    const found = (await world.api.get(path)).body[field];
    return Array.isArray(found) ? found : [];
  };
  const retentionOf = async (clientId: string) => {
    return (await listOf(`/clients?clientId=${clientId}`, 'clients'))[0];
  };
  const heldOf = async (clientId: string) => ({
    messages: (await listOf(`/chatrooms/${ROOM}/messages?clientId=${clientId}`, 'messages')).map(
      ({ messageId }) => messageId,
    ),
    files: (await listOf(`/media-files?clientId=${clientId}&orgId=org-1`, 'files')).length,
    unread: (await listOf(`/chatrooms?clientId=${clientId}`, 'chatRooms'))[0]?.unreadCount,
  });

  it('keeps everything for ever by default, and shows the rule of a session', async () => {
    expect(await retentionOf('acme')).not.to.have.property('retentionDays');
    const set = (days: number | null) => world.api.post('/set-retention', { clientId: 'acme', days });
    expect((await set(0)).body).to.deep.equal({ ok: true, clientId: 'acme', days: 0 });
    expect(await retentionOf('acme')).to.include({ retentionDays: 0 });
    expect((await set(null)).body).to.deep.equal({ ok: true, clientId: 'acme', days: null });
    expect(await retentionOf('acme')).not.to.have.property('retentionDays');
    expect((await set(5)).body).to.deep.equal({ ok: true, clientId: 'acme', days: 5 });
    expect((await heldOf('acme')).messages).to.have.length(3);
  });

  it('deletes older messages of that session only, with their files, at the next housekeeping round', async () => {
    await world.restartDaemon();
    await until('the round', async () => (await heldOf('acme')).unread === 1);
    expect(await heldOf('acme')).to.deep.equal({ messages: ['NEW'], files: 0, unread: 1 });
    expect(await heldOf('other')).to.include({ files: 1, unread: 3 });
  });
});
