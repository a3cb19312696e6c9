import { blankRecord, collection, type RecordOf } from './fields.js';

/** People known to a session. Addresses are user-parts; unknown fields are empty. */
export const CONTACTS = collection('contacts', {
  lid: { is: 'text' },
  pn: { is: 'text' },
  /** The name in the linked phone's address book. */
  name: { is: 'text' },
  /** The name the person chose. */
  pushName: { is: 'text' },
  username: { is: 'text' },
  /** Where the pair of addresses was learnt: `message`, `lookup`, `history`, … */
  source: { is: 'text' },
  /** Milliseconds since the epoch. */
  learntAt: { is: 'number' },
});

export type Contact = RecordOf<typeof CONTACTS>;

/** New facts about a person: at least one of `lid` and `pn`, and where they come from. */
export type ContactNews = Partial<Contact> & { source: string; learntAt: number };

export interface ContactStore {
  /**
   * Merges new facts: non-empty fields replace, and two records that turn out to be one person become one.
   * @returns the merged contact
   * @throws TypeError without a LID and a number
   */
  learn(clientId: string, news: ContactNews): Promise<Contact>;
  find(clientId: string, by: { lid?: string; pn?: string }): Promise<Contact | undefined>;
  /** The people in the linked phone's address book, in no order. */
  named(clientId: string): Promise<Contact[]>;
}

/** Profile pictures of people and groups, as last fetched from the network. */
export const PICTURES = collection('pictures', {
  /** Of a person (the LID if known) or a group. */
  jid: { is: 'text' },
  /** True for the small picture, false for the full one. */
  preview: { is: 'flag', words: ['full', 'preview'] },
  /** The network's id of the picture; empty if none is visible. */
  version: { is: 'text' },
  /** The network's signed URL; it expires after about ten days. Whoever has it can see the picture, even if it is hidden. */
  url: { is: 'text', sealed: ['jid', 'preview'] },
  /** Id of the stored copy; empty if there is none. */
  fileId: { is: 'text' },
  /** Why no picture is visible; empty if one is. */
  reason: { is: 'text' },
  /** Milliseconds since the epoch; 0 if known to be outdated. */
  fetchedAt: { is: 'number' },
});

export type PictureRecord = RecordOf<typeof PICTURES>;

export interface PictureStore {
  get(clientId: string, jid: string, preview: boolean): Promise<PictureRecord | undefined>;
  /** Inserts or replaces by (clientId, jid, preview). */
  put(clientId: string, picture: PictureRecord): Promise<void>;
}

/** The writes that follow from new facts about a person. */
export interface ContactMerge {
  merged: Contact;
  /** Stored contacts that `merged` replaces. */
  replaces: Contact[];
  /** The contact that loses its number to `merged` and keeps its LID. */
  withoutNumber?: Contact;
  /** False if nothing needs to be written. */
  changed: boolean;
}

/**
 * Decides which stored contacts are the person that the new facts describe. A LID belongs to one account for ever; a number
 * can move to another account.
 *
 * @param byLid the contact with the LID of the news
 * @param byPn the contact with the number of the news; may be the same one
 * @throws TypeError if the news has neither a LID nor a number
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
    ...(numberMoved && byPn ? { withoutNumber: { ...byPn, pn: '' } } : {}),
    changed: numberMoved || known.length !== 1 || !sameContact(merged, known[0]),
  };
}

const EMPTY: Contact = blankRecord(CONTACTS);

function distinct(byLid: Contact | undefined, byPn: Contact | undefined): Contact[] {
  const same = byLid && byPn && sameContact(byLid, byPn);
  return [byLid, same ? undefined : byPn].filter((contact) => contact !== undefined);
}

function mergeAll(known: readonly Contact[], news: ContactNews): Contact {
  const merged = overlay(known.reduce(newerOverOlder, EMPTY), news);
  // source and time belong to the pair of addresses: they change only with the pair
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
