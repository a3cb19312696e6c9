import Joi from 'joi';
import { disappearingSeconds } from './chats.js';
import { characters } from './fields.js';
import { type BodyOf, operation } from './operation.js';
import { PICTURE_TEXT, pictureErrors, pictureInputs } from './pictures.js';
import { clientId, named, ok, optional, record, requiredClient, type TypeOf, text } from './schema.js';

/** Characters of the name (WhatsApp's own limit) and of the text below it. */
const NAME_LENGTH = 25;
const ABOUT_LENGTH = 139;

const profileErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'lookup_failed',
] as const;
const changeErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'lookup_failed',
  'account_rejected',
] as const;

export const ownProfile = named('OwnProfile', {
  jid: text.description('Jid by LID if known, otherwise by number'),
  phone: text.description('Number with `+`; empty if unknown'),
  name: text.description('The name that other people see'),
  about: text.description('The text below the name'),
  pictureId: text.description('Version of the picture; empty if there is none'),
  disappearingSeconds: Joi.number()
    .integer()
    .min(0)
    .description('Seconds after which messages of new chats disappear; 0 if they stay'),
});
export type OwnProfile = TypeOf<typeof ownProfile>;

/** Schemas for the handler, which reads and validates the body itself. */
export const ownPicture = pictureInputs({ clientId });

export const profile = {
  getProfile: operation({
    method: 'GET',
    path: '/profile',
    owner: 'session',
    summary: 'Get the profile of the linked number from the network',
    query: requiredClient,
    answer: ownProfile,
    example: {
      jid: '90000000000001@lid',
      phone: '+15550000001',
      name: 'Ada Example',
      about: 'At work',
      pictureId: '1700000000',
      disappearingSeconds: 0,
    },
    errors: profileErrors,
  }),
  setProfile: operation({
    method: 'POST',
    path: '/set-profile',
    owner: 'session',
    summary: 'Change name, text or default timer of the linked number; absent fields do not change',
    description:
      'The fields are changed in the order of this list. If one is refused, earlier ones remain changed. 502 (`app_state_rejected`) if the ' +
      'network refuses the name.',
    body: record({
      clientId,
      name: optional(
        characters(NAME_LENGTH)
          .pattern(/\S/)
          .messages({ 'string.pattern.base': '{#label} must not be blank' })
          .description('The name that other people see')
          .example('Ada Example'),
      ),
      about: optional(
        characters(ABOUT_LENGTH)
          .allow('')
          .description('The text below the name; `""` removes it')
          .example('At work'),
      ),
      disappearingSeconds: optional(disappearingSeconds).description(
        'Seconds after which messages of new chats disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)',
      ),
    }).or('name', 'about', 'disappearingSeconds'),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...changeErrors, 'app_state_rejected', 'send_not_connected'],
  }),
  setProfilePicture: operation({
    method: 'POST',
    path: '/set-profile-picture',
    owner: 'session',
    summary: 'Set or remove the picture of the linked number',
    description: PICTURE_TEXT,
    body: ownPicture.body,
    form: ownPicture.form,
    answer: record({ ok }),
    example: { ok: true },
    errors: [...changeErrors, ...pictureErrors],
  }),
};

export type ProfileChanges = Omit<BodyOf<typeof profile.setProfile>, 'clientId'>;
