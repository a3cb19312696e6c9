import { expect } from 'chai';
import type { Store } from '../../../../src/gateway/store/store.js';
import { text } from '../../../contracts/store/harness.js';

const KEY_IDS = Array.from({ length: 20 }, (_, id) => String(id));

/** Commits one generation: its number in the credentials, in 20 keys and as one more journal entry. */
export async function commitGeneration(store: Store, generation: number): Promise<void> {
  const value = Buffer.from(String(generation));
  await store.keys.commit('acme', {
    credentials: value,
    keys: KEY_IDS.map((id) => ({ type: 'session', id, value })),
    journal: [
      { id: String(generation), messageId: 'M', plain: value, stanza: value, receivedAt: generation },
    ],
  });
}

/** Expects that the last generation is in credentials, keys and journal alike; returns its number. */
export async function expectWhole(store: Store): Promise<number> {
  const generation = Number(text(await store.keys.credentials('acme')) ?? 0);
  const keys = await store.keys.get('acme', 'session', KEY_IDS);
  const journal = await store.journal.open('acme');
  expect([...keys.values()].map(text)).to.deep.equal(
    generation === 0 ? [] : KEY_IDS.map(() => String(generation)),
  );
  expect(journal.map(({ id }) => Number(id))).to.deep.equal(
    Array.from({ length: generation }, (_, index) => index + 1),
  );
  return generation;
}
