import { mergeContact } from '../port/contacts.js';
import type { Contact, ContactStore, PictureRecord, PictureStore } from '../store.js';
import type { OpenDatabase } from './database.js';

type ContactRow = Contact & { clientId: string };

const CONTACT_FIELDS = 'lid, pn, name, push_name AS pushName, username, source, learnt_at AS learntAt';

/** Contacts in the table `contacts`. */
export function sqliteContacts({ sqlite, run, inTransaction }: OpenDatabase): ContactStore {
  const selectByLid = sqlite.prepare<[string, string], Contact>(
    `SELECT ${CONTACT_FIELDS} FROM contacts WHERE client_id = ? AND lid = ? AND lid <> ''`,
  );
  const selectByPn = sqlite.prepare<[string, string], Contact>(
    `SELECT ${CONTACT_FIELDS} FROM contacts WHERE client_id = ? AND pn = ? AND pn <> ''`,
  );
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM contacts WHERE client_id = ? AND lid = ? AND pn = ?',
  );
  const insert = sqlite.prepare<ContactRow>(
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
        if (merge.withoutNumber) dropNumber.run(clientId, merge.withoutNumber.lid);
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

type PictureRow = Omit<PictureRecord, 'preview'> & { preview: number };

/** Profile pictures in the table `pictures`. */
export function sqlitePictures({ sqlite, run }: OpenDatabase): PictureStore {
  const replace = sqlite.prepare<PictureRow & { clientId: string }>(
    `REPLACE INTO pictures (client_id, jid, preview, version, url, file_id, reason, fetched_at)
     VALUES (@clientId, @jid, @preview, @version, @url, @fileId, @reason, @fetchedAt)`,
  );
  const select = sqlite.prepare<[string, string, number], PictureRow>(
    `SELECT jid, preview, version, url, file_id AS fileId, reason, fetched_at AS fetchedAt
     FROM pictures WHERE client_id = ? AND jid = ? AND preview = ?`,
  );

  return {
    async get(clientId, jid, preview) {
      const row = run(() => select.get(clientId, jid, Number(preview)));
      return row && { ...row, preview };
    },
    async put(clientId, picture) {
      run(() => replace.run({ ...picture, clientId, preview: Number(picture.preview) }));
    },
  };
}
