import type { Account, Companion } from '../state/account.js';
import type { Network } from '../state/network.js';
import { IqError } from '../wire/refusals.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { nextVersion, tellDevices } from './privacy.js';

/**
 * True when a person has blocked the other one. The network acknowledges what a blocked person writes, and does not
 * deliver it: the author sees one tick for good (WhatsApp's help centre, "About blocking and reporting contacts").
 */
export function hasBlocked(person: Account, other: Account): boolean {
  return person.record.blocked?.people.includes(other.lid) ?? false;
}

/** The people that a person has blocked. */
export function blockedBy(network: Network, { record }: Account): Account[] {
  return (record.blocked?.people ?? []).flatMap((lid) => network.directory.byLid(lid) ?? []);
}

export function blockListElement(network: Network, account: Account): Stanza {
  const items = blockedBy(network, account).map((other) => stanza('item', { jid: other.jid('lid') }));
  return stanza('list', { dhash: account.record.blocked?.version ?? 'none' }, items);
}

/** An `<item>` of a client that blocks or unblocks a person. */
interface BlockItem {
  jid?: string | undefined;
  action?: string | undefined;
  /** The number, or another name, of a person that is addressed by LID. */
  identifier?: string | undefined;
}

/**
 * A device blocks or unblocks a person. The network refuses an address by number, and a block without a second
 * identifier, where the person has a LID (zapo `builders/privacy.ts`).
 * @throws IqError 400 for a wrong address or action, 404 for an unknown person
 */
export function changeBlock(network: Network, author: Companion, item: BlockItem): void {
  const { jid, action, identifier } = item;
  if (action !== 'block' && action !== 'unblock') throw new IqError(400, 'bad-request');
  const person = network.directory.byJid(jid);
  if (!person) throw new IqError(404, 'item-not-found');
  const isByLid = jid === person.jid('lid');
  if (!person.record.hideLid && (!isByLid || (action === 'block' && !identifier)))
    throw new IqError(400, 'bad-request');
  setBlocked(network, author.account, person, action, author);
}

/** Blocks or unblocks a person, and tells the other devices of the account. @param author undefined for the phone */
export function setBlocked(
  network: Network,
  account: Account,
  person: Account,
  action: 'block' | 'unblock',
  author?: Companion,
): void {
  const { version: before, people = [] } = account.record.blocked ?? {};
  const others = people.filter((lid) => lid !== person.lid);
  const version = nextVersion(network, before);
  account.record.blocked = { version, people: action === 'block' ? [...others, person.lid] : others };
  account.keep();
  const item = stanza('item', { jid: person.jid('lid'), action });
  const change = stanza('blocklist', { action: 'modify', dhash: version, prev_dhash: before }, [item]);
  tellDevices(network, account, change, author);
}
