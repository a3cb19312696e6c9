import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';
import { ALICE, BOB, CAROL, linkSession, nextQr, reached, startWorld, type World } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };
const FRANK = { number: '+15550000006', name: 'Frank' };
const GINA = { number: '+15550000008', name: 'Gina' };
const OLGA = { number: '+15550000009', name: 'Olga' };

/** One new chat in a day, and no limit for the workspace `free`. */
const POLICY = `
mode: enforce
default: one
policies:
  one: { newChatsPerDay: 1 }
  free: { messagesPerDay: 1000 }
  paced: { newChatGap: 1s }
sessions: { gamma: paced }
orgs: { free: free }
`;

/** The import of the past of `beta` begins when this is called. */
let goOn: () => void = () => undefined;
const mayGoOn = new Promise<void>((resolve) => {
  goOn = resolve;
});

function aroundStore(store: SealedStore): SealedStore {
  const { journal } = store;
  const get: typeof journal.get = async (clientId, id) => {
    if (clientId === 'beta') await mayGoOn;
    return journal.get(clientId, id);
  };
  return { ...store, journal: { ...journal, get } };
}

describe('a held message leaves before its time', () => {
  let world: World;
  let folder: TempDir;

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, POLICY);
    world = await startWorld({ settings: { policy }, overrides: { aroundStore } });
    for (const person of [BOB, CAROL, DAVE, ERIN, FRANK]) await world.phones.addPhone(person);
    await linkSession(world, 'acme');
    await begin('acme');
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });
  afterEach(() => world.phones.clearFaults());

  const send = (person: typeof BOB, body: string, clientId = 'acme') =>
    world.api.post('/send-message', { clientId, to: person.number, body, whenAllowed: true });
  /** Begins the one chat that the policy allows. */
  const begin = async (clientId: string) =>
    expect((await send(BOB, 'the chat of the day', clientId)).status).to.equal(200);
  const hold = async (person: typeof BOB, text: string, clientId = 'acme') => {
    const { status, body } = await send(person, text, clientId);
    expect(status).to.equal(202);
    return body.messageId;
  };
  const arrives = (person: typeof BOB, body: string) =>
    until(`the message ${body}`, async () =>
      (await world.phones.messages(person.number)).some(({ text }) => text === body),
    );

  it('when its recipient writes something that cannot be read', async () => {
    await hold(CAROL, 'to Carol');
    await world.phones.fault({ kind: 'no-resend' });
    await world.phones.write(CAROL.number, {
      to: ALICE.number,
      text: 'unreadable',
      deviceCopy: 'damaged-for-good',
    });
    await arrives(CAROL, 'to Carol');
  });

  it('when another device of the number begins the chat', async () => {
    await hold(DAVE, 'to Dave');
    await world.phones.write(ALICE.number, { to: DAVE.number, text: 'by hand' });
    await arrives(DAVE, 'to Dave');
  });

  it('when WhatsApp, which gave no reason for its refusal, says that it does not restrict the number', async () => {
    const clientId = 'gamma';
    await linkSession(world, clientId, GINA);
    await begin(clientId);
    await world.phones.fault({ kind: 'reject-sends', number: GINA.number });
    await world.phones.fault({ kind: 'ignore-restrictions', number: GINA.number });
    const messageId = await hold(ERIN, 'from Gina', clientId);
    await until('the refusal', async () => {
      const { body } = await world.api.get(`/outbox?clientId=${clientId}`);
      const [held] = Array.isArray(body.messages) ? body.messages : [];
      expect(held, 'it is given up').to.be.an('object');
      return held.rule === 'networkSilent';
    });
    await world.phones.clearFaults();
    await world.phones.fault({ kind: 'disconnect', number: GINA.number, count: 1 });
    await arrives(ERIN, 'from Gina');
    const statuses = () =>
      world.tail.entries.flatMap((entry) =>
        entry.kind === 'event' &&
        entry.event.event === 'message.status' &&
        entry.event.messageId === messageId
          ? [entry.event.status]
          : [],
      );
    await until('the status', async () => statuses().length > 0);
    expect(statuses()[0], 'announced after the refusal').to.equal('sent');
  });

  it('when its session comes under another policy', async () => {
    await hold(ERIN, 'to Erin');
    expect((await world.api.post('/set-org-id', { clientId: 'acme', orgId: 'free' })).status).to.equal(200);
    await arrives(ERIN, 'to Erin');
  });

  it('when the imported history shows that its recipient has written', async () => {
    await world.phones.addPhone(OLGA);
    await world.phones.write(FRANK.number, { to: OLGA.number, text: 'long ago' });
    await world.phones.waitForMessage(OLGA.number, ({ text }) => text === 'long ago');
    await world.api.post('/start?clientId=beta', { webhookUrl: world.receiver.url, webhookToken: 'token' });
    await world.api.post('/set-org-id', { clientId: 'beta', orgId: 'workspace' });
    await world.phones.scan(OLGA.number, await nextQr(world, 'beta'));
    await reached(world, 'beta', 'connected');
    await begin('beta');
    await hold(FRANK, 'to Frank', 'beta');
    goOn();
    await arrives(FRANK, 'to Frank');
    await until('an empty outbox', async () => {
      const { body } = await world.api.get('/outbox?clientId=beta');
      return Array.isArray(body.messages) && body.messages.length === 0;
    });
  });
});
