import type Joi from 'joi';
import { GROUP_CHANGES } from '../domain/group-change.js';
import { PRESENCE_STATES } from '../domain/presence.js';
import { UNREADABLE_REASONS } from '../domain/unreadable.js';
import { channelPostContent } from './channel-posts.js';
import { eventMedia, eventMeta } from './event-parts.js';
import {
  CALL_STATUSES,
  CHANNEL_POST_ACTIONS,
  type ExtraEventType,
  STATUS_POST_KINDS,
} from './events/catalogue.js';
import { restrictionFields } from './restrictions.js';
import { clientId, count, flag, listOf, named, oneOf, optional, reasonFields, text, time } from './schema.js';
import { sessionStatus } from './sessions.js';

/** The group of an event, and who wrote. */
export const eventGroup = named('EventGroup', {
  jid: text,
  subject: text,
  participant: text.description('User-part of the author'),
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
  from: text.description('User-part of the person: the LID if known, otherwise the number'),
  fromPhone: text.description('Number with `+`; empty if unknown'),
  fromName: text,
};
const groupPerson = named('GroupUpdatePerson', {
  user: text.description('User-part: the LID if known, otherwise the number'),
  phone: text.description('Number with `+`; empty if unknown'),
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
    by: text.description(
      'User-part of the person who received or read the message; empty for `sent` and `failed`',
    ),
    code: text.description(
      "The network's error code of a failed message, or the API's code for a held message that was given up; otherwise empty",
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
    lastSeen: text.description(
      'When a person that is `unavailable` was last seen, RFC 3339; empty if unknown',
    ),
  }),
  group_update: named('GroupUpdateEvent', {
    event: oneOf('group.update'),
    type: oneOf('group_update'),
    ...conversation,
    changeId: text.description('Id of the change, which is the same if the network reports the change again'),
    change: oneOf(...GROUP_CHANGES),
    fromMe: flag.description('The linked number made the change'),
    by: groupPerson.description('The person who made the change; fields are empty if unknown'),
    members: listOf(groupPerson).description('The members concerned'),
    value: text.description(
      'The new subject, description or invite code, or the id of the new picture; otherwise empty',
    ),
    settings: optional(
      named('GroupSettingsChange', {
        announce: optional(flag).description('Only admins may write'),
        locked: optional(flag).description(
          "Only admins may change the group's subject, description and picture",
        ),
        membersAdd: optional(flag).description('Members may add people'),
        joinApproval: optional(flag).description('Admins approve people who join'),
        disappearingSeconds: optional(count).description(
          'Seconds after which messages disappear; 0 if they stay',
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
  identity_change: named('IdentityChangeEvent', {
    event: oneOf('identity.change'),
    type: oneOf('identity_change'),
    ...conversation,
    ...personFields,
  }),
  channel_post: named('ChannelPostEvent', {
    event: oneOf('channel.post'),
    type: oneOf('channel_post'),
    ...statusFields,
    channelJid: text.description('The channel: `<id>@newsletter`'),
    messageId: text,
    serverId: count.description("The network's number of the post; 0 if unknown"),
    action: oneOf(...CHANNEL_POST_ACTIONS),
    fromMe: flag.description('The linked number wrote it'),
    ...channelPostContent,
  }),
  status_post: named('StatusPostEvent', {
    event: oneOf('status.post'),
    type: oneOf('status_post'),
    ...statusFields,
    messageId: text,
    from: text.description('User-part of the author: the LID if known, otherwise the number'),
    fromPhone: text.description('Number with `+`; empty if unknown'),
    fromName: text,
    fromMe: flag.description(
      'The linked number posted it: through the API, on the phone or on another device',
    ),
    kind: oneOf(...STATUS_POST_KINDS).description('`revoke`: its author deleted the status `targetId`'),
    body: text.description('Text or caption'),
    expiresAt: time.description('When phones stop showing it'),
    media: optional(eventMedia),
    targetId: optional(text).description('For `revoke`: the status that was deleted'),
    meta: optional(eventMeta),
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
