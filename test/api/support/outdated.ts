import { expect } from 'chai';
import { linkSession, reached, type World } from '../../support/world.js';

/** A client version that the network demands, newer than that of the library. */
export const FLOOR = '2.3000.1900000000';

/** The rows of all sessions. */
export async function clients(world: World): Promise<Record<string, unknown>[]> {
  const { body } = await world.api.get('/health/clients');
  return Array.isArray(body.clients) ? body.clients : [];
}

/** Links so many sessions. @returns their ids */
export async function fleet(world: World, count: number): Promise<string[]> {
  const names = Array.from({ length: count }, (_, index) => `s${index}`);
  for (const [index, name] of names.entries()) {
    await linkSession(world, name, { number: `+1555002${String(index).padStart(4, '0')}`, name });
  }
  return names;
}

/** The network demands another version of so many sessions: one look-up lets all of them reconnect. */
export async function expectOneLookUp(world: World, count: number): Promise<void> {
  const names = await fleet(world, count);
  await world.phones.changeNetwork({ minVersion: FLOOR });
  await world.phones.fault({ kind: 'disconnect', count: names.length });
  await world.tail.until(
    (entry) => entry.kind === 'event' && entry.event.type === 'session_status',
    async () =>
      (await clients(world)).every((row) => row.status === 'connected' && Number(row.reconnects) > 0),
  );
  const { versionLookups, outdated } = await world.phones.stats();
  expect(versionLookups).to.equal(1);
  // a session may try again before the look-up is answered, after the short pause of the tests
  expect(outdated).to.be.within(1, 3 * count);
  const { body } = await world.api.get('/health/clients');
  expect(body.waVersion).to.deep.equal({ version: FLOOR, source: 'lookup' });
  await world.restartDaemon();
  for (const name of names) await reached(world, name, 'connected');
  expect((await world.phones.stats()).versionLookups).to.equal(1);
  expect((await world.api.get('/health/clients')).body.waVersion).to.deep.equal({
    version: FLOOR,
    source: 'stored',
  });
}
