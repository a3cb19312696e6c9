import type { WithId } from 'mongodb';
import { type ContactNews, mergeContact } from '../contact-merge.js';
import type { Contact, ContactStore } from '../store.js';
import { isDuplicate, type MongoDatabase } from './database.js';
import { Turns } from './turns.js';

type ContactDocument = Contact & { clientId: string };
type Found = WithId<ContactDocument> | null;

/** Contacts in the collection `contacts`. */
export function mongoContacts({ db, run }: MongoDatabase): ContactStore {
  const contacts = db.collection<ContactDocument>('contacts');
  const turns = new Turns();
  const byLid = async (clientId: string, lid?: string): Promise<Found> =>
    lid ? contacts.findOne({ clientId, lid }) : null;
  // one with a LID first: it may be the union of two, of which the other is not deleted yet
  const byPn = async (clientId: string, pn?: string): Promise<Found> =>
    pn ? contacts.findOne({ clientId, pn }, { sort: { lid: -1 } }) : null;

  /**
   * Step by step, so that an interruption leaves no contact less: the new owner of a number is written before what it
   * takes the place of is deleted.
   */
  const learn = async (clientId: string, news: ContactNews): Promise<Contact> => {
    const [ofLid, ofPn] = await Promise.all([byLid(clientId, news.lid), byPn(clientId, news.pn)]);
    const { merged, bereft, changed } = mergeContact(known(ofLid), known(ofPn), news);
    if (!changed) return merged;
    if (bereft && ofPn) await contacts.updateOne({ _id: ofPn._id }, { $set: { pn: '' } });
    const survivor = ofLid ?? (bereft ? null : ofPn);
    if (survivor) await contacts.updateOne({ _id: survivor._id }, { $set: merged });
    else await contacts.insertOne({ ...merged, clientId });
    if (survivor && merged.pn) {
      await contacts.deleteMany({ clientId, pn: merged.pn, _id: { $ne: survivor._id } });
    }
    return merged;
  };

  return {
    async learn(clientId, news) {
      const attempt = () => learn(clientId, news);
      // another daemon may have learnt the same at this instant
      const again = (error: unknown) => (isDuplicate(error) ? attempt() : Promise.reject(error));
      return turns.alone(clientId, () => run(() => attempt().catch(again)));
    },
    async find(clientId, by) {
      return run(async () => known((await byLid(clientId, by.lid)) ?? (await byPn(clientId, by.pn))));
    },
  };
}

function known(found: Found): Contact | undefined {
  if (!found) return undefined;
  const { lid, pn, name, pushName, username, source, learntAt } = found;
  return { lid, pn, name, pushName, username, source, learntAt };
}
