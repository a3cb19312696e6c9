// Printed from src/contract by `npm run openapi`: change that, not this file.

/** What a program that asks people for a request has to know of one of its fields. */
export interface RequestField {
  /** `list`: of texts; `object`: with any fields; `other`: anything else, such as a fraction or a list of objects. */
  type: 'text' | 'integer' | 'flag' | 'list' | 'object' | 'other';
  required?: true;
  description?: string;
  /** The value that an absent field has. */
  default?: string | number | boolean;
  options?: readonly string[];
  min?: number;
  max?: number;
}

/** By operation and field. */
export const REQUESTS = {
  start: {
    clientId: { type: 'text', required: true },
    webhookUrl: { type: 'text', description: 'URL of the webhook; `""` stops delivery' },
    webhookToken: { type: 'text', description: 'Bearer token and signing key of calls to the webhook' },
    pollLookupUrl: { type: 'text', description: 'URL that returns the options of polls that are not stored' },
    extraEvents: { type: 'list', description: 'Opt-in event types' },
    rejectCalls: { type: 'flag', description: 'Decline every incoming call' },
    proxy: {
      type: 'other',
      description:
        'URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token',
    },
  },
  getQr: {
    clientId: { type: 'text', required: true },
    format: { type: 'text', default: 'png', options: ['png', 'text'] },
  },
  pairPhone: { clientId: { type: 'text', required: true }, phone: { type: 'text', required: true } },
  checkState: { clientId: { type: 'text', required: true } },
  listClients: { clientId: { type: 'text' } },
  setWebhook: {
    clientId: { type: 'text', required: true },
    webhookUrl: { type: 'text', required: true, description: 'URL of the webhook; `""` stops delivery' },
    webhookToken: { type: 'text', description: 'Bearer token and signing key of calls to the webhook' },
    pollLookupUrl: { type: 'text', description: 'URL that returns the options of polls that are not stored' },
    extraEvents: { type: 'list', description: 'Opt-in event types' },
    retry: {
      type: 'text',
      description:
        '`contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat',
      options: ['contract', 'durable'],
    },
    previousTokenFor: {
      type: 'integer',
      description:
        'Seconds for which calls are also signed with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too',
      min: 0,
      max: 604800,
    },
  },
  pauseWebhook: { clientId: { type: 'text', required: true }, paused: { type: 'flag', required: true } },
  setOrgId: { clientId: { type: 'text', required: true }, orgId: { type: 'text', required: true } },
  setApiSecret: { clientId: { type: 'text', required: true }, secret: { type: 'text', required: true } },
  setEnableGroupAi: { clientId: { type: 'text', required: true }, enabled: { type: 'flag', required: true } },
  setProxy: {
    clientId: { type: 'text', required: true },
    proxy: {
      type: 'other',
      required: true,
      description:
        'URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token',
    },
  },
  setRetention: {
    clientId: { type: 'text', required: true },
    days: {
      type: 'other',
      description:
        'Days after which messages and their files are deleted; 0 keeps them for ever, `null` uses the setting `--retention-days`',
      min: 0,
      max: 36500,
    },
    keepEvents: {
      type: 'integer',
      description: 'Days for which events are kept for `/replay`; 0 for none',
      min: 0,
      max: 30,
    },
  },
  setRejectCalls: { clientId: { type: 'text', required: true }, enabled: { type: 'flag', required: true } },
  reconnect: { clientId: { type: 'text', required: true } },
  restrictions: { clientId: { type: 'text', required: true } },
  disconnect: { clientId: { type: 'text', required: true } },
  getPasskey: { clientId: { type: 'text', required: true } },
  answerPasskey: { clientId: { type: 'text', required: true }, assertion: { type: 'other', required: true } },
  confirmPasskey: { clientId: { type: 'text', required: true } },
  createPairLink: { clientId: { type: 'text', required: true } },
  getPairState: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  startPair: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  requestPairCode: {
    clientId: { type: 'text' },
    token: { type: 'text', required: true },
    phone: { type: 'text', required: true },
  },
  answerPairPasskey: {
    clientId: { type: 'text' },
    token: { type: 'text', required: true },
    assertion: { type: 'other', required: true },
  },
  confirmPairPasskey: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  adopt: {
    clientId: { type: 'text', required: true },
    begin: { type: 'flag', description: 'Discard the parts of an unfinished adoption' },
    keys: { type: 'other' },
    credentials: {
      type: 'object',
      description: 'The credentials of the link as the library writes them in JSON (`creds.json`)',
    },
    received: { type: 'other' },
    webhookUrl: { type: 'text', description: 'URL of the webhook; `""` stops delivery' },
    webhookToken: { type: 'text', description: 'Bearer token and signing key of calls to the webhook' },
    pollLookupUrl: { type: 'text', description: 'URL that returns the options of polls that are not stored' },
    extraEvents: { type: 'list', description: 'Opt-in event types' },
    proxy: {
      type: 'other',
      description:
        'URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token',
    },
    linkedAt: {
      type: 'text',
      description: 'When the number was linked, from which policy rules by age count; default: now',
    },
    webhookPaused: { type: 'text', description: 'Why the webhook is paused; empty if it is not' },
    previousToken: {
      type: 'object',
      description: 'The previous token, which also signs calls until then, as with `previousTokenFor`',
    },
    receivers: { type: 'other', description: 'The receivers beside the webhook, with their secrets' },
  },
  giveBack: {
    clientId: { type: 'text', required: true },
    jid: {
      type: 'text',
      required: true,
      description:
        'The own jid of the session, with or without its device, to prevent giving back another session by mistake',
    },
  },
  exportSession: { clientId: { type: 'text', required: true } },
  getUnfinished: { clientId: { type: 'text', required: true } },
  exportKeys: {
    clientId: { type: 'text', required: true },
    after: { type: 'object', description: '`next` of the previous page' },
  },
  sendMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    body: { type: 'text', required: true },
    linkPreview: {
      type: 'flag',
      description: 'Show a preview of the first https link; default: the setting --link-previews',
    },
  },
  sendPollMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    pollName: { type: 'text', required: true },
    pollOptions: { type: 'list', required: true },
    selectableCount: { type: 'integer', default: 1, min: 1 },
  },
  sendListMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    title: { type: 'text' },
    bodyText: { type: 'text', required: true },
    footerText: { type: 'text' },
    buttonText: { type: 'text', required: true },
    sections: { type: 'other', required: true },
  },
  sendInteractiveMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    bodyText: { type: 'text', required: true },
    footerText: { type: 'text' },
    buttons: { type: 'other', required: true },
  },
  sendContact: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    displayName: { type: 'text', required: true },
    phone: { type: 'text' },
    vcard: { type: 'text' },
  },
  sendLocation: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    latitude: { type: 'other', required: true, min: -90, max: 90 },
    longitude: { type: 'other', required: true, min: -180, max: 180 },
    name: { type: 'text' },
    address: { type: 'text' },
  },
  sendReaction: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
    emoji: { type: 'text', required: true },
    targetFromMe: { type: 'flag', default: false },
  },
  editMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
    body: { type: 'text', required: true },
  },
  pinMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
    pinned: { type: 'flag', default: true },
    duration: {
      type: 'other',
      description: 'Seconds until the pin ends by itself: a day, a week or 30 days',
      default: 604800,
    },
  },
  sendMediaMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: { type: 'text' },
    mentions: { type: 'list' },
    metaData: { type: 'object' },
    whenAllowed: {
      type: 'flag',
      description:
        'Keep the message if the policy refuses it for a time, and send it when the policy allows it',
    },
    downloadUrl: { type: 'text', required: true, description: 'A public https address' },
    mimeType: { type: 'text', description: 'MIME type, if detection is wrong', default: '' },
    caption: { type: 'text', default: '' },
    fileName: { type: 'text', default: '' },
    sendAudioAsVoice: { type: 'flag', description: 'Send audio as a voice note; OGG/Opus', default: false },
    asSticker: {
      type: 'flag',
      description: 'Send a picture as a sticker; other formats than WebP are converted',
      default: false,
    },
  },
  forwardMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    from: { type: 'text', required: true, description: 'The chat of the message, in any form of `to`' },
    messageId: { type: 'text', required: true },
    metaData: { type: 'object' },
  },
  starMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
    starred: { type: 'flag', default: true },
  },
  sendTyping: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    composing: { type: 'flag', default: true },
  },
  subscribePresence: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    seconds: { type: 'integer', default: 600, min: 1, max: 3600 },
  },
  deleteMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
    fromMe: { type: 'flag', required: true },
    mode: { type: 'text', required: true, options: ['everyone', 'me'] },
    chatRoomId: {
      type: 'text',
      description: 'The room in the hosted inbox; required for `me`, if the session has a hosted inbox',
    },
  },
  markRead: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageIds: { type: 'list', required: true },
  },
  archiveChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    archived: { type: 'flag', default: true },
  },
  muteChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    muted: { type: 'flag', default: true },
    until: { type: 'text', description: 'When the mute ends, RFC 3339; absent for a mute without an end' },
  },
  pinChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    pinned: { type: 'flag', default: true },
  },
  setDisappearingMessages: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    seconds: {
      type: 'other',
      required: true,
      description: '0 (off), 86400 (a day), 604800 (a week) or 7776000 (90 days)',
    },
  },
  markUnread: { clientId: { type: 'text', required: true }, to: { type: 'text', required: true } },
  getUserInfo: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true },
    withContact: {
      type: 'flag',
      description: 'Add number and name to the answer, as far as they are known',
      default: false,
    },
  },
  checkOwnerLid: {
    clientId: { type: 'text', required: true },
    number: { type: 'text', description: 'In any usual notation, with or without +', default: '' },
  },
  getProfilePicture: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true },
    preview: {
      type: 'flag',
      description: 'True for the thumbnail of 96 pixels, false for full size',
      default: true,
    },
    refresh: {
      type: 'flag',
      description: 'Ask the network even if it was asked within 24 hours',
      default: false,
    },
  },
  listBlocked: { clientId: { type: 'text', required: true } },
  blockPerson: { clientId: { type: 'text', required: true }, jid: { type: 'text', required: true } },
  unblockPerson: { clientId: { type: 'text', required: true }, jid: { type: 'text', required: true } },
  refreshAvatars: {
    clientId: { type: 'text', required: true },
    force: { type: 'flag', description: 'Also check rooms that have a picture', default: false },
  },
  getProfile: { clientId: { type: 'text', required: true } },
  setProfile: {
    clientId: { type: 'text', required: true },
    name: { type: 'text' },
    about: { type: 'text', description: 'The text below the name' },
    disappearingSeconds: {
      type: 'other',
      description: 'Seconds after which messages of new chats disappear: 0 (off), 86400, 604800 or 7776000',
    },
  },
  setProfilePicture: {
    clientId: { type: 'text', required: true },
    downloadUrl: {
      type: 'text',
      required: true,
      description: 'A public https address of a picture; `""` removes the picture',
    },
  },
  listGroups: { clientId: { type: 'text', required: true } },
  getGroup: { clientId: { type: 'text', required: true }, groupJid: { type: 'text', required: true } },
  createGroup: {
    clientId: { type: 'text', required: true },
    subject: { type: 'text', required: true },
    participants: { type: 'list', required: true },
  },
  updateGroupMembers: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
    action: { type: 'text', required: true, options: ['add', 'remove', 'promote', 'demote'] },
    participants: { type: 'list', required: true },
  },
  getGroupInviteLink: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
    reset: { type: 'flag', default: false },
  },
  updateGroup: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
    subject: { type: 'text' },
    description: { type: 'text', description: 'The description; an empty text removes it' },
    announce: { type: 'flag', description: 'Only admins may write' },
    locked: { type: 'flag', description: 'Only admins may change subject, description and picture' },
    membersAdd: { type: 'flag', description: 'Every member may add people, not only admins' },
    joinApproval: { type: 'flag', description: 'Admins approve people who join by the invite link' },
    disappearingSeconds: {
      type: 'other',
      description: '0 (off), 86400 (a day), 604800 (a week) or 7776000 (90 days)',
    },
  },
  setGroupPicture: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
    downloadUrl: {
      type: 'text',
      required: true,
      description: 'A public https address of a picture; `""` removes the picture',
    },
  },
  listGroupRequests: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
  },
  updateGroupRequests: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true },
    action: { type: 'text', required: true, options: ['approve', 'reject'] },
    participants: { type: 'list', required: true },
  },
  joinGroup: {
    clientId: { type: 'text', required: true },
    invite: { type: 'text', required: true, description: 'The link, or the code at its end' },
  },
  getGroupInvite: {
    clientId: { type: 'text', required: true },
    invite: { type: 'text', required: true, description: 'The link, or the code at its end' },
  },
  leaveGroup: { clientId: { type: 'text', required: true }, groupJid: { type: 'text', required: true } },
  listChatRooms: { clientId: { type: 'text', required: true } },
  listMessages: {
    clientId: { type: 'text' },
    limit: { type: 'integer', default: 200, min: 1, max: 200 },
    before: { type: 'text', description: 'A message id' },
    status: { type: 'flag', description: 'Include the status of own messages', default: false },
    chatRoomId: { type: 'text', required: true },
  },
  getMessageMediaUrl: {
    clientId: { type: 'text' },
    chatRoomId: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
  },
  resetUnread: { chatRoomId: { type: 'text', required: true }, clientId: { type: 'text' } },
  listMediaFiles: {
    clientId: { type: 'text', required: true },
    orgId: { type: 'text', required: true },
    page: { type: 'integer', default: 1, min: 1, max: 1000000 },
    limit: { type: 'integer', default: 50, min: 1, max: 200 },
  },
  getMediaFileUrl: { clientId: { type: 'text' }, messageId: { type: 'text', required: true } },
  getMedia: { id: { type: 'text', required: true }, fileName: { type: 'text', required: true } },
  listReceivers: { clientId: { type: 'text', required: true } },
  addReceiver: {
    clientId: { type: 'text', required: true },
    url: { type: 'text', required: true, description: 'URL of the receiver: http(s), or that of a broker' },
    name: { type: 'text', description: 'For people' },
    token: { type: 'text', description: 'Bearer token and signing key of the calls; `""` for none' },
    retry: {
      type: 'text',
      description: 'Retries; a broker always has `durable`',
      options: ['contract', 'durable'],
    },
    filter: { type: 'other', description: 'An event must pass every given part; `{}` accepts all events' },
    headers: {
      type: 'object',
      description:
        'Headers of every call, by name; at most 16, 4096 characters together. Headers of the gateway, the body and the connection are not allowed',
    },
    schedule: { type: 'other' },
  },
  updateReceiver: {
    clientId: { type: 'text', required: true },
    id: { type: 'text', required: true },
    url: { type: 'text', description: 'URL of the receiver: http(s), or that of a broker' },
    name: { type: 'text', description: 'For people' },
    token: { type: 'text', description: 'Bearer token and signing key of the calls; `""` for none' },
    retry: {
      type: 'text',
      description: 'Retries; a broker always has `durable`',
      options: ['contract', 'durable'],
    },
    filter: { type: 'other', description: 'An event must pass every given part; `{}` accepts all events' },
    headers: {
      type: 'object',
      description:
        'Headers of every call, by name; at most 16, 4096 characters together. Headers of the gateway, the body and the connection are not allowed',
    },
    schedule: { type: 'other' },
    previousTokenFor: {
      type: 'integer',
      description:
        'Seconds for which calls are also signed with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too',
      min: 0,
      max: 604800,
    },
    paused: { type: 'flag', description: 'True pauses the receiver until somebody resumes it' },
  },
  removeReceiver: { clientId: { type: 'text', required: true }, id: { type: 'text', required: true } },
  sendTestEvent: {
    clientId: { type: 'text', required: true },
    type: {
      type: 'text',
      required: true,
      options: [
        'text',
        'image',
        'video',
        'audio',
        'document',
        'sticker',
        'poll_creation',
        'vote_update',
        'interactive_reply',
        'contact',
        'location',
        'reaction',
        'edit',
        'revoke',
        'message_status',
        'session_status',
        'call',
        'presence',
        'group_update',
        'message_unreadable',
        'account_status',
      ],
    },
    fields: { type: 'object', description: 'Fields of the event with values other than the defaults' },
    receiver: { type: 'text', description: 'Id of the receiver; default: the webhook' },
  },
  listenWebhook: {
    clientId: { type: 'text', required: true },
    webhookUrl: { type: 'text', required: true },
    webhookToken: { type: 'text', required: true },
    extraEvents: { type: 'list' },
    seconds: { type: 'integer', default: 30, min: 5, max: 300 },
    takeOver: { type: 'flag', description: 'Replace another listener of the session', default: false },
  },
  unlistenWebhook: { clientId: { type: 'text', required: true }, webhookToken: { type: 'text' } },
  listFailedDeliveries: {
    clientId: { type: 'text' },
    receiver: {
      type: 'text',
      description: 'With `clientId`: only deliveries to this receiver; `1` is the webhook',
    },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    before: { type: 'text' },
  },
  getFailedDelivery: { clientId: { type: 'text' }, id: { type: 'text', required: true } },
  resendFailedDelivery: { clientId: { type: 'text' }, id: { type: 'text', required: true } },
  listKeptEvents: {
    clientId: { type: 'text', required: true },
    from: { type: 'text', description: 'Only events that were announced at this time or later' },
    to: { type: 'text', description: 'Only events that were announced at this time or earlier' },
    type: {
      type: 'text',
      options: [
        'text',
        'image',
        'video',
        'audio',
        'document',
        'sticker',
        'poll_creation',
        'vote_update',
        'interactive_reply',
        'contact',
        'location',
        'reaction',
        'edit',
        'revoke',
        'message_status',
        'session_status',
        'call',
        'presence',
        'group_update',
        'message_unreadable',
        'account_status',
      ],
    },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    before: { type: 'text' },
  },
  replay: {
    clientId: { type: 'text', required: true },
    receiver: { type: 'text', description: '`1` is the webhook', default: '1' },
    from: { type: 'text', description: 'Only events that were announced at this time or later' },
    to: { type: 'text', description: 'Only events that were announced at this time or earlier' },
    ids: { type: 'list', description: 'Only these events' },
    types: { type: 'list', description: 'Only events of these types' },
    ignoreFilter: {
      type: 'flag',
      description: 'Include events that do not pass the filter of the receiver',
      default: false,
    },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    after: { type: 'text', description: '`next` of the previous request, with the same other fields' },
  },
  messageTrace: { clientId: { type: 'text', required: true }, messageId: { type: 'text', required: true } },
  listOutbox: {
    clientId: { type: 'text', required: true },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    after: { type: 'text', description: 'Continue after this message: `next` of the previous page' },
  },
  cancelHeldMessage: {
    clientId: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
  },
  getPolicy: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', description: 'Recipient, as in `/send-message`' },
  },
  getPastSends: {
    clientId: { type: 'text', required: true },
    days: { type: 'integer', default: 14, min: 1, max: 14 },
    limit: { type: 'integer', default: 1000, min: 1, max: 1000 },
    after: { type: 'text', description: 'Continue after this time: `next` of the previous page' },
  },
  getFleet: { clientId: { type: 'text' } },
  listNodes: { clientId: { type: 'text' }, leases: { type: 'flag', default: false } },
  drainNode: {
    clientId: { type: 'text' },
    node: { type: 'text', required: true, description: 'Name or nodeId of the node' },
    draining: { type: 'flag', description: 'False ends the drain', default: true },
  },
  getBackup: { clientId: { type: 'text' } },
  getConfig: { clientId: { type: 'text' } },
  getMetrics: { clientId: { type: 'text' } },
  getOpenApi: { clientId: { type: 'text' } },
} as const satisfies Record<string, Record<string, RequestField>>;
