import { contactsContract } from './store/contacts.js';
import { expectedFilesContract } from './store/expected-files.js';
import { failedDeliveriesContract } from './store/failed-deliveries.js';
import { fileBytesContract } from './store/file-bytes.js';
import { filesContract } from './store/files.js';
import type { StoreFactory, StoreHarness } from './store/harness.js';
import { historyContract } from './store/history.js';
import { historyRoomsContract } from './store/history-rooms.js';
import { idempotencyContract } from './store/idempotency.js';
import { journalContract } from './store/journal.js';
import { keysContract } from './store/keys.js';
import { lifeContract } from './store/life.js';
import { messageStatusContract } from './store/message-status.js';
import { pendingChangesContract } from './store/pending-changes.js';
import { picturesContract } from './store/pictures.js';
import { rekeyContract } from './store/rekey.js';
import { sendsContract } from './store/sends.js';
import { sessionsContract } from './store/sessions.js';
import { tracesContract } from './store/traces.js';

/**
 * What every store must do, whatever it is built on. Each test has an empty store of its own.
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
  lifeContract,
];
