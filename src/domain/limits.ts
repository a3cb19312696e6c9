/** Every bound that the contract names or that we chose, with its unit, in one place. */
export const LIMITS = {
  /** Characters of a text body. */
  textLength: 65_536,
  /** Characters of a group's subject. */
  groupSubjectLength: 25,
  /** People that one call may name for a group. */
  groupParticipants: 1_024,
  /** Options of a poll. */
  pollOptionsMin: 2,
  pollOptionsMax: 12,
  /** Characters of a poll's question, and of each option. */
  pollNameLength: 255,
  pollOptionLength: 100,
  /** Buttons of an interactive message. */
  buttonsMax: 10,
  /** Characters of its footer, and of a button's label, id or code, and address. */
  footerLength: 1_000,
  buttonLabelLength: 100,
  buttonIdLength: 256,
  buttonUrlLength: 2_048,
  /** Characters of a location's name or address. */
  placeLength: 1_000,
  /** Characters of a contact's name, and of a whole contact card. */
  displayNameLength: 256,
  vcardLength: 65_536,
  /** Characters of a message's id, and of a recipient's address. */
  messageIdLength: 128,
  addressLength: 128,
  /** Milliseconds after its sending for which a message may be edited. */
  editWindowMs: 15 * 60_000,
  /** Milliseconds that the receiver of a poll look-up has for its answer. */
  pollLookupMs: 8_000,
  /** Milliseconds that the answer of a send waits for its row in the history. */
  recordWaitMs: 5_000,
  /** Messages that one page of a chat's history shows, at most. */
  historyPage: 200,
  /** Files that one page of the media library shows, at most. */
  libraryPage: 200,
  /** Bytes of a file of the hosted inbox: of a message with a larger one nothing but the message is stored. */
  libraryFileBytes: 256 * 1024 * 1024,
  /** Files of the hosted inbox that are stored at once; the others wait. */
  filesAtOnce: 4,
  /** Files of messages of the past that are stored at once, while no other one waits. */
  pastFilesAtOnce: 1,
  /** Milliseconds for which the network may still have the file of a message. */
  pastFileMaxAgeMs: 30 * 24 * 60 * 60_000,
  /** Milliseconds that one attempt to store a file may take, and that a request waits for a file that is being stored. */
  fileStoringMs: 30 * 60_000,
  fileWaitMs: 60_000,
  /** Milliseconds and bytes of fetching a file by its URL. */
  mediaFetchMs: 60_000,
  mediaFetchBytes: 100 * 1024 * 1024,
  /** Bytes beyond which a file given by its URL is sent as a text with the link. */
  mediaFallbackBytes: 60 * 1024 * 1024,
  /** Bytes of an uploaded file. */
  uploadBytes: 128 * 1024 * 1024,
  /** Milliseconds for which traces of messages are kept: reactions, votes and edits may come late. */
  traceTtlMs: 90 * 24 * 60 * 60_000,
  /** Characters of a per-session API secret, at least. */
  apiSecretMinLength: 16,
  /** Characters of an Idempotency-Key. */
  idempotencyKeyLength: 255,
  /** Milliseconds for which an Idempotency-Key is remembered. */
  idempotencyTtlMs: 24 * 60 * 60_000,
  /** Milliseconds that a request waits for a paired session to be connected again. */
  connectionWaitMs: 10_000,
  /** Milliseconds that a message waits for who wrote it by number only: the network may know the LID. */
  lidSearchMs: 3_000,
  /** Milliseconds that a message waits for the subject and the admins of its group. */
  groupAskMs: 3_000,
  /** Milliseconds for which a profile picture is not asked for again. */
  pictureTtlMs: 24 * 60 * 60_000,
  /** Pictures a second that the network is asked for when all rooms are gone through. */
  picturesPerSecond: 7,
  /** Milliseconds after which a send without the network's acknowledgement counts as failed. */
  sendAckMs: 20_000,
  /** Milliseconds that the network has to acknowledge a read receipt. */
  receiptAckMs: 10_000,
  /** Milliseconds that a linked phone has to share its keys for changes of chats, which it does right after the pairing. */
  appStateKeyMs: 10_000,
  /** Milliseconds that a linked phone has to upload a file again. */
  mediaRenewMs: 20_000,
  /** Milliseconds for which a send that a crash broke off is still sent; its Idempotency-Key lives as long. */
  resendMaxAgeMs: 24 * 60 * 60_000,
  /** Bytes of a JSON request body. */
  jsonBodyBytes: 1024 * 1024,
  /** Seconds that a listener may take a session's events before it is renewed. */
  listenMin: 5,
  listenMax: 300,
  /** Milliseconds for which a failed delivery is kept for sending again by hand. */
  failedDeliveryTtlMs: 7 * 24 * 60 * 60_000,
  /** Failed deliveries kept for a session, the newest. */
  failedDeliveriesKept: 1_000,
  /** Milliseconds for which a finished message's journal entry is kept, to recognise a redelivery. */
  closedJournalTtlMs: 24 * 60 * 60_000,
  /** Milliseconds that a stopping daemon gives to what is in flight. */
  stopGraceMs: 10_000,
  /** Milliseconds that a session which is being given to another node leaves to the requests that are under way. */
  handOverMs: 30_000,
  /** Milliseconds that a session which is being deleted gives to what is on its way. */
  endGraceMs: 5_000,
  /** Milliseconds for which own sends are kept, to answer retries that recipients ask for. */
  sentMessageTtlMs: 14 * 24 * 60 * 60_000,
} as const;
