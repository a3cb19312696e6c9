import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { AddressBookEntry, PrivacyUpdate, PrivacyView } from '../api.js';
import type { Parts } from '../clients/parts.js';
import { type NumberParams, numberField, numberParams } from '../fields.js';
import { blockedBy, setBlocked } from '../people/blocks.js';
import { changePrivacy, privacyOf, setDisappearing } from '../people/privacy.js';
import type { Account } from '../state/account.js';
import type { Network } from '../state/network.js';
import { IqError, Refusal } from '../wire/refusals.js';

const MAX_PEOPLE = 1_000;
const MAX_NAME = 200;
const MAX_EPHEMERAL_S = 365 * 24 * 60 * 60;

const updatePayload = Joi.object({
  settings: Joi.object().pattern(Joi.string().max(50), Joi.string().max(50)),
  blocked: Joi.array().items(numberField).max(MAX_PEOPLE),
  defaultEphemeral: Joi.number().integer().min(0).max(MAX_EPHEMERAL_S),
})
  .min(1)
  .required();

const nameField = Joi.string().allow('').max(MAX_NAME);
const contactsPayload = Joi.object({
  contacts: Joi.array()
    .items(Joi.object({ number: numberField.required(), name: nameField.required(), firstName: nameField }))
    .min(1)
    .max(MAX_PEOPLE)
    .required(),
}).required();

/** Privacy, blocked people and the address book, as a person keeps them on the phone. */
export function peopleRoutes(server: Server, { network, phones }: Parts): void {
  const accountOf = ({ number }: NumberParams) => network.directory.require(number);
  const validate = { params: numberParams };
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/privacy',
    options: { validate },
    handler: ({ params }) => viewPrivacy(network, accountOf(params)),
  });
  server.route<{ Params: NumberParams; Payload: PrivacyUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}/privacy',
    options: { validate: { ...validate, payload: updatePayload } },
    handler: ({ params, payload }) => {
      changeAll(network, accountOf(params), payload);
      return viewPrivacy(network, accountOf(params));
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/contacts',
    options: { validate },
    handler: ({ params }) => viewContacts(network, accountOf(params)),
  });
  server.route<{ Params: NumberParams; Payload: { contacts: AddressBookEntry[] } }>({
    method: 'PATCH',
    path: '/phones/{number}/contacts',
    options: { validate: { ...validate, payload: contactsPayload } },
    handler: async ({ params, payload }) => {
      const account = accountOf(params);
      const people = payload.contacts.map((entry) => ({
        ...entry,
        person: network.directory.require(entry.number),
      }));
      for (const { person, name, firstName } of people)
        await phones.of(account).settings.nameContact(person, name, firstName);
      return viewContacts(network, account);
    },
  });
}

function viewPrivacy(network: Network, account: Account): PrivacyView {
  return {
    settings: privacyOf(account),
    blocked: blockedBy(network, account).map(({ number }) => number),
    defaultEphemeral: account.record.disappearing?.duration ?? 0,
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
  { settings = {}, blocked, defaultEphemeral }: PrivacyUpdate,
): void {
  const wanted = blocked?.map((number) => network.directory.require(number));
  for (const [name, value] of Object.entries(settings)) {
    try {
      changePrivacy(network, account, { name, value, people: [] });
    } catch (error) {
      if (error instanceof IqError) throw new Refusal(400, `"${name}" cannot be "${value}"`);
      throw error;
    }
  }
  if (defaultEphemeral !== undefined) setDisappearing(network, account, defaultEphemeral);
  if (!wanted) return;
  const before = blockedBy(network, account);
  for (const person of before.filter((one) => !wanted.includes(one)))
    setBlocked(network, account, person, 'unblock');
  for (const person of wanted.filter((one) => !before.includes(one)))
    setBlocked(network, account, person, 'block');
}
