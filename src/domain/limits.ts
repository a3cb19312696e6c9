/** Every limit of the contract and our own, with its unit. */
export const LIMITS = {
  /** Characters of a text body. */
  textLength: 65_536,
  /** Characters of a group's subject. */
  groupSubjectLength: 25,
  /** UTF-16 code units that the network accepts of a group's subject and of its description. */
  groupSubjectUnits: 100,
  groupDescriptionUnits: 2_048,
  /** Participants in one call to a group. */
  groupParticipants: 1_024,
  /** Options of a poll. */
  pollOptionsMin: 2,
  pollOptionsMax: 12,
  /** Characters of a poll's question, and of each option. */
  pollNameLength: 255,
  pollOptionLength: 100,
  /** Buttons of an interactive message. */
  buttonsMax: 10,
  /** Characters of an interactive message's footer, and of a button's label, id or code, and address. */
  footerLength: 1_000,
  buttonLabelLength: 100,
  buttonIdLength: 256,
  buttonUrlLength: 2_048,
  /** Sections of a list message, and rows of all its sections together: WhatsApp's own limits for businesses. */
  listSectionsMax: 10,
  listRowsMax: 10,
  /** Characters of the button that opens a list, of the list's title, of a section's or row's title, and of a row's description. */
  listButtonLength: 20,
  listTitleLength: 60,
  listRowTitleLength: 24,
  listRowDescriptionLength: 72,
  /** Timeout in milliseconds of a link preview: its page and its picture together. */
  linkPreviewMs: 5_000,
  /** Bytes that are read of a previewed page, and of its picture. */
  linkPreviewPageBytes: 512 * 1024,
  linkPreviewPictureBytes: 2 * 1024 * 1024,
  /** Characters of a location's name or address. */
  placeLength: 1_000,
  /** Characters of a contact's name, and of a whole contact card. */
  displayNameLength: 256,
  vcardLength: 65_536,
  /** Characters of a message's id, and of a recipient's address. */
  messageIdLength: 128,
  addressLength: 128,
  /** Milliseconds after sending during which a message can be edited. */
  editWindowMs: 15 * 60_000,
  /** Timeout of a poll look-up in milliseconds. */
  pollLookupMs: 8_000,
  /** Milliseconds that the answer of a send waits for its row in the history. */
  recordWaitMs: 5_000,
  /** Messages on one page of a chat's history. */
  historyPage: 200,
  /** Files on one page of the media library. */
  libraryPage: 200,
  /** Bytes of a file of the hosted inbox; larger files are not stored, only their messages. */
  libraryFileBytes: 256 * 1024 * 1024,
  /** Files of the hosted inbox that are stored in parallel. */
  filesAtOnce: 4,
  /** Files of imported history that are stored in parallel, while no other file waits. */
  pastFilesAtOnce: 1,
  /** Milliseconds for which the network keeps the file of a message. */
  pastFileMaxAgeMs: 30 * 24 * 60 * 60_000,
  /** Timeout of one attempt to store a file, and of a request that waits for it, in milliseconds. */
  fileStoringMs: 30 * 60_000,
  fileWaitMs: 60_000,
  /** Timeout in milliseconds, and size in bytes, of a download by URL. */
  mediaFetchMs: 60_000,
  mediaFetchBytes: 100 * 1024 * 1024,
  /** Bytes above which a file given by URL is sent as a text with the link. */
  mediaFallbackBytes: 60 * 1024 * 1024,
  /** Bytes of an uploaded file. */
  uploadBytes: 128 * 1024 * 1024,
  /** Bytes of one session's files on this node's disk, while they are sent or stored in the library. */
  uploadsOfSessionBytes: 512 * 1024 * 1024,
  /** Milliseconds for which a file may wait to be inspected and be inspected; then it is sent without the facts. */
  inspectionMs: 3_000,
  /** Milliseconds for which a picture may wait to be converted to a sticker or profile picture, and be converted; then its request fails. */
  conversionMs: 15_000,
  /** Live streams of one per-session secret, of the master token, and of a node. */
  streamsOfSecret: 16,
  streamsOfMaster: 64,
  streamsOfNode: 256,
  /** Bytes that wait for the reader of one live stream, and for all readers of a node; a slow reader is then cut off. */
  streamWaitingBytes: 1024 * 1024,
  streamsWaitingBytes: 64 * 1024 * 1024,
  /** Requests in flight of one per-session secret, and of one session: the operator has a reserve. */
  requestsOfSecret: 128,
  /**
   * Requests per second of one per-session secret in the long run; size of a burst above that rate; bytes of a body that
   * count as one more request.
   */
  requestsPerSecondOfSecret: 50,
  requestsAheadOfSecret: 32,
  bytesAsRequest: 512 * 1024,
  requestsOfSession: 256,
  /**
   * Refusals of one per-session secret that are answered at once; for further ones, the longest delay in milliseconds and
   * the number of delayed answers.
   */
  refusalsAtOnce: 16,
  refusalDelayMs: 2_000,
  refusalsDelayed: 256,
  refusalsDelayedOfNode: 1_024,
  /**
   * Wrong tokens from one address in a minute that are answered at once; for further ones, the delay in milliseconds and
   * the number of delayed answers.
   */
  wrongTokensAtOnce: 10,
  wrongTokenDelayMs: 1_000,
  wrongTokensDelayed: 64,
  wrongTokensDelayedOfNode: 512,
  /** Bytes and milliseconds for which the body of a request without a valid token is read. */
  refusedBodyBytes: 16 * 1024 * 1024,
  refusedBodyMs: 2_000,
  /** Bytes of an uploaded profile picture, before it is made smaller. */
  pictureUploadBytes: 16 * 1024 * 1024,
  /** Characters of a group's description. */
  groupDescriptionLength: 2_048,
  /** Milliseconds for which message traces are kept for late reactions, votes and edits. */
  traceTtlMs: 90 * 24 * 60 * 60_000,
  /** Characters of a per-session API secret, at least. */
  apiSecretMinLength: 16,
  /** Milliseconds that a message that could not be read waits for its sender's next copy, before the own phone is asked. */
  resendBySenderMs: 5_000,
  /** Milliseconds that the message then waits for the phone's answer, before it is announced as unreadable. */
  resendByPhoneMs: 60_000,
  /** Characters of an Idempotency-Key. */
  idempotencyKeyLength: 255,
  /** Milliseconds for which an Idempotency-Key is remembered. */
  idempotencyTtlMs: 24 * 60 * 60_000,
  /** Milliseconds that a request waits for a paired session to reconnect. */
  connectionWaitMs: 10_000,
  /** Milliseconds during which a send that a lost connection interrupted is repeated over the next one. */
  sendRepeatMs: 20_000,
  /** Milliseconds for which a session is subscribed to the presence of a chat after a message; most subscribed chats of a session. */
  presenceMs: 10 * 60_000,
  presenceChats: 50,
  /** Seconds that `/subscribe-presence` takes. */
  presenceMinSeconds: 1,
  presenceMaxSeconds: 3_600,
  /** Milliseconds that a message waits for the LID of its author, if only the phone number is known. */
  lidSearchMs: 3_000,
  /** Milliseconds that a message waits for the subject and the admins of its group. */
  groupAskMs: 3_000,
  /** Milliseconds for which a profile picture is cached. */
  pictureTtlMs: 24 * 60 * 60_000,
  /** Pictures per second that are requested from the network when all rooms are refreshed. */
  picturesPerSecond: 7,
  /** Milliseconds after which a send without an acknowledgement fails. */
  sendAckMs: 20_000,
  /** Timeout of a read receipt's acknowledgement in milliseconds. */
  receiptAckMs: 10_000,
  /** Milliseconds that we wait for the phone to share its app-state keys, which happens right after pairing. */
  appStateKeyMs: 10_000,
  /** Milliseconds that we wait for the phone to upload a file again. */
  mediaRenewMs: 20_000,
  /** Older messages of a chat that one request asks the phone for; WhatsApp's own clients ask for 50 (whatsmeow `send.go`). */
  requestedMessages: 50,
  /** Milliseconds that such a request waits for the phone's answer; and after it until the session may ask again. */
  historyAnswerMs: 30_000,
  historyPauseMs: 3_000,
  /** Milliseconds after which an interrupted send is not resumed; its Idempotency-Key is kept as long. */
  resendMaxAgeMs: 24 * 60 * 60_000,
  /** Bytes of a JSON request body. */
  jsonBodyBytes: 1024 * 1024,
  /** Seconds for which a listener takes over a session's events until it must renew. */
  listenMin: 5,
  listenMax: 300,
  /** Receivers of a session, with its webhook. */
  receivers: 8,
  /** Characters of the name of a receiver, and of its id; entries of a list in its filter. */
  receiverNameLength: 64,
  receiverIdLength: 8,
  receiverFilterEntries: 100,
  /** Bounds of the schedule of a receiver: attempts for an event; the number of pauses, and seconds of one; hours. */
  receiverAttempts: 6,
  receiverPauses: 20,
  receiverPauseSeconds: 3_600,
  receiverGiveUpHours: 168,
  /** Milliseconds for which a failed delivery is kept. */
  failedDeliveryTtlMs: 7 * 24 * 60 * 60_000,
  /** Failed deliveries kept for each session, the newest. */
  failedDeliveriesKept: 1_000,
  /** Days for which a session can keep its events; bytes of kept events per session; bytes of a row beside its body. */
  keepEventsDays: 30,
  keptEventBytes: 256 * 1024 * 1024,
  keptEventRowBytes: 512,
  /** Events that one request can send again, and milliseconds after which it starts no further one. */
  replayedEvents: 1_000,
  replayMs: 20_000,
  /** Milliseconds for which a closed journal entry is kept, to recognise a redelivery. */
  closedJournalTtlMs: 24 * 60 * 60_000,
  /** Milliseconds for which the caller of a backup may stop reading, because SQLite's write-ahead log grows meanwhile. */
  backupStallMs: 60_000,
  /** Milliseconds that a stopping daemon waits for work in flight. */
  stopGraceMs: 10_000,
  /** Milliseconds that a handover waits for requests in flight. */
  handOverMs: 30_000,
  /** Milliseconds that the deletion of a session waits for work in flight. */
  endGraceMs: 5_000,
  /** Messages of all sessions of a node that wait, in its memory, until their policies allow them. */
  heldSendsOfNode: 250_000,
  /** Milliseconds for which a message waits until its policy allows it; then the message is given up. */
  heldSendTtlMs: 7 * 24 * 60 * 60_000,
  /** Characters of a held request as JSON; number of held requests that are read at once when a session connects. */
  heldRequestLength: 128 * 1024,
  heldPage: 50,
  /** Milliseconds for which own messages are kept, to answer retry receipts. */
  sentMessageTtlMs: 14 * 24 * 60 * 60_000,
} as const;
