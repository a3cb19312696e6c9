import { contactsContract, picturesContract } from './store/contacts.js';
import { expectedFilesContract, fileBytesContract, filesContract } from './store/files.js';
import type { StoreFactory, StoreHarness } from './store/harness.js';
import { historyContract, messageStatusContract, tracesContract } from './store/history.js';
import { keptEventsContract } from './store/kept-events.js';
import { journalContract, keysContract } from './store/keys.js';
import { lifeContract } from './store/life.js';
import { rekeyContract } from './store/rekey.js';
import { historyRoomsContract, pendingChangesContract } from './store/rooms.js';
import {
  failedDeliveriesContract,
  idempotencyContract,
  sendsContract,
  waitingDeliveriesContract,
} from './store/sends.js';
import { sessionsContract } from './store/sessions.js';
import { versionsContract } from './store/versions.js';

/**
 * The contract of every store. Each test gets an empty store.
 *
 * @param name of the back end, for the report
 * @param factory makes an empty store
 */
export function storeContract(name: string, factory: StoreFactory): void {
  describe(`store contract: ${name}`, () => {
    let harness: StoreHarness;
    beforeEach(async () => {
      harness = await factory();
    });
    afterEach(() => harness.destroy());

    for (const part of PARTS) part(() => harness);
  });
}

const PARTS = [
  sessionsContract,
  keysContract,
  journalContract,
  contactsContract,
  sendsContract,
  tracesContract,
  historyContract,
  historyRoomsContract,
  messageStatusContract,
  rekeyContract,
  pendingChangesContract,
  filesContract,
  fileBytesContract,
  expectedFilesContract,
  picturesContract,
  idempotencyContract,
  failedDeliveriesContract,
  waitingDeliveriesContract,
  keptEventsContract,
  versionsContract,
  lifeContract,
];
