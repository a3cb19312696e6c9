import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SealedStore } from '../../src/gateway/store/sealing/sealed-store.js';
import { eventOf, extraEventOf } from '../support/receiver.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { ALICE, BOB, CAROL, linkSession, startWorld, type World } from '../support/world.js';

const DAVE = { number: '+15550000004', name: 'Dave' };
const ERIN = { number: '+15550000005', name: 'Erin' };
const STRANGERS = [BOB, CAROL, DAVE];

/** Something that others wait for. */
function signal() {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

describe('first messages in flight when WhatsApp restricts the number', () => {
  let world: World;
  let folder: TempDir;
  let isArmed = false;
  let recorded = 0;
  const [allRecorded, encrypted, goOn] = [signal(), signal(), signal()];

  /** Holds the first messages until the record of each is written, and then until one is encrypted. */
  const aroundStore = (store: SealedStore): SealedStore => ({
    ...store,
    sends: {
      ...store.sends,
      async put(clientId, record) {
        await store.sends.put(clientId, record);
        if (!isArmed) return;
        recorded += 1;
        if (recorded === STRANGERS.length) allRecorded.give();
        await allRecorded.given;
      },
    },
    keys: {
      ...store.keys,
      async commit(clientId, commit) {
        await store.keys.commit(clientId, commit);
        if (recorded < STRANGERS.length || !commit.keys?.some(({ type }) => type === 'session')) return;
        encrypted.give();
        await goOn.given;
      },
    },
  });

  before(async () => {
    folder = await makeTempDir();
    const policy = join(folder.path, 'policy.yaml');
    await writeFile(policy, 'mode: enforce\ndefault: bare\npolicies: { bare: {} }\n');
    world = await startWorld({ settings: { policy }, overrides: { aroundStore } });
    for (const person of [...STRANGERS, ERIN]) await world.phones.addPhone(person);
    await linkSession(world, 'acme', ALICE, { extraEvents: ['account_status'] });
  });
  after(async () => {
    await world.stop();
    await folder.remove();
  });

  it('are not sent, while an answer is', async () => {
    const { messageId } = await world.phones.write(ERIN.number, { to: ALICE.number, text: 'hi' });
    await eventOf(world.receiver, messageId);
    const send = ({ number }: typeof BOB) =>
      world.api.post('/send-message', { clientId: 'acme', to: number, body: 'hello' });
    isArmed = true;
    const sending = STRANGERS.map(send);
    await encrypted.given;
    await world.phones.fault({ kind: 'reachout-lock', number: ALICE.number, ms: 600_000 });
    await extraEventOf(world.receiver, 'account_status', ({ restricted }) => restricted);
    const toErin = send(ERIN);
    goOn.give();
    const answers = await Promise.all(sending);
    for (const { status, body } of answers) {
      expect(status).to.equal(429);
      expect(body.policy).to.include({ rule: 'reachoutLock' });
      expect(body.error).to.match(/^nothing was sent: /);
    }
    expect((await toErin).status).to.equal(200);
    const { firstContacts } = await world.phones.stats();
    expect(firstContacts).to.not.have.property(ALICE.number);
    const { body } = await world.api.get('/policy?clientId=acme');
    expect(body.newChats).to.include({ used: 0 });
  });
});
