import { pino } from 'pino';
import { Contacts } from '../../../src/services/contacts.js';
import { Identities } from '../../../src/services/people/identities.js';
import { StoreSteps } from '../../../src/services/store-steps.js';
import type { SessionRecord, Store } from '../../../src/store/store.js';
import { ManualClock } from '../../support/manual-clock.js';

/** Sees to the rooms of a session over a real store. */
export function identitiesOver(
  store: Store,
  session: SessionRecord,
  contacts = new Contacts(store.contacts, new ManualClock()),
): Identities {
  const steps = new StoreSteps(store, new ManualClock());
  return new Identities({ store, contacts, steps, recordOf: () => session, log: pino({ level: 'silent' }) });
}
