import Joi from 'joi';
import { LIMITS } from '../domain/limits.js';
import { disappearingSeconds } from './chats.js';
import { AMPLE, characters } from './fields.js';
import { operation } from './operation.js';
import { PICTURE_TEXT, pictureErrors, pictureInputs } from './pictures.js';
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
  timeOrEmpty,
} from './schema.js';

const groupFields = {
  clientId,
  groupJid: Joi.string()
    .max(LIMITS.addressLength)
    .pattern(/^[0-9]+(-[0-9]+)?@g\.us$/)
    .messages({ 'string.pattern.base': '{#label} must be the jid of a group: <id>@g.us' })
    .meta(AMPLE)
    .description('The group: `<id>@g.us`')
    .example('120363040000000001@g.us'),
};

/** People by LID, `+phone` or jid, each once. */
const participants = Joi.array<string[]>()
  .items(Joi.string().max(LIMITS.addressLength).meta(AMPLE))
  .min(1)
  .max(LIMITS.groupParticipants)
  .unique()
  .description('People by LID, `+phone` or jid, each once, without the linked number')
  .example(['+15550000002', '90000000000003']);

const subject = characters(LIMITS.groupSubjectLength, LIMITS.groupSubjectUnits)
  .pattern(/\S/)
  .messages({ 'string.pattern.base': '{#label} must not be blank' })
  .description(
    'The name. WhatsApp also limits it to 100 UTF-16 code units, so fewer composed emoji fit: 👨‍👩‍👧 has 8',
  )
  .example('Weekend plans');

/** The settings that one call may change. */
const settingFields = {
  subject: optional(subject),
  description: optional(
    characters(LIMITS.groupDescriptionLength, LIMITS.groupDescriptionUnits)
      .allow('')
      .description('The description, also at most 2,048 UTF-16 code units; `""` removes it')
      .example('Who brings what'),
  ),
  announce: optional(flag.description('Only admins may write')),
  locked: optional(flag.description('Only admins may change subject, description and picture')),
  membersAdd: optional(flag.description('Every member may add people, not only admins')),
  joinApproval: optional(flag.description('Admins approve people who join by the invite link')),
  disappearingSeconds: optional(disappearingSeconds).description(
    'Seconds after which messages disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)',
  ),
};

/** An invite by its link or its code. */
const invite = Joi.string()
  .max(256)
  .meta(AMPLE)
  .description('The invite link, or the code at its end')
  .example('https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv');

const listFields = {
  jid: text,
  name: text,
  participants: count.description('Number of members'),
  isAnnounce: flag.description('Only admins may write'),
  isLocked: flag.description('Only admins may change name and picture'),
  ownerJid: text,
};
export const groupMember = named('GroupMember', {
  jid: text.description('Jid by LID if known, otherwise by number'),
  phone: text.description('Number with `+`; empty if the member hides it'),
  isAdmin: flag,
  isSuperAdmin: flag.description('Marks the owner'),
  displayName: text,
});
const detailFields = {
  jid: text,
  name: text,
  topic: text,
  addressingMode: text,
  isAnnounce: listFields.isAnnounce,
  isLocked: listFields.isLocked,
  membersAdd: flag.description('Every member may add people, not only admins'),
  joinApproval: flag.description('Admins approve people who join by the invite link'),
  disappearingSeconds: count.description('Seconds after which messages disappear; 0 if they stay'),
  members: listOf(groupMember),
};
export const memberResult = named('MemberResult', {
  jid: text,
  error: Joi.number().integer().description("0, or the network's code for this person"),
});
export const joinRequest = named('JoinRequest', {
  jid: text.description('Jid by LID if known, otherwise by number'),
  phone: text.description('Number with `+`; empty if unknown'),
  displayName: text,
  requestedAt: timeOrEmpty,
});
export const groupInvite = named('GroupInvite', {
  jid: text,
  name: text,
  topic: text,
  ownerJid: text,
  participants: count.description('Number of members'),
  joinApproval: flag.description('An admin has to approve people who join'),
  createdAt: timeOrEmpty,
});
export const groupListItem = named('GroupListItem', listFields);
export const groupDetail = named('GroupDetail', detailFields);
export const createdGroup = named('CreatedGroup', {
  ...listFields,
  ...detailFields,
  refused: listOf(memberResult).description('People whom the network did not add, with its code'),
});

