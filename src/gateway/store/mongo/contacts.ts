import type { WithId } from 'mongodb';
import { CONTACTS, type ContactNews, mergeContact, PICTURES } from '../port/contacts.js';
import type { Contact, ContactStore, PictureRecord, PictureStore } from '../store.js';
import type { MongoDatabase } from './database.js';
import { type DocumentOf, documentsOf } from './documents.js';
import { SharedLock } from './lock.js';
import { upsertTwice } from './writes.js';

type ContactDocument = DocumentOf<Contact>;
type Found = WithId<ContactDocument> | null;

/** Contacts in the collection `contacts`. */
export function mongoContacts({ db, run }: MongoDatabase): ContactStore {
  const contacts = db.collection<ContactDocument>('contacts');
  const lock = new SharedLock();
  const byLid = async (clientId: string, lid?: string): Promise<Found> =>
    lid ? contacts.findOne({ clientId, lid }) : null;
  // a contact with a LID first: it may be a merged one whose former half is not deleted yet
  const byPn = async (clientId: string, pn?: string): Promise<Found> =>
    pn ? contacts.findOne({ clientId, pn }, { sort: { lid: -1 } }) : null;

  /** In steps that lose no contact if interrupted: the merged contact is written before the replaced one is deleted. */
  const learn = async (clientId: string, news: ContactNews): Promise<Contact> => {
    const [ofLid, ofPn] = await Promise.all([byLid(clientId, news.lid), byPn(clientId, news.pn)]);
    const { merged, withoutNumber, changed } = mergeContact(known(ofLid), known(ofPn), news);
    if (!changed) return merged;
    if (withoutNumber && ofPn) await contacts.updateOne({ _id: ofPn._id }, { $set: { pn: '' } });
    const survivor = ofLid ?? (withoutNumber ? null : ofPn);
    if (survivor) await contacts.updateOne({ _id: survivor._id }, { $set: merged });
    else await contacts.insertOne({ ...merged, clientId });
    if (survivor && merged.pn) {
      await contacts.deleteMany({ clientId, pn: merged.pn, _id: { $ne: survivor._id } });
    }
    return merged;
  };

  return {
    async learn(clientId, news) {
      // another daemon may learn the same right now
      return lock.exclusive(clientId, () => run(() => upsertTwice(() => learn(clientId, news))));
    },
    async find(clientId, by) {
      return run(async () => known((await byLid(clientId, by.lid)) ?? (await byPn(clientId, by.pn))));
    },
    async named(clientId) {
      const found = await run(() => contacts.find({ clientId, name: { $ne: '' } }).toArray());
      const named = found.map((document) => ofContacts.toRecord(document));
      const merged = new Set(named.flatMap(({ lid, pn }) => (lid && pn ? pn : [])));
      // a crash may have left the former half of a merged contact
      return named.filter(({ lid, pn }) => lid || !merged.has(pn));
    },
  };
}

const ofContacts = documentsOf(CONTACTS);
const ofPictures = documentsOf(PICTURES);

function known(found: Found): Contact | undefined {
  return found ? ofContacts.toRecord(found) : undefined;
}

/** Profile pictures in the collection `pictures`. */
export function mongoPictures({ db, run }: MongoDatabase): PictureStore {
  const pictures = db.collection<DocumentOf<PictureRecord>>(PICTURES.name);
  return {
    async get(clientId, jid, preview) {
      const found = await run(() => pictures.findOne({ clientId, jid, preview }));
      return found ? ofPictures.toRecord(found) : undefined;
    },
    async put(clientId, picture) {
      const { jid, preview } = picture;
      const key = { clientId, jid, preview };
      const put = () => pictures.updateOne(key, { $set: { ...picture } }, { upsert: true });
      await run(() => upsertTwice(put));
    },
  };
}
