import Joi from 'joi';
import { count, listOf, named, oneOf, optional, record, type TypeOf, text } from '../schema.js';
import { MAX_EPHEMERAL_S, mapOf, number, numberParams, shortText, whole } from './fields.js';
import { controlOperation } from './operation.js';

const MAX_PEOPLE = 1_000;
const MAX_NAME = 200;
const MAX_SETTING = 50;

const SETTINGS_TEXT = 'Values by the names on the wire: `last`, `profile`, `groupadd`, …';
const EPHEMERAL_TEXT =
  'Seconds after which messages disappear in new chats that the person begins; 0 when they do not';

/** Who may see the statuses of a person. */
const statusAudience = named('StatusAudience', {
  mode: oneOf('contacts', 'blacklist', 'whitelist').description(
    '`contacts`: all other people; `blacklist`: all but some; `whitelist`: only some',
  ),
  people: listOf(number).max(MAX_PEOPLE).description('Numbers; none with `contacts`'),
});
export type StatusAudience = TypeOf<typeof statusAudience>;

/** Privacy of a person. */
const privacyView = named('PrivacyView', {
  settings: mapOf(text).description(SETTINGS_TEXT),
  blocked: listOf(number).description('Numbers'),
  defaultEphemeral: count.description(EPHEMERAL_TEXT),
  statuses: statusAudience,
});
export type PrivacyView = TypeOf<typeof privacyView>;

/** A change of a person's privacy. */
const privacyUpdate = named('PrivacyUpdate', {
  settings: optional(
    Joi.object<Record<string, string>, false, Record<string, string>>()
      .pattern(shortText(MAX_SETTING), shortText(MAX_SETTING))
      .description(SETTINGS_TEXT)
      .example({ last: 'contacts' }),
  ),
  blocked: optional(listOf(number).max(MAX_PEOPLE).description('Numbers; replaces the list')),
  defaultEphemeral: optional(whole(0, MAX_EPHEMERAL_S).description(EPHEMERAL_TEXT)),
  statuses: optional(statusAudience),
}).min(1);
export type PrivacyUpdate = TypeOf<typeof privacyUpdate>;

/** A name in a person's address book. */
const addressBookEntry = named('AddressBookEntry', {
  number,
  name: shortText(MAX_NAME).allow('').description('Empty to remove the contact'),
  firstName: optional(shortText(MAX_NAME).allow('').description('The first word of the name by default')),
});
export type AddressBookEntry = TypeOf<typeof addressBookEntry>;

const PRIVACY: PrivacyView = {
  settings: { last: 'contacts' },
  blocked: [],
  defaultEphemeral: 0,
  statuses: { mode: 'contacts', people: [] },
};
const CONTACTS = { contacts: [{ number: '+15550000002', name: 'Bob Berg', firstName: 'Bob' }] };

const contactsAnswer = {
  answer: record({ contacts: listOf(addressBookEntry) }),
  example: CONTACTS,
};

/** The privacy and the address books of people, as they keep them on their phones. */
export const people = {
  privacy: controlOperation({
    method: 'GET',
    path: '/phones/{number}/privacy',
    summary: 'Show the privacy of a person',
    params: numberParams,
    answer: privacyView,
    example: PRIVACY,
  }),
  changePrivacy: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}/privacy',
    summary: 'Change the privacy of a person',
    params: numberParams,
    body: privacyUpdate,
    answer: privacyView,
    example: PRIVACY,
    errors: ['privacy_invalid'],
  }),
  contacts: controlOperation({
    method: 'GET',
    path: '/phones/{number}/contacts',
    summary: "List the names in the person's address book",
    params: numberParams,
    ...contactsAnswer,
    client: { gives: 'contacts' },
  }),
  nameContacts: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}/contacts',
    summary: 'Add, rename and, with an empty name, remove contacts',
    params: numberParams,
    body: record({ contacts: listOf(addressBookEntry).min(1).max(MAX_PEOPLE) }),
    ...contactsAnswer,
    client: { takes: ['contacts'], gives: 'contacts' },
  }),
};
