import type Joi from 'joi';
import { GROUP_CHANGES } from '../domain/group-change.js';
import { PRESENCE_STATES } from '../domain/presence.js';
import { UNREADABLE_REASONS } from '../domain/unreadable.js';
import { CALL_STATUSES, type ExtraEventType } from '../events/catalogue.js';
import { clientId, count, flag, listOf, named, oneOf, optional, reasonFields, text, time } from './schema.js';
import { restrictionFields, sessionStatus } from './sessions.js';

/** The group of an event, and who wrote. */
export const eventGroup = named('EventGroup', {
  jid: text,
  subject: text,
  participant: text.description('User-part of who wrote'),
  participantPhone: optional(text),
  participantUsername: optional(text),
});

const statusFields = { clientId, orgId: text, timestamp: time };
const conversation = {
  ...statusFields,
  chatRoomId: text,
  myLid: text,
  clientLid: text.description("LID of the other person; in a group the group's id"),
  remoteJid: text,
  isGroup: flag,
};
const personFields = {
  from: text.description('User-part of the person: the LID where known, else the number'),
  fromPhone: text.description('Number with `+`; empty where not known'),
  fromName: text,
};
const groupPerson = named('GroupUpdatePerson', {
  user: text.description('User-part: the LID where known, else the number'),
  phone: text.description('Number with `+`; empty where not known'),
  name: text,
});

/** The schema of each opt-in event. */
export const OPT_IN: Readonly<Record<ExtraEventType, Joi.ObjectSchema>> = {
  message_status: named('MessageStatusEvent', {
    event: oneOf('message.status'),
    type: oneOf('message_status'),
    ...statusFields,
    messageId: text,
    status: oneOf('sent', 'delivered', 'read', 'played', 'failed'),
    by: text.description('User-part of who received or read it; empty when it is the network itself'),
    code: text.description(
      "The network's error code of a failed message, or that of the API for a held message that was given up; else empty",
    ),
  }),
  session_status: named('SessionStatusEvent', {
    event: oneOf('session.status'),
    type: oneOf('session_status'),
    ...statusFields,
    status: sessionStatus,
    previousStatus: sessionStatus,
    ...reasonFields,
  }),
  call: named('CallEvent', {
    event: oneOf('call'),
    type: oneOf('call'),
    ...conversation,
    callId: text,
    status: oneOf(...CALL_STATUSES),
    ...personFields,
    isVideo: flag,
    rejected: flag.description('The gateway rejected the call because of `rejectCalls`'),
    offline: flag.description('The call rang while the session was not connected'),
  }),
  presence: named('PresenceEvent', {
    event: oneOf('presence'),
    type: oneOf('presence'),
    ...conversation,
    state: oneOf(...PRESENCE_STATES),
    ...personFields,
    lastSeen: text.description('RFC 3339, of a person that is `unavailable`; empty where not known'),
  }),
  group_update: named('GroupUpdateEvent', {
    event: oneOf('group.update'),
    type: oneOf('group_update'),
    ...conversation,
    changeId: text.description('The same when the network reports the change again'),
    change: oneOf(...GROUP_CHANGES),
    fromMe: flag.description('The linked number made the change'),
    by: groupPerson.description('The person who made the change; empty fields where not known'),
    members: listOf(groupPerson).description('The members that the change is about'),
    value: text.description(
      'The new subject, description or invite code, or the id of the new picture; else empty',
    ),
    settings: optional(
      named('GroupSettingsChange', {
        announce: optional(flag).description('Only admins write'),
        locked: optional(flag).description("Only admins change the group's subject, description and picture"),
        membersAdd: optional(flag).description('Members may add people'),
        joinApproval: optional(flag).description('Admins approve who joins'),
        disappearingSeconds: optional(count).description(
          'Seconds after which messages disappear; 0: they stay',
        ),
      }),
    ).description('The settings that changed'),
  }),
  account_status: named('AccountStatusEvent', {
    event: oneOf('account.status'),
    type: oneOf('account_status'),
    ...statusFields,
    ...restrictionFields,
  }),
  message_unreadable: named('MessageUnreadableEvent', {
    event: oneOf('message.unreadable'),
    type: oneOf('message_unreadable'),
    ...conversation,
    remoteName: text,
    remotePhone: text,
    remoteUsername: text,
    pushName: text,
    avatarUrl: text,
    fromMe: flag,
    messageId: text,
    reason: oneOf(...UNREADABLE_REASONS),
    group: optional(eventGroup).description('The group and the author, for group messages'),
  }),
};
