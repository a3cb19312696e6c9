import { expect } from 'chai';
import type { World } from './world.js';

/** What pairing needs of a test's surroundings. */
export type Surroundings = Pick<World, 'phones' | 'receiver' | 'api' | 'tail'>;

/** People of the tests. */
export const ALICE = { number: '+15550000001', name: 'Alice' };
export const BOB = { number: '+15550000002', name: 'Bob' };
export const CAROL = { number: '+15550000003', name: 'Carol' };

/** A session whose number is linked and connected. */
export interface LinkedSession {
  clientId: string;
  number: string;
}

/** Starts a session with the world's receiver as webhook and pairs it with a (new) phone by QR. */
export async function linkSession(
  world: Surroundings,
  clientId: string,
  person: { number: string; name: string } = ALICE,
  settings: object = {},
): Promise<LinkedSession> {
  const known = (await world.phones.phones()).some(({ number }) => number === person.number);
  if (!known) await world.phones.addPhone(person);
  const webhook = { webhookUrl: world.receiver.url, webhookToken: WEBHOOK_TOKEN, ...settings };
  const started = await world.api.post(`/start?clientId=${clientId}`, webhook);
  expect(started.status, JSON.stringify(started.body)).to.equal(200);
  await world.phones.scan(person.number, await nextQr(world, clientId));
  await reached(world, clientId, 'connected');
  return { clientId, number: person.number };
}

export const WEBHOOK_TOKEN = 'receiver-token';

/** The text of the session's QR, as soon as there is one. */
export async function nextQr(world: Surroundings, clientId: string): Promise<string> {
  await reached(world, clientId, 'qr');
  const { body } = await world.api.get(`/qr?clientId=${clientId}&format=text`);
  return String(body.qr);
}

/** Resolves when the session has that status; reads the live stream, so that nothing is polled. */
export async function reached(world: Surroundings, clientId: string, status: string): Promise<void> {
  await world.tail.until(
    (entry) => entry.kind === 'event' && entry.event.type === 'session_status' && entry.clientId === clientId,
    async () => (await world.api.get(`/qr?clientId=${clientId}&format=text`)).body.status === status,
  );
}
