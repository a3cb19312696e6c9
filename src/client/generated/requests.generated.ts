// Printed from src/contract by `npm run openapi`: change that, not this file.

/** A field of a request, as a command line offers it. */
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
    extraEvents: {
      type: 'list',
      description: 'Types of opt-in events; replaces the whole list, `[]` turns all of them off',
    },
    rejectCalls: {
      type: 'flag',
      description: 'Decline every incoming call; the event `call` tells of each call',
    },
    proxy: {
      type: 'other',
      description:
        'URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token',
    },
  },
  getQr: {
    clientId: { type: 'text', required: true },
    format: {
      type: 'text',
      description: '`png` for a data URL, `text` for the text inside the QR',
      default: 'png',
      options: ['png', 'text'],
    },
  },
  pairPhone: {
    clientId: { type: 'text', required: true },
    phone: { type: 'text', required: true, description: 'Digits with the country code, `+` optional' },
  },
  checkState: { clientId: { type: 'text', required: true } },
  listClients: { clientId: { type: 'text', description: 'Only this session' } },
  setWebhook: {
    clientId: { type: 'text', required: true },
    webhookUrl: { type: 'text', required: true, description: 'URL of the webhook; `""` stops delivery' },
    webhookToken: { type: 'text', description: 'Bearer token and signing key of calls to the webhook' },
    pollLookupUrl: { type: 'text', description: 'URL that returns the options of polls that are not stored' },
    extraEvents: {
      type: 'list',
      description: 'Types of opt-in events; replaces the whole list, `[]` turns all of them off',
    },
    retry: {
      type: 'text',
      description:
        '`contract`: four attempts within seconds. `durable`: events are stored first and tried for up to 72 hours, in order for each chat',
      options: ['contract', 'durable'],
    },
    previousTokenFor: {
      type: 'integer',
      description:
        'Seconds for which calls carry a second signature, with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too',
      min: 0,
      max: 604800,
    },
  },
  pauseWebhook: { clientId: { type: 'text', required: true }, paused: { type: 'flag', required: true } },
  setOrgId: {
    clientId: { type: 'text', required: true },
    orgId: { type: 'text', required: true, description: '`""` stops the history' },
  },
  setApiSecret: {
    clientId: { type: 'text', required: true },
    secret: { type: 'text', required: true, description: 'Not the master token; `""` removes the secret' },
  },
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
        'Messages and files of the session that are older than so many days are deleted; 0 keeps them for ever, `null` follows the setting `--retention-days`',
      min: 0,
      max: 36500,
    },
    keepEvents: {
      type: 'integer',
      description:
        'Days for which events are kept, to be sent again; 0 keeps none, and removes those that are kept',
      min: 0,
      max: 30,
    },
  },
  setRejectCalls: { clientId: { type: 'text', required: true }, enabled: { type: 'flag', required: true } },
  reconnect: { clientId: { type: 'text', required: true } },
  restrictions: { clientId: { type: 'text', required: true } },
  disconnect: { clientId: { type: 'text', required: true } },
  getPasskey: { clientId: { type: 'text', required: true } },
  answerPasskey: {
    clientId: { type: 'text', required: true },
    assertion: {
      type: 'other',
      required: true,
      description: "The owner's WebAuthn assertion, as browsers write it",
    },
  },
  confirmPasskey: { clientId: { type: 'text', required: true } },
  createPairLink: { clientId: { type: 'text', required: true } },
  getPairState: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  startPair: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  requestPairCode: {
    clientId: { type: 'text' },
    token: { type: 'text', required: true },
    phone: { type: 'text', required: true, description: 'Digits with the country code, `+` optional' },
  },
  answerPairPasskey: {
    clientId: { type: 'text' },
    token: { type: 'text', required: true },
    assertion: {
      type: 'other',
      required: true,
      description: "The owner's WebAuthn assertion, as browsers write it",
    },
  },
  confirmPairPasskey: { clientId: { type: 'text' }, token: { type: 'text', required: true } },
  adopt: {
    clientId: { type: 'text', required: true },
    begin: { type: 'flag', description: '`true` forgets the parts of an adoption that did not end' },
    keys: { type: 'other', description: 'Keys of the link' },
    credentials: {
      type: 'object',
      description: 'The credentials of the link as the library writes them in JSON (`creds.json`)',
    },
    received: { type: 'other', description: 'The value that `/export-keys` answered' },
    webhookUrl: { type: 'text', description: 'URL of the webhook; `""` stops delivery' },
    webhookToken: { type: 'text', description: 'Bearer token and signing key of calls to the webhook' },
    pollLookupUrl: { type: 'text', description: 'URL that returns the options of polls that are not stored' },
    extraEvents: {
      type: 'list',
      description: 'Types of opt-in events; replaces the whole list, `[]` turns all of them off',
    },
    proxy: {
      type: 'other',
      description:
        'URL of the proxy for all connections of this session: `http`, `https` or `socks5`, with user and password if the proxy needs them; `null` for direct connections. Needs the master token',
    },
    linkedAt: {
      type: 'text',
      description: 'When the number was linked, from which policy rules by age count; by default now',
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
        "The session's own jid, with or without its device, so that no other session is given back by mistake",
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
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    body: { type: 'text', required: true, description: 'The text; an emoji is one character' },
    linkPreview: {
      type: 'flag',
      description:
        '`true` shows a preview of the first `https://` link: title, description and picture of its page. The default is the setting `--link-previews`, which is off',
    },
  },
  sendPollMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    pollName: { type: 'text', required: true, description: 'The question' },
    pollOptions: { type: 'list', required: true, description: 'The options' },
    selectableCount: {
      type: 'integer',
      description: 'How many options one person may choose, up to the number of options',
      default: 1,
      min: 1,
    },
  },
  sendListMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    title: { type: 'text', description: 'A title above the text' },
    bodyText: { type: 'text', required: true, description: 'The text' },
    footerText: { type: 'text', description: 'Small print below the text' },
    buttonText: { type: 'text', required: true, description: 'The label of the button that opens the list' },
    sections: { type: 'other', required: true, description: 'The rows, in sections' },
  },
  sendInteractiveMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    bodyText: { type: 'text', required: true, description: 'The text' },
    footerText: { type: 'text', description: 'Small print below the text' },
    buttons: {
      type: 'other',
      required: true,
      description: 'The buttons. Each takes exactly the fields of its `type`; `displayText` is the label',
    },
  },
  sendContact: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    displayName: { type: 'text', required: true, description: 'The name on the card' },
    phone: {
      type: 'text',
      description:
        'Digits with the country code, `+` optional; the gateway makes a vCard 3.0 from name and number',
    },
    vcard: { type: 'text', description: 'A whole vCard 3.0, sent unchanged; overrides `phone`' },
  },
  sendLocation: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    latitude: { type: 'other', required: true, description: 'Degrees', min: -90, max: 90 },
    longitude: { type: 'other', required: true, description: 'Degrees', min: -180, max: 180 },
    name: { type: 'text', description: 'Name of the place' },
    address: { type: 'text', description: 'Address of the place' },
  },
  sendReaction: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true, description: 'The message to react to' },
    emoji: { type: 'text', required: true, description: 'One emoji; `""` removes the reaction' },
    targetFromMe: {
      type: 'flag',
      description:
        '`true` if the linked number sent the message. The gateway uses this field only for a message that it does not know',
      default: false,
    },
  },
  editMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: {
      type: 'text',
      required: true,
      description: 'An own message, sent within the last 15 minutes',
    },
    body: { type: 'text', required: true, description: 'The new text or caption' },
  },
  pinMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true, description: 'The message' },
    pinned: { type: 'flag', description: '`false` unpins the message', default: true },
    duration: {
      type: 'other',
      description: 'Seconds until the pin ends by itself: a day, a week or 30 days',
      default: 604800,
    },
  },
  sendMediaMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    quotedMessageId: {
      type: 'text',
      description:
        'The message that this message answers. The quote shows what the gateway has stored of that message; a message with an unknown id is sent too',
    },
    mentions: {
      type: 'list',
      description:
        'User-parts: LID or phone digits. Write `@<user-part>` into the text too: the gateway replaces it with the user-part on the wire, so both agree, also for a phone number',
    },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
    whenAllowed: {
      type: 'flag',
      description:
        '`true`: if the policy refuses the message for a time, the message is held and sent when the policy allows it. The answer is then 202 with `status: "held"`, `rule` and `allowedAt`. Not for uploaded files',
    },
    downloadUrl: {
      type: 'text',
      required: true,
      description:
        'A public https address. The gateway fetches at most 100 MB, within 60 s. A file over 60 MB is sent as a text with the link',
    },
    mimeType: { type: 'text', description: 'MIME type, if detection is wrong', default: '' },
    caption: { type: 'text', description: 'Ignored for audio and stickers', default: '' },
    fileName: {
      type: 'text',
      description:
        "Shown to the recipient for documents only, because the network carries no names of other files; kept in the event, the history and the media library. The default is the name in the answer's `Content-Disposition` or in the URL",
      default: '',
    },
    sendAudioAsVoice: {
      type: 'flag',
      description: '`true` sends audio as a voice note; the file must be OGG/Opus',
      default: false,
    },
    asSticker: {
      type: 'flag',
      description:
        '`true` sends a picture as a sticker; a picture that is not a WebP of 512 pixels is converted',
      default: false,
    },
  },
  forwardMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    from: {
      type: 'text',
      required: true,
      description: 'The chat that the message is in, in the forms of `to`',
    },
    messageId: { type: 'text', required: true, description: 'The message' },
    metaData: {
      type: 'object',
      description:
        'Comes back as `meta` in the event and is stored with the message; `{"fromAI": true}` also marks the stored message',
    },
  },
  starMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true, description: 'The message' },
    starred: { type: 'flag', description: '`false` removes the star', default: true },
  },
  sendTyping: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    composing: {
      type: 'flag',
      description: '`true` shows that the number is typing, `false` that it stopped',
      default: true,
    },
  },
  subscribePresence: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    seconds: {
      type: 'integer',
      description: 'Seconds until the subscription ends',
      default: 600,
      min: 1,
      max: 3600,
    },
  },
  deleteMessage: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageId: { type: 'text', required: true, description: 'The message' },
    fromMe: { type: 'flag', required: true, description: '`true` if the linked number sent the message' },
    mode: {
      type: 'text',
      required: true,
      description:
        '`everyone`: own messages only, which the network enforces; `me`: only on the devices of the account',
      options: ['everyone', 'me'],
    },
    chatRoomId: {
      type: 'text',
      description: 'The room of the message; required for `me` if the session has a hosted inbox',
    },
  },
  markRead: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    messageIds: { type: 'list', required: true, description: 'Messages of the chat' },
  },
  archiveChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    archived: { type: 'flag', description: '`false` unarchives the chat', default: true },
  },
  muteChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    muted: { type: 'flag', description: '`false` ends the mute', default: true },
    until: {
      type: 'text',
      description: 'When the mute ends, RFC 3339, in the future; if absent, the mute has no end',
    },
  },
  pinChat: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    pinned: { type: 'flag', description: '`false` unpins the chat', default: true },
  },
  setDisappearingMessages: {
    clientId: { type: 'text', required: true },
    to: { type: 'text', required: true },
    seconds: {
      type: 'other',
      required: true,
      description: '`0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)',
    },
  },
  markUnread: { clientId: { type: 'text', required: true }, to: { type: 'text', required: true } },
  getUserInfo: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true, description: 'The person' },
    withContact: {
      type: 'flag',
      description: '`true`: the answer also has `phone` and `displayName`',
      default: false,
    },
  },
  checkOwnerLid: {
    clientId: { type: 'text', required: true },
    number: {
      type: 'text',
      description:
        'A phone number with its country code, in any usual writing, with or without `+`. Without `number` the answer has only the own addresses',
      default: '',
    },
  },
  getProfilePicture: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true, description: 'A person or a group' },
    preview: {
      type: 'flag',
      description: '`true` for the small picture of 96 pixels, `false` for full size',
      default: true,
    },
    refresh: {
      type: 'flag',
      description: '`true` asks the network even if it was asked within 24 hours',
      default: false,
    },
  },
  listBlocked: { clientId: { type: 'text', required: true } },
  blockPerson: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true, description: 'The person' },
  },
  unblockPerson: {
    clientId: { type: 'text', required: true },
    jid: { type: 'text', required: true, description: 'The person' },
  },
  refreshAvatars: {
    clientId: { type: 'text', required: true },
    force: { type: 'flag', description: '`true` also checks rooms that have a picture', default: false },
  },
  getProfile: { clientId: { type: 'text', required: true } },
  setProfile: {
    clientId: { type: 'text', required: true },
    name: { type: 'text', description: 'The name that other people see' },
    about: { type: 'text', description: 'The text below the name; `""` removes it' },
    disappearingSeconds: {
      type: 'other',
      description:
        'Seconds after which messages of new chats disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)',
    },
  },
  setProfilePicture: {
    clientId: { type: 'text', required: true },
    downloadUrl: {
      type: 'text',
      required: true,
      description:
        'A public https address of a picture, under the rules of `/send-media-message`; `""` removes the picture',
    },
  },
  postStatus: {
    clientId: { type: 'text', required: true },
    body: { type: 'text', description: 'The text of a text status' },
    backgroundColor: { type: 'text', description: 'Behind a text: `#` and six hex digits' },
    font: { type: 'integer', description: 'Of a text, by its number in WhatsApp', min: 0, max: 10 },
    downloadUrl: {
      type: 'text',
      description: 'A public https address. The gateway fetches at most 60 MB, within 60 s',
    },
    caption: { type: 'text', description: 'Of a file' },
    audience: {
      type: 'list',
      description:
        'Only these people, of those who may see the statuses of the account: LIDs, numbers with `+`, or jids. Nobody is looked up for it: people whom the gateway does not know get no status',
    },
    metaData: { type: 'object', description: 'Comes back as `meta` in the event `status_post`' },
  },
  deleteStatus: { clientId: { type: 'text', required: true }, messageId: { type: 'text', required: true } },
  getStatusPrivacy: { clientId: { type: 'text', required: true } },
  setStatusPrivacy: {
    clientId: { type: 'text', required: true },
    mode: {
      type: 'text',
      required: true,
      description: '`contacts`: all contacts; `except`: all contacts but some; `only`: some people',
      options: ['contacts', 'except', 'only'],
    },
    people: {
      type: 'list',
      description:
        'Required with `except` and `only`, without the linked number itself: LIDs, numbers with `+`, or jids. At most 20 of them may be people whom the gateway does not know yet: it looks them up',
    },
  },
  listGroups: { clientId: { type: 'text', required: true } },
  getGroup: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
  },
  createGroup: {
    clientId: { type: 'text', required: true },
    subject: {
      type: 'text',
      required: true,
      description:
        'The name. WhatsApp also limits it to 100 UTF-16 code units, so fewer composed emoji fit: 👨‍👩‍👧 has 8',
    },
    participants: {
      type: 'list',
      required: true,
      description: 'People by LID, `+phone` or jid, each once, without the linked number',
    },
  },
  updateGroupMembers: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
    action: {
      type: 'text',
      required: true,
      description: '`promote` makes the people admins, `demote` takes that back',
      options: ['add', 'remove', 'promote', 'demote'],
    },
    participants: {
      type: 'list',
      required: true,
      description: 'People by LID, `+phone` or jid, each once, without the linked number',
    },
  },
  getGroupInviteLink: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
    reset: {
      type: 'flag',
      description: '`true` makes a new link; the old link stops working',
      default: false,
    },
  },
  updateGroup: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
    subject: {
      type: 'text',
      description:
        'The name. WhatsApp also limits it to 100 UTF-16 code units, so fewer composed emoji fit: 👨‍👩‍👧 has 8',
    },
    description: {
      type: 'text',
      description: 'The description, also at most 2,048 UTF-16 code units; `""` removes it',
    },
    announce: { type: 'flag', description: 'Only admins may write' },
    locked: { type: 'flag', description: 'Only admins may change subject, description and picture' },
    membersAdd: { type: 'flag', description: 'Every member may add people, not only admins' },
    joinApproval: { type: 'flag', description: 'Admins approve people who join by the invite link' },
    disappearingSeconds: {
      type: 'other',
      description:
        'Seconds after which messages disappear: `0` (off), `86400` (a day), `604800` (a week) or `7776000` (90 days)',
    },
  },
  setGroupPicture: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
    downloadUrl: {
      type: 'text',
      required: true,
      description:
        'A public https address of a picture, under the rules of `/send-media-message`; `""` removes the picture',
    },
  },
  listGroupRequests: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
  },
  updateGroupRequests: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
    action: { type: 'text', required: true, options: ['approve', 'reject'] },
    participants: {
      type: 'list',
      required: true,
      description: 'People by LID, `+phone` or jid, each once, without the linked number',
    },
  },
  joinGroup: {
    clientId: { type: 'text', required: true },
    invite: { type: 'text', required: true, description: 'The invite link, or the code at its end' },
  },
  getGroupInvite: {
    clientId: { type: 'text', required: true },
    invite: { type: 'text', required: true, description: 'The invite link, or the code at its end' },
  },
  leaveGroup: {
    clientId: { type: 'text', required: true },
    groupJid: { type: 'text', required: true, description: 'The group: `<id>@g.us`' },
  },
  listChannels: { clientId: { type: 'text', required: true } },
  getChannel: {
    clientId: { type: 'text', required: true },
    channel: {
      type: 'text',
      required: true,
      description:
        'The jid of the channel, its link `https://whatsapp.com/channel/<code>`, or the code alone',
    },
  },
  listChannelPosts: {
    clientId: { type: 'text', required: true },
    channelJid: { type: 'text', required: true, description: 'The channel: `<id>@newsletter`' },
    limit: { type: 'integer', description: 'The newest posts, at most', default: 50, min: 1, max: 100 },
    before: {
      type: 'integer',
      description: 'Only posts before this one: `next` of the previous page',
      min: 1,
    },
  },
  followChannel: {
    clientId: { type: 'text', required: true },
    channelJid: { type: 'text', required: true, description: 'The channel: `<id>@newsletter`' },
  },
  unfollowChannel: {
    clientId: { type: 'text', required: true },
    channelJid: { type: 'text', required: true, description: 'The channel: `<id>@newsletter`' },
  },
  postChannel: {
    clientId: { type: 'text', required: true },
    channelJid: { type: 'text', required: true, description: 'The channel: `<id>@newsletter`' },
    body: { type: 'text', description: 'The text, or the caption of the file', default: '' },
    downloadUrl: {
      type: 'text',
      description: 'A public https address of a picture or a video, under the rules of `/send-media-message`',
      default: '',
    },
  },
  deleteChannelPost: {
    clientId: { type: 'text', required: true },
    channelJid: { type: 'text', required: true, description: 'The channel: `<id>@newsletter`' },
    messageId: { type: 'text', required: true, description: 'The post' },
  },
  listChatRooms: { clientId: { type: 'text', required: true } },
  listMessages: {
    clientId: { type: 'text' },
    limit: { type: 'integer', default: 200, min: 1, max: 200 },
    before: { type: 'text', description: 'A `messageId`: the messages before that one' },
    status: { type: 'flag', description: '`true`: own messages have a `status`', default: false },
    chatRoomId: { type: 'text', required: true },
  },
  getMessageMediaUrl: {
    clientId: { type: 'text' },
    chatRoomId: { type: 'text', required: true },
    messageId: { type: 'text', required: true },
  },
  requestHistory: {
    clientId: { type: 'text', required: true },
    chatRoomId: { type: 'text', required: true },
    count: { type: 'integer', description: 'Messages to ask for', default: 50, min: 1, max: 50 },
  },
  resetUnread: { chatRoomId: { type: 'text', required: true }, clientId: { type: 'text' } },
  listMediaFiles: {
    clientId: { type: 'text', required: true },
    orgId: { type: 'text', required: true, description: 'The present `orgId` of the session' },
    page: { type: 'integer', default: 1, min: 1, max: 1000000 },
    limit: { type: 'integer', default: 50, min: 1, max: 200 },
  },
  getMediaFileUrl: {
    clientId: { type: 'text' },
    messageId: {
      type: 'text',
      required: true,
      description: 'The `messageId` of a listed file: a UUID of the file, not the id of a message',
    },
  },
  getMedia: { id: { type: 'text', required: true }, fileName: { type: 'text', required: true } },
  listReceivers: { clientId: { type: 'text', required: true } },
  addReceiver: {
    clientId: { type: 'text', required: true },
    url: { type: 'text', required: true, description: 'An http(s) address or that of a broker' },
    name: { type: 'text', description: 'Name for people' },
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
        'Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection',
    },
    schedule: {
      type: 'other',
      description: "400 for a part that the receiver's kind of retries does not use",
    },
  },
  updateReceiver: {
    clientId: { type: 'text', required: true },
    id: { type: 'text', required: true, description: 'Id of the receiver' },
    url: { type: 'text', description: 'An http(s) address or that of a broker' },
    name: { type: 'text', description: 'Name for people' },
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
        'Headers of every call, by name; at most 16, with 4,096 characters together. Not `Authorization`, `Host`, `User-Agent`, `X-SN-…`, `webhook-…`, `Content-…`, nor those of the connection',
    },
    schedule: {
      type: 'other',
      description: "400 for a part that the receiver's kind of retries does not use",
    },
    previousTokenFor: {
      type: 'integer',
      description:
        'Seconds for which calls carry a second signature, with the previous `webhookToken`: up to 7 days; 0 stops it. A new token without this field stops it, too',
      min: 0,
      max: 604800,
    },
    paused: {
      type: 'flag',
      description: '`true` pauses the receiver until somebody resumes it, `false` resumes it',
    },
  },
  removeReceiver: {
    clientId: { type: 'text', required: true },
    id: { type: 'text', required: true, description: 'Id of the receiver' },
  },
  sendTestEvent: {
    clientId: { type: 'text', required: true },
    type: {
      type: 'text',
      required: true,
      description: 'Type of the event',
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
        'identity_change',
        'channel_post',
        'status_post',
      ],
    },
    fields: { type: 'object', description: 'Values for fields of the event' },
    receiver: { type: 'text', description: 'Id of the receiver; by default the webhook' },
  },
  listenWebhook: {
    clientId: { type: 'text', required: true },
    webhookUrl: { type: 'text', required: true, description: 'Where the events go' },
    webhookToken: {
      type: 'text',
      required: true,
      description: 'Bearer token and signing key of the calls; tells listeners apart',
    },
    extraEvents: { type: 'list', description: 'Types of opt-in events' },
    seconds: {
      type: 'integer',
      description: 'Seconds until the listener ends unless the call is repeated',
      default: 30,
      min: 5,
      max: 300,
    },
    takeOver: {
      type: 'flag',
      description: '`true` replaces another listener of the session',
      default: false,
    },
  },
  unlistenWebhook: {
    clientId: { type: 'text', required: true },
    webhookToken: { type: 'text', description: 'Token of the listener; absent for any listener' },
  },
  listFailedDeliveries: {
    clientId: { type: 'text', description: 'Only this session' },
    receiver: {
      type: 'text',
      description: 'With `clientId`: only deliveries to this receiver; `1` is the webhook',
    },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    before: { type: 'text', description: '`next` of the previous page' },
  },
  getFailedDelivery: { clientId: { type: 'text' }, id: { type: 'text', required: true } },
  resendFailedDelivery: { clientId: { type: 'text' }, id: { type: 'text', required: true } },
  listKeptEvents: {
    clientId: { type: 'text', required: true },
    from: { type: 'text', description: 'Only events that were announced at this time or later' },
    to: { type: 'text', description: 'Only events that were announced at this time or earlier' },
    type: {
      type: 'text',
      description: 'Type of the events',
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
        'identity_change',
        'channel_post',
        'status_post',
      ],
    },
    limit: { type: 'integer', default: 100, min: 1, max: 1000 },
    before: { type: 'text', description: '`next` of the previous page' },
  },
  replay: {
    clientId: { type: 'text', required: true },
    receiver: { type: 'text', description: 'Id of the receiver; `1` is the webhook', default: '1' },
    from: { type: 'text', description: 'Only events that were announced at this time or later' },
    to: { type: 'text', description: 'Only events that were announced at this time or earlier' },
    ids: { type: 'list', description: 'Only these events' },
    types: { type: 'list', description: 'Only events of these types' },
    ignoreFilter: {
      type: 'flag',
      description: '`true` includes events that do not pass the filter of the receiver',
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
    days: { type: 'integer', description: 'Sends of so many last days', default: 14, min: 1, max: 14 },
    limit: { type: 'integer', default: 1000, min: 1, max: 1000 },
    after: { type: 'text', description: 'Continue after this time: `next` of the previous page' },
  },
  getFleet: { clientId: { type: 'text', description: 'Only this session' } },
  listNodes: {
    clientId: { type: 'text', description: 'Adds `leases`, with the holder of this session' },
    leases: {
      type: 'flag',
      description: '`true` adds `leases`, with the holder of each session',
      default: false,
    },
  },
  drainNode: {
    clientId: { type: 'text' },
    node: { type: 'text', required: true, description: 'Name or `nodeId` of the node' },
    draining: { type: 'flag', description: '`false` ends the drain, and so does a restart', default: true },
  },
  getBackup: { clientId: { type: 'text' } },
  getConfig: { clientId: { type: 'text' } },
  getMetrics: { clientId: { type: 'text' } },
  getOpenApi: { clientId: { type: 'text' } },
} as const satisfies Record<string, Record<string, RequestField>>;
