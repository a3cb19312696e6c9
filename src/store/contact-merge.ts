import type { Contact } from './store.js';

/** What `ContactStore.learn` is told. */
export type ContactNews = Partial<Contact> & Pick<Contact, 'source' | 'learntAt'>;

/** What a back end has to do about the news. */
export interface ContactMerge {
  merged: Contact;
  /** Known contacts that `merged` takes the place of. */
  replaces: Contact[];
  /** A contact that has lost its number to `merged` and lives on by its LID. */
  bereft?: Contact;
  /** False when the news told nothing new, so that nothing needs writing. */
  changed: boolean;
}

/**
 * Decides which of the known contacts are the person that the news is about. The LID is who somebody is and stays with
 * the account; a number can be given up and be taken over by another account.
 *
 * @param byLid the contact known under the news' LID
 * @param byPn the contact known under the news' number; may be the same one
 * @throws TypeError when the news names neither a LID nor a number
 */
export function mergeContact(
  byLid: Contact | undefined,
  byPn: Contact | undefined,
  news: ContactNews,
): ContactMerge {
  if (!news.lid && !news.pn) throw new TypeError('a contact needs a lid or a pn');
  const numberMoved = Boolean(news.lid && byPn?.lid && byPn.lid !== news.lid);
  const known = distinct(byLid, numberMoved ? undefined : byPn);
  const merged = mergeAll(known, news);
  return {
    merged,
    replaces: known,
    ...(numberMoved && byPn ? { bereft: { ...byPn, pn: '' } } : {}),
    changed: numberMoved || known.length !== 1 || !sameContact(merged, known[0]),
  };
}

const EMPTY: Contact = { lid: '', pn: '', name: '', pushName: '', username: '', source: '', learntAt: 0 };

function distinct(byLid: Contact | undefined, byPn: Contact | undefined): Contact[] {
  const same = byLid && byPn && sameContact(byLid, byPn);
  return [byLid, same ? undefined : byPn].filter((contact) => contact !== undefined);
}

function mergeAll(known: readonly Contact[], news: ContactNews): Contact {
  const merged = overlay(known.reduce(newerOverOlder, EMPTY), news);
  // source and time belong to the pair of addresses: hearing the same pair again does not change where it was learnt
  const [only, another] = known;
  const samePair = only && !another && merged.lid === only.lid && merged.pn === only.pn;
  const { source, learntAt } = samePair ? only : news;
  return { ...merged, source, learntAt };
}

function newerOverOlder(one: Contact, other: Contact): Contact {
  const [older, newer] = one.learntAt <= other.learntAt ? [one, other] : [other, one];
  return overlay(older, newer);
}

function overlay(under: Contact, over: Partial<Contact>): Contact {
  return {
    lid: over.lid || under.lid,
    pn: over.pn || under.pn,
    name: over.name || under.name,
    pushName: over.pushName || under.pushName,
    username: over.username || under.username,
    source: over.source || under.source,
    learntAt: over.learntAt || under.learntAt,
  };
}

function sameContact(one: Contact, other: Contact | undefined): boolean {
  return (
    one.lid === other?.lid &&
    one.pn === other.pn &&
    one.name === other.name &&
    one.pushName === other.pushName &&
    one.username === other.username
  );
}
