import { count, flag, listOf, named, oneOf, optional, record, type TypeOf, text } from '../schema.js';
import {
  groupJid,
  MAX_EPHEMERAL_S,
  MAX_PICTURE_BODY_BYTES,
  number,
  numberParams,
  picture,
  seconds,
  shortText,
  whole,
} from './fields.js';
import { controlOperation } from './operation.js';

const MAX_PEOPLE = 1_024;
const MAX_SUBJECT = 100;
const MAX_DESCRIPTION = 2_048;
const MAX_CODE = 100;

const settings = {
  announce: flag.description('Only admins may write'),
  locked: flag.description('Only admins may change subject and description'),
  membersAdd: flag.description('Everybody may add people, not only admins'),
  joinApproval: flag.description('An admin must approve those who join by the invite'),
};
const EPHEMERAL_TEXT = 'Seconds after which messages disappear; 0 when they do not';

const groupRole = oneOf('superadmin', 'admin', 'member').meta({ name: 'GroupRole' });
export type GroupRole = TypeOf<typeof groupRole>;
const groupAction = oneOf('add', 'remove', 'promote', 'demote').meta({ name: 'GroupAction' });
export type GroupAction = TypeOf<typeof groupAction>;

const groupFields = {
  jid: groupJid,
  owner: text.description('Number of the creator'),
  createdAt: seconds,
  isCommunity: flag.description('True for a community: it holds groups, and nobody writes to it'),
  communityJid: text.description('The jid of the community that it is linked to; else empty'),
  inviteCode: text,
  requests: listOf(record({ number, at: seconds })).description('People who ask to join, oldest first'),
  pictureId: text.description('Version of the picture; empty when there is none'),
  participants: listOf(record({ number, lid: text, role: groupRole })),
  subject: text,
  description: text,
  ...settings,
  ephemeral: count.description(EPHEMERAL_TEXT),
};
/** A group. */
export const groupView = named('GroupView', groupFields);
export type GroupView = TypeOf<typeof groupView>;

/** The outcome of an action for one person. */
const groupResult = named('GroupResult', {
  number: text,
  status: count.description("200, or the network's refusal code"),
});

const subject = shortText(MAX_SUBJECT).example('Weekend plans');
/** A change of a group. */
const groupUpdate = named('GroupUpdate', {
  subject: optional(subject),
  description: optional(shortText(MAX_DESCRIPTION).allow('')),
  picture: optional(picture),
  announce: optional(settings.announce),
  locked: optional(settings.locked),
  membersAdd: optional(settings.membersAdd),
  joinApproval: optional(settings.joinApproval),
  ephemeral: optional(whole(0, MAX_EPHEMERAL_S).description(EPHEMERAL_TEXT)),
}).min(1);
type GroupUpdate = TypeOf<typeof groupUpdate>;
export type GroupSettings = Omit<GroupUpdate, 'subject' | 'description' | 'picture'>;

const someone = listOf(number).max(MAX_PEOPLE).example(['+15550000002']);
const code = shortText(MAX_CODE).example('AbCdEfGhIjKlMnOp');

const GROUP: GroupView = {
  jid: '120363000000000001@g.us',
  subject: 'Weekend plans',
  description: '',
  owner: '+15550000001',
  createdAt: 1_795_255_200,
  isCommunity: false,
  communityJid: '',
  inviteCode: 'AbCdEfGhIjKlMnOp',
  requests: [],
  pictureId: '',
  participants: [{ number: '+15550000001', lid: '483021177260442@lid', role: 'superadmin' }],
  announce: false,
  locked: false,
  membersAdd: true,
  joinApproval: false,
  ephemeral: 0,
};
const RESULTS = { results: [{ number: '+15550000002', status: 200 }] };
const CODE = { code: 'AbCdEfGhIjKlMnOp' };

const memberParams = { params: record({ number, jid: groupJid }) };
const results = { answer: record({ results: listOf(groupResult) }), example: RESULTS };
const invite = { answer: record({ code: text }), example: CODE };

/** The groups, as people use them on their phones. */
export const groups = {
  create: controlOperation({
    method: 'POST',
    path: '/phones/{number}/groups',
    summary: 'Create a group; `results` has the status of each participant',
    params: numberParams,
    body: record({ subject, participants: someone.default([]) }),
    status: 201,
    answer: record({ ...groupFields, results: listOf(groupResult) }),
    example: { ...GROUP, ...RESULTS },
    errors: ['group_invalid'],
  }),
  get: controlOperation({
    method: 'GET',
    path: '/groups/{jid}',
    summary: 'Show a group',
    params: record({ jid: groupJid }),
    answer: groupView,
    example: GROUP,
  }),
  of: controlOperation({
    method: 'GET',
    path: '/phones/{number}/groups',
    summary: 'List the groups of a person',
    params: numberParams,
    answer: record({ groups: listOf(groupView) }),
    example: { groups: [GROUP] },
    client: { gives: 'groups' },
  }),
  update: controlOperation({
    method: 'PATCH',
    path: '/phones/{number}/groups/{jid}',
    summary: 'Change a group',
    ...memberParams,
    body: groupUpdate,
    maxBytes: MAX_PICTURE_BODY_BYTES,
    answer: groupView,
    example: GROUP,
    errors: ['group_forbidden', 'group_invalid', 'group_conflict', 'picture_invalid', 'not_played'],
  }),
  participants: controlOperation({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/participants',
    summary: 'Add, remove, promote or demote members',
    ...memberParams,
    body: record({ action: groupAction.example('promote'), participants: someone.min(1) }),
    ...results,
    errors: ['group_forbidden', 'not_played'],
    client: { takes: ['action', 'participants'], gives: 'results' },
  }),
  answerRequests: controlOperation({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/requests',
    summary: 'Approve or reject people who ask to join',
    ...memberParams,
    body: record({ action: oneOf('approve', 'reject').example('approve'), participants: someone.min(1) }),
    ...results,
    errors: ['group_forbidden'],
    client: { takes: ['action', 'participants'], gives: 'results' },
  }),
  leave: controlOperation({
    method: 'POST',
    path: '/phones/{number}/groups/{jid}/leave',
    summary: 'Leave a group',
    ...memberParams,
    errors: ['group_forbidden'],
  }),
  inviteCode: controlOperation({
    method: 'GET',
    path: '/phones/{number}/groups/{jid}/invite',
    summary: 'Show the invite code of a group',
    ...memberParams,
    ...invite,
    errors: ['group_forbidden'],
    client: { gives: 'code' },
  }),
  renewInvite: controlOperation({
    method: 'DELETE',
    path: '/phones/{number}/groups/{jid}/invite',
    summary: 'Replace the invite code of a group; the old code stops working',
    ...memberParams,
    ...invite,
    errors: ['group_forbidden'],
    client: { gives: 'code' },
  }),
  join: controlOperation({
    method: 'POST',
    path: '/phones/{number}/groups/join',
    summary: 'Join by an invite, or ask to join where an admin must approve',
    params: numberParams,
    body: record({ code }),
    answer: groupView,
    example: GROUP,
    errors: ['group_invalid', 'group_forbidden', 'group_conflict', 'group_unknown'],
    client: { takes: ['code'] },
  }),
};