export type GroupListItem = TypeOf<typeof groupListItem>;
export type GroupDetail = TypeOf<typeof groupDetail>;
export type GroupMember = TypeOf<typeof groupMember>;
export type CreatedGroup = TypeOf<typeof createdGroup>;
export type JoinRequest = TypeOf<typeof joinRequest>;
export type GroupInvite = TypeOf<typeof groupInvite>;
export type MemberResult = TypeOf<typeof memberResult>;

const item: GroupListItem = {
  jid: '120363040000000001@g.us',
  name: 'Weekend plans',
  participants: 1,
  isAnnounce: false,
  isLocked: false,
  ownerJid: '90000000000001@lid',
};
const detail: GroupDetail = {
  jid: '120363040000000001@g.us',
  name: 'Weekend plans',
  topic: '',
  addressingMode: 'lid',
  isAnnounce: false,
  isLocked: false,
  membersAdd: true,
  joinApproval: false,
  disappearingSeconds: 0,
  members: [
    {
      jid: '90000000000001@lid',
      phone: '+15550000001',
      isAdmin: true,
      isSuperAdmin: true,
      displayName: 'Ada Example',
    },
  ],
};

const groupErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'group_unknown',
  'group_forbidden',
  'lookup_failed',
] as const;

const inviteErrors = [
  'session_unpaired',
  'session_suspended',
  'session_not_connected',
  'lookup_failed',
  'invite_unknown',
  'group_forbidden',
  'group_conflict',
] as const;

/** Schemas for the handler, which reads and validates the body itself. */
export const groupPicture = pictureInputs(groupFields);

