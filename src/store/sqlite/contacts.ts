import { mergeContact } from '../contact-merge.js';
import type { Contact, ContactStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type Row = Contact & { clientId: string };

const FIELDS = 'lid, pn, name, push_name AS pushName, username, source, learnt_at AS learntAt';

/** Contacts in the table `contacts`. */
export function sqliteContacts({ sqlite, run, inTransaction }: OpenDatabase): ContactStore {
  const selectByLid = sqlite.prepare<[string, string], Contact>(
    `SELECT ${FIELDS} FROM contacts WHERE client_id = ? AND lid = ? AND lid <> ''`,
  );
  const selectByPn = sqlite.prepare<[string, string], Contact>(
    `SELECT ${FIELDS} FROM contacts WHERE client_id = ? AND pn = ? AND pn <> ''`,
  );
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM contacts WHERE client_id = ? AND lid = ? AND pn = ?',
  );
  const insert = sqlite.prepare<Row>(
    `INSERT INTO contacts (client_id, lid, pn, name, push_name, username, source, learnt_at)
     VALUES (@clientId, @lid, @pn, @name, @pushName, @username, @source, @learntAt)`,
  );
  const dropNumber = sqlite.prepare<[string, string]>(
    `UPDATE contacts SET pn = '' WHERE client_id = ? AND lid = ?`,
  );
  const byLid = (clientId: string, lid?: string) => (lid ? selectByLid.get(clientId, lid) : undefined);
  const byPn = (clientId: string, pn?: string) => (pn ? selectByPn.get(clientId, pn) : undefined);

  return {
    async learn(clientId, news) {
      return inTransaction(() => {
        const merge = mergeContact(byLid(clientId, news.lid), byPn(clientId, news.pn), news);
        if (!merge.changed) return merge.merged;
        if (merge.bereft) dropNumber.run(clientId, merge.bereft.lid);
        for (const contact of merge.replaces) remove.run(clientId, contact.lid, contact.pn);
        insert.run({ ...merge.merged, clientId });
        return merge.merged;
      });
    },
    async find(clientId, by) {
      return run(() => byLid(clientId, by.lid) ?? byPn(clientId, by.pn));
    },
  };
}
