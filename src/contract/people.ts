import Joi from 'joi';
import { parsePhone } from '../domain/address.js';
import { LIMITS } from '../domain/limits.js';
import { AMPLE } from './fields.js';
import { type AnswerOf, operation } from './operation.js';
import {
  clientId,
  count,
  flag,
  listOf,
  named,
  ok,
  oneOf,
  optional,
  record,
  requiredClient,
  type TypeOf,
  text,
} from './schema.js';

const personJid = Joi.string()
  .max(LIMITS.addressLength)
  .meta(AMPLE)
  .description('The person')
  .example('+15550000002');
const lookUpErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'lookup_failed',
  'not_found',
  'recipient_unknown',
] as const;

export const userInfo = named('UserInfo', {
  jid: text.description('Jid by LID if known, otherwise by number'),
  username: text,
  status: text.description('Status text of the person'),
  pictureId: text,
  devices: count.description('Number of devices of the person'),
  verifiedName: text.description('The verified name of a business; may be empty'),
  phone: optional(text).description('With `withContact`: number with `+`; empty if unknown'),
  displayName: optional(text).description(
    'With `withContact`: name in the address book, or the one that the person chose; empty if unknown',
  ),
});
export const ownerLid = named('OwnerLid', {
  myLid: text,
  myJid: text,
  number: text.description('The requested number; empty if none was requested'),
  isOnWhatsApp: flag,
  numberJid: text.description('The number as the network writes it; empty if it is not on the network'),
  numberLid: text.description('Empty if the number is not on the network'),
  username: text.description('Empty if the number is not on the network'),
});
export const visiblePicture = named('VisiblePicture', {
  jid: text,
  id: text.description('Version of the picture'),
  type: oneOf('preview', 'full'),
  url: text.description("The network's link, which expires in about 10 days"),
  storedUrl: text.description('Permanent link to the stored copy; empty if there is none'),
  mirrored: flag.description('True if there is a stored copy'),
});
export const hiddenPicture = named('HiddenPicture', {
  jid: text,
  url: Joi.string<''>().valid(''),
  reason: text.description('Why no picture is visible; only of such an answer'),
});
export type UserInfo = TypeOf<typeof userInfo>;
export type OwnerLid = TypeOf<typeof ownerLid>;
export type ProfilePicture = TypeOf<typeof visiblePicture> | TypeOf<typeof hiddenPicture>;

export const blockedPerson = named('BlockedPerson', {
  jid: text.description('Jid by LID if known, otherwise by number'),
  phone: text.description('Number with `+`; empty if unknown'),
  displayName: text.description('Empty if unknown'),
});
export type BlockedPerson = TypeOf<typeof blockedPerson>;

const BLOCK_FAILURES =
  '400 for the linked number itself or for somebody who is not on the network (`recipient_unknown`), 502 (`account_rejected`) if the network refuses the change.';
const blockErrors = [...lookUpErrors, 'account_rejected'] as const;