export const groups = {
  listGroups: operation({
    method: 'POST',
    path: '/get-groups',
    owner: 'session',
    summary: 'List all groups that the number belongs to',
    body: requiredClient,
    answer: record({ groups: listOf(groupListItem) }),
    example: { groups: [item] },
    errors: groupErrors,
  }),
  getGroup: operation({
    method: 'POST',
    path: '/get-group-participants',
    owner: 'session',
    summary: 'Get a group and its members',
    body: record(groupFields),
    answer: record({ group: groupDetail }),
    example: { group: detail },
    errors: groupErrors,
  }),
  createGroup: operation({
    method: 'POST',
    path: '/create-group',
    owner: 'session',
    summary: 'Create a group; the linked number becomes its owner',
    description:
      'If the network does not add some people, the group exists anyway: send them the invite link. 400 if a person is named twice, is not a ' +
      'person, or is not on the network (`recipient_unknown`). No group is created then.',
    body: record({
      clientId,
      subject,
      participants,
    }),
    answer: record({ group: createdGroup }),
    example: { group: { ...item, ...detail, refused: [] } },
    errors: [...groupErrors, 'recipient_unknown'],
  }),
  updateGroupMembers: operation({
    method: 'POST',
    path: '/update-group-members',
    owner: 'session',
    summary: 'Add, remove, promote or demote members; needs admin rights',
    description:
      'The answer has one entry for each person. 400 if a person is named twice, is not a person, or is not on the network ' +
      '(`recipient_unknown`); no member is changed then.',
    body: record({
      ...groupFields,
      action: oneOf('add', 'remove', 'promote', 'demote')
        .description('`promote` makes the people admins, `demote` takes that back')
        .example('add'),
      participants,
    }),
    answer: record({ members: listOf(memberResult) }),
    example: { members: [{ jid: '90000000000003@lid', error: 0 }] },
    errors: [...groupErrors, 'recipient_unknown'],
  }),
  getGroupInviteLink: operation({
    method: 'POST',
    path: '/group-invite-link',
    owner: 'session',
    summary: 'Get the invite link; `reset` revokes the current link and issues a new one',
    description: 'Only admins get the link.',
    body: record({
      ...groupFields,
      reset: flag.default(false).description('`true` makes a new link; the old link stops working'),
    }),
    answer: record({ link: text }),
    example: { link: 'https://chat.whatsapp.com/AbCdEfGhIjKlMnOpQrStUv' },
    errors: groupErrors,
  }),
  updateGroup: operation({
    method: 'POST',
    path: '/update-group',
    owner: 'session',
    summary: 'Change subject, description or settings of a group; absent fields do not change',
    description:
      'Each setting is a separate change at the network, in the order of this list. If one is refused, ' +
      'earlier ones remain changed, and the error begins with the refused setting: 403 (`group_forbidden`) without the right, 400 if the ' +
      'network does not accept the value, 409 (`group_conflict`) if somebody else changed it at the same time. Subject, description and the ' +
      'timer need admin rights in a locked group; the others always do.',
    body: record({ ...groupFields, ...settingFields }).or(...Object.keys(settingFields)),
    answer: record({ ok }),
    example: { ok: true },
    errors: [...groupErrors, 'group_conflict'],
  }),
  setGroupPicture: operation({
    method: 'POST',
    path: '/set-group-picture',
    owner: 'session',
    summary: 'Set or remove the picture of a group',
    description: `${PICTURE_TEXT} 403 (\`group_forbidden\`) if only admins may change the group.`,
    body: groupPicture.body,
    form: groupPicture.form,
    answer: record({ ok }),
    example: { ok: true },
    errors: [...groupErrors, ...pictureErrors],
  }),
  listGroupRequests: operation({
    method: 'POST',
    path: '/group-requests',
    owner: 'session',
    summary: 'List the people who ask to join a group',
    description: 'People ask to join a group with `joinApproval`. Needs admin rights.',
    body: record(groupFields),
    answer: record({ requests: listOf(joinRequest) }),
    example: {
      requests: [
        {
          jid: '90000000000003@lid',
          phone: '+15550000003',
          displayName: 'Carol',
          requestedAt: '2026-11-22T10:00:00.000Z',
        },
      ],
    },
    errors: groupErrors,
  }),
  updateGroupRequests: operation({
    method: 'POST',
    path: '/update-group-requests',
    owner: 'session',
    summary: 'Approve or reject people who ask to join a group; needs admin rights',
    body: record({ ...groupFields, action: oneOf('approve', 'reject').example('approve'), participants }),
    answer: record({ members: listOf(memberResult) }),
    example: { members: [{ jid: '90000000000003@lid', error: 0 }] },
    errors: [...groupErrors, 'recipient_unknown'],
  }),
  joinGroup: operation({
    method: 'POST',
    path: '/join-group',
    owner: 'session',
    summary: 'Join a group by its invite, or ask to join if an admin has to approve',
    body: record({ clientId, invite }),
    answer: record({
      groupJid: text,
      joined: flag.description('False if an admin has to approve first; the request is sent then'),
    }),
    example: { groupJid: '120363040000000001@g.us', joined: true },
    errors: inviteErrors,
  }),
  getGroupInvite: operation({
    method: 'POST',
    path: '/group-invite-info',
    owner: 'session',
    summary: 'Get the group of an invite, without joining it',
    body: record({ clientId, invite }),
    answer: record({ group: groupInvite }),
    example: {
      group: {
        jid: '120363040000000001@g.us',
        name: 'Weekend plans',
        topic: '',
        ownerJid: '90000000000001@lid',
        participants: 12,
        joinApproval: false,
        createdAt: '2026-11-01T10:00:00.000Z',
      },
    },
    errors: inviteErrors,
  }),
  leaveGroup: operation({
    method: 'POST',
    path: '/leave-group',
    owner: 'session',
    summary: 'Leave a group',
    body: record(groupFields),
    answer: record({ ok }),
    example: { ok: true },
    errors: groupErrors,
  }),
};
