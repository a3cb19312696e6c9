import { proto } from '@whiskeysockets/baileys';
import type { StatusAudience } from '../../contract/sandbox/index.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { type Stanza, stanza } from '../wire/stanza.js';
import { hasBlocked } from './blocks.js';

type Mode = StatusAudience['mode'];
const { ALLOW_LIST, DENY_LIST, CONTACTS } = proto.SyncActionValue.StatusPrivacyAction.StatusDistributionMode;
const MODES = new Map<unknown, Mode>([
  [ALLOW_LIST, 'whitelist'],
  [DENY_LIST, 'blacklist'],
  [CONTACTS, 'contacts'],
]);

/** Who may see the statuses of a person: the people are those of the list that the mode names. */
export function viewAudience(network: Network, account: Account): StatusAudience {
  const { mode } = settingOf(account);
  return { mode, people: listed(network, account, mode).map(({ number }) => number) };
}

/** The person or a linked device says who may see the statuses; a list stays while another mode holds. */
export function setAudience(account: Account, mode: Mode, people: readonly Account[]): void {
  const setting = settingOf(account);
  const lists = mode === 'contacts' ? {} : { [mode]: people.map(({ lid }) => lid) };
  account.record.statusAudience = { ...setting, ...lists, mode };
  account.keep();
}

/** A linked device has changed who may see the statuses (zapo `setStatusPrivacy`). */
export function applyAudience(
  { directory }: Network,
  account: Account,
  { mode: wanted, userJid }: proto.SyncActionValue.IStatusPrivacyAction,
): void {
  const mode = MODES.get(wanted);
  const people = (userJid ?? []).flatMap((jid) => directory.byJid(jid) ?? []);
  if (mode) setAudience(account, mode, people);
}

/** All lists that are set; the one that holds is the default (whatsmeow `GetStatusPrivacy`). */
export function audienceElement(network: Network, account: Account): Stanza {
  const { mode } = settingOf(account);
  const lists = (['contacts', 'blacklist', 'whitelist'] as const).flatMap((type) => {
    const people = listed(network, account, type);
    if (type !== mode && people.length === 0) return [];
    const users = people.map((person) => stanza('user', { jid: person.jid('pn') }));
    return [stanza('list', { type, default: type === mode ? 'true' : undefined }, users)];
  });
  return stanza('privacy', {}, lists);
}

/**
 * Who gets a status that the person posts on the phone, without those who block the person. The contacts of a simulated
 * person are all others.
 */
export function audienceOf(
  network: Network,
  author: Account,
  named: readonly Account[] | undefined,
): Account[] {
  const { mode } = settingOf(author);
  const list = new Set(listed(network, author, mode));
  const isViewer = (person: Account) => mode === 'contacts' || list.has(person) === (mode === 'whitelist');
  return [...(named ?? [...network.directory.accounts].filter(isViewer))].filter(
    (person) => person !== author && !hasBlocked(person, author),
  );
}

function settingOf({ record }: Account): NonNullable<Account['record']['statusAudience']> {
  return record.statusAudience ?? { mode: 'contacts' };
}

function listed({ directory }: Network, account: Account, mode: Mode): Account[] {
  const lids = mode === 'contacts' ? [] : (settingOf(account)[mode] ?? []);
  return lids.flatMap((lid) => directory.byLid(lid) ?? []);
}