export const people = {
  getUserInfo: operation({
    method: 'POST',
    path: '/user-info',
    owner: 'session',
    summary: 'Get the public profile of a person from the network',
    description: 'Hidden facts are empty. 404 (`not_found`) if the network does not know the person.',
    body: record({
      clientId,
      jid: personJid,
      withContact: flag.default(false).description('`true`: the answer also has `phone` and `displayName`'),
    }),
    answer: userInfo,
    example: {
      jid: '90000000000002@lid',
      username: 'ada',
      status: 'At work',
      pictureId: '1700000000',
      devices: 2,
      verifiedName: '',
    },
    errors: lookUpErrors,
  }),
  checkOwnerLid: operation({
    method: 'POST',
    path: '/check-owner-lid',
    owner: 'session',
    summary: "Get the session's own addresses, and check whether a number is on the network",
    description:
      'Check numbers only when you need them: the network may ban a linked number that checks many numbers at once.',
    body: record({
      clientId,
      number: Joi.string()
        .allow('')
        .max(LIMITS.addressLength)
        .custom((value: string, helpers) => (parsePhone(value) ? value : helpers.error('string.phone')))
        .messages({ 'string.phone': '{#label} must be a phone number with its country code' })
        .meta(AMPLE)
        .description(
          'A phone number with its country code, in any usual writing, with or without `+`. Without `number` the answer has only the own addresses',
        )
        .default('')
        .example('+15550000002'),
    }),
    answer: ownerLid,
    example: {
      myLid: '90000000000001',
      myJid: '15550000001@s.whatsapp.net',
      number: '+15550000002',
      isOnWhatsApp: true,
      numberJid: '15550000002@s.whatsapp.net',
      numberLid: '90000000000002',
      username: '',
    },
    errors: lookUpErrors,
  }),
  getProfilePicture: operation({
    method: 'GET',
    path: '/profile-picture',
    owner: 'session',
    summary: 'Get the picture of a person or a group, with a permanent copy',
    description:
      'For a hidden or missing picture the answer is 200 with a `reason` and an empty `url`. 404 (`not_found`) if the network does not know the jid.',
    query: record({
      clientId,
      jid: personJid.description('A person or a group'),
      preview: flag
        .default(true)
        .description('`true` for the small picture of 96 pixels, `false` for full size'),
      refresh: flag
        .default(false)
        .description('`true` asks the network even if it was asked within 24 hours'),
    }),
    answer: Joi.alternatives<ProfilePicture>(visiblePicture, hiddenPicture),
    example: {
      jid: '90000000000002@lid',
      id: '1700000000',
      type: 'preview',
      url: 'https://pps.whatsapp.net/v/t61.24694-24/picture.jpg',
      storedUrl: 'http://127.0.0.1:3000/media/7d9f9a1e-5a0c-4f0e-9f43-6b8f0f3f4a51/picture.jpg',
      mirrored: true,
    },
    errors: [...lookUpErrors, 'group_unknown', 'group_forbidden'],
  }),
  listBlocked: operation({
    method: 'GET',
    path: '/blocked',
    owner: 'session',
    summary: 'List the people whom the number blocks, as the network lists them now',
    description: 'Also lists the people whom other devices of the account have blocked.',
    query: requiredClient,
    answer: record({ blocked: listOf(blockedPerson) }),
    example: { blocked: [{ jid: '90000000000002@lid', phone: '+15550000002', displayName: 'Bob' }] },
    errors: ['session_unpaired', 'session_suspended', 'session_not_connected', 'lookup_failed'],
  }),
  blockPerson: operation({
    method: 'POST',
    path: '/block',
    owner: 'session',
    summary: 'Block a person, whose messages and calls then no longer arrive',
    description: `Messages of a blocked person do not arrive, also not after the block ends; the person is not told. ${BLOCK_FAILURES}`,
    body: record({ clientId, jid: personJid }),
    answer: record({ ok }),
    example: { ok: true },
    errors: blockErrors,
  }),
  unblockPerson: operation({
    method: 'POST',
    path: '/unblock',
    owner: 'session',
    summary: 'Unblock a person',
    description: BLOCK_FAILURES,
    body: record({ clientId, jid: personJid }),
    answer: record({ ok }),
    example: { ok: true },
    errors: blockErrors,
  }),
  refreshAvatars: operation({
    method: 'POST',
    path: '/refresh-avatars',
    owner: 'session',
    summary: 'Fetch the pictures of the hosted rooms, about 7 per second; answers when all are done',
    description: '409 (`avatars_busy`) while a call with another `force` runs.',
    body: record({
      clientId,
      force: flag.default(false).description('`true` also checks rooms that have a picture'),
    }),
    answer: named('AvatarCounts', {
      rooms: count,
      updated: count.description('With `force`, also pictures that were checked and have not changed'),
      skipped: count,
      noPhoto: count,
      failed: count,
    }),
    example: { rooms: 12, updated: 3, skipped: 8, noPhoto: 1, failed: 0 },
    errors: [
      'session_unpaired',
      'session_suspended',
      'session_not_connected',
      'avatars_busy',
      'lookup_failed',
    ],
  }),
};

/** Outcomes by room of a session; the other counts add up to `rooms`. */
export type AvatarCounts = AnswerOf<typeof people.refreshAvatars>;
