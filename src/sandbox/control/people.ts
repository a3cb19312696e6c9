import type { AddressBookEntry, PrivacyUpdate, PrivacyView } from '../../contract/sandbox/index.js';
import { people as api } from '../../contract/sandbox/people.js';
import { blockedBy, setBlocked } from '../people/blocks.js';
import { changePrivacy, privacyOf, setDisappearing } from '../people/privacy.js';
import { setAudience, viewAudience } from '../people/status-audience.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { IqError, Refusal } from '../wire/refusals.js';
import { type Route, route } from './route.js';

/** Privacy, blocked people and the address book, as a person keeps them on the phone. */
export const peopleRoutes: readonly Route[] = [
  route(api.privacy, ({ params }, { network }) =>
    viewPrivacy(network, network.directory.require(params.number)),
  ),
  route(api.changePrivacy, ({ params, payload }, { network }) => {
    const account = network.directory.require(params.number);
    changeAll(network, account, payload);
    return viewPrivacy(network, account);
  }),
  route(api.contacts, ({ params }, { network }) =>
    viewContacts(network, network.directory.require(params.number)),
  ),
  route(api.nameContacts, async ({ params, payload }, { network, phones }) => {
    const account = network.directory.require(params.number);
    const people = payload.contacts.map((entry) => ({
      ...entry,
      person: network.directory.require(entry.number),
    }));
    for (const { person, name, firstName } of people)
      await phones.of(account).settings.nameContact(person, name, firstName);
    return viewContacts(network, account);
  }),
];

function viewPrivacy(network: Network, account: Account): PrivacyView {
  return {
    settings: privacyOf(account),
    blocked: blockedBy(network, account).map(({ number }) => number),
    defaultEphemeral: account.record.disappearing?.duration ?? 0,
    statuses: viewAudience(network, account),
  };
}

function viewContacts({ directory }: Network, { record }: Account): { contacts: AddressBookEntry[] } {
  const contacts = Object.entries(record.contacts ?? {}).flatMap(([lid, names]) => {
    const person = directory.byLid(lid);
    return person ? [{ number: person.number, ...names }] : [];
  });
  return { contacts };
}

/** @throws Refusal 400 for an unknown setting or value, 404 when nobody has a number */
function changeAll(
  network: Network,
  account: Account,
  { settings = {}, blocked, defaultEphemeral, statuses }: PrivacyUpdate,
): void {
  const wanted = blocked?.map((number) => network.directory.require(number));
  const listed = statuses?.people.map((number) => network.directory.require(number)) ?? [];
  for (const [name, value] of Object.entries(settings)) {
    try {
      changePrivacy(network, account, { name, value, people: [] });
    } catch (error) {
      if (error instanceof IqError) throw new Refusal('privacy_invalid', `"${name}" cannot be "${value}"`);
      throw error;
    }
  }
  if (defaultEphemeral !== undefined) setDisappearing(network, account, defaultEphemeral);
  if (statuses) setAudience(account, statuses.mode, listed);
  if (!wanted) return;
  const before = blockedBy(network, account);
  for (const person of before.filter((one) => !wanted.includes(one)))
    setBlocked(network, account, person, 'unblock');
  for (const person of wanted.filter((one) => !before.includes(one)))
    setBlocked(network, account, person, 'block');
}
