import { CONTACTS, mergeContact, PICTURES } from '../port/contacts.js';
import type { ContactStore, PictureStore } from '../store.js';
import type { OpenDatabase } from './database.js';
import { type Column, tableOf } from './table.js';

/** Contacts in the table `contacts`. */
export function sqliteContacts({ sqlite, run, inTransaction }: OpenDatabase): ContactStore {
  const { columns, into, read, values } = tableOf(CONTACTS);
  const select = `SELECT ${columns} FROM contacts WHERE client_id = ?`;
  const ofLid = sqlite.prepare<[string, string], Column[]>(`${select} AND lid = ? AND lid <> ''`).raw();
  const ofPn = sqlite.prepare<[string, string], Column[]>(`${select} AND pn = ? AND pn <> ''`).raw();
  const ofBook = sqlite.prepare<[string], Column[]>(`${select} AND name <> ''`).raw();
  const remove = sqlite.prepare<[string, string, string]>(
    'DELETE FROM contacts WHERE client_id = ? AND lid = ? AND pn = ?',
  );
  const insert = sqlite.prepare<[Column[]]>(`INSERT ${into}`);
  const dropNumber = sqlite.prepare<[string, string]>(
    `UPDATE contacts SET pn = '' WHERE client_id = ? AND lid = ?`,
  );
  const find = (by: typeof ofLid, clientId: string, address: string | undefined) => {
    const row = address ? by.get(clientId, address) : undefined;
    return row && read(row);
  };

  return {
    async learn(clientId, news) {
      return inTransaction(() => {
        const merge = mergeContact(find(ofLid, clientId, news.lid), find(ofPn, clientId, news.pn), news);
        if (!merge.changed) return merge.merged;
        if (merge.withoutNumber) dropNumber.run(clientId, merge.withoutNumber.lid);
        for (const contact of merge.replaces) remove.run(clientId, contact.lid, contact.pn);
        insert.run(values(clientId, merge.merged));
        return merge.merged;
      });
    },
    async find(clientId, by) {
      return run(() => find(ofLid, clientId, by.lid) ?? find(ofPn, clientId, by.pn));
    },
    async named(clientId) {
      return run(() => ofBook.all(clientId)).map((row) => read(row));
    },
  };
}

/** Profile pictures in the table `pictures`. */
export function sqlitePictures({ sqlite, run }: OpenDatabase): PictureStore {
  const { columns, into, read, values } = tableOf(PICTURES);
  const replace = sqlite.prepare<[Column[]]>(`REPLACE ${into}`);
  const select = sqlite
    .prepare<[string, string, number], Column[]>(
      `SELECT ${columns} FROM pictures WHERE client_id = ? AND jid = ? AND preview = ?`,
    )
    .raw();

  return {
    async get(clientId, jid, preview) {
      const row = run(() => select.get(clientId, jid, Number(preview)));
      return row && read(row);
    },
    async put(clientId, picture) {
      run(() => replace.run(values(clientId, picture)));
    },
  };
}
