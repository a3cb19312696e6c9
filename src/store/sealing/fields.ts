import { isObject } from '../../domain/json.js';
import type { JournalEntry, KeyChange, KeyCommit } from '../../domain/signal-state.js';
import { readMedia, readObject, readText } from '../port/json.js';
import type {
  BackendRoom,
  FailedDelivery,
  FileRecord,
  HeldRecord,
  HistoryMessage,
  IdempotencyRecord,
  KeptEvent,
  MessageTrace,
  PendingChange,
  PictureRecord,
  SentRecord,
  SessionRecord,
  WaitingDelivery,
} from '../store.js';
import type { Place } from './envelope.js';
import type { Sealer } from './sealer.js';

/** For each sealed field of a record, the place that its value is bound to. */
export type SealedFields<R> = { readonly [F in keyof R]?: (record: R) => Place };

const fields = <R>(places: SealedFields<R>): SealedFields<R> => places;

type RoomTexts = Pick<BackendRoom, 'chatRoomId' | 'name' | 'lastMessageId' | 'lastMessage'>;

/** A body and the room's copy of it: back ends copy the sealed value. */
const messageText = (chatRoomId: string, messageId: string): Place => [
  'messages',
  'text',
  chatRoomId,
  messageId,
];

/** With another recipient, the message would go to somebody else. */
const heldPlace = ({ messageId, to }: Pick<SentRecord, 'messageId' | 'to'>): Place => [
  'sends',
  'held',
  messageId,
  to,
];

/** With another receiver, an event would go to somebody else. Those of the webhook are as earlier releases sealed them. */
const other = (receiver: string | undefined) => (receiver === undefined ? [] : [receiver]);

/**
 * Every sealed field. Ids, addresses, names of people, times, flags and counts stay readable: the store searches them.
 * The places are part of the stored format; a changed place makes existing values unreadable.
 */
export const SEALED = {
  sessions: fields<Partial<SessionRecord>>({
    // URLs too: people put tokens into them
    webhookUrl: () => ['sessions', 'webhookUrl'],
    webhookToken: () => ['sessions', 'webhookToken'],
    // with another time it would sign for longer
    previousToken: ({ previousTokenUntil }) => ['sessions', 'previousToken', String(previousTokenUntil)],
    // addresses and tokens
    receivers: () => ['sessions', 'receivers'],
    pollLookupUrl: () => ['sessions', 'pollLookupUrl'],
    proxy: () => ['sessions', 'proxy'],
    // in the row of another session the hash would open that session
    apiSecretHash: () => ['sessions', 'apiSecretHash'],
  }),
  credentials: fields<KeyCommit>({ credentials: () => ['credentials'] }),
  keys: fields<KeyChange>({ value: ({ type, id }) => ['keys', type, id] }),
  journal: fields<JournalEntry>({
    plain: ({ id }) => ['journal', 'plain', id],
    stanza: ({ id }) => ['journal', 'stanza', id],
  }),
  sends: fields<SentRecord>({
    // with another recipient, the message would go to somebody else
    content: ({ messageId, to }) => ['sends', 'content', messageId, to],
    metaData: ({ messageId }) => ['sends', 'metaData', messageId],
    fileName: ({ messageId }) => ['sends', 'fileName', messageId],
    held: heldPlace,
  }),
  idempotency: fields<Pick<IdempotencyRecord, 'key' | 'answer'>>({
    answer: ({ key }) => ['idempotency', 'answer', key],
  }),
  traces: fields<MessageTrace>({ secret: ({ messageId }) => ['traces', 'secret', messageId] }),
  rooms: fields<RoomTexts>({
    name: ({ chatRoomId }) => ['rooms', 'name', chatRoomId],
    lastMessage: ({ chatRoomId, lastMessageId }) => messageText(chatRoomId, lastMessageId),
  }),
  messages: fields<HistoryMessage>({
    body: ({ chatRoomId, messageId }) => messageText(chatRoomId, messageId),
    extras: ({ chatRoomId, messageId }) => ['messages', 'inside', chatRoomId, messageId],
    content: ({ chatRoomId, messageId }) => ['messages', 'content', chatRoomId, messageId],
  }),
  pendingChanges: fields<PendingChange>({
    change: ({ chatRoomId, targetId, messageId }) => ['pending-changes', chatRoomId, targetId, messageId],
  }),
  files: fields<Pick<FileRecord, 'id' | 'fileName' | 'caption'>>({
    fileName: ({ id }) => ['files', 'fileName', id],
    caption: ({ id }) => ['files', 'caption', id],
  }),
  // whoever has the network's URL of a picture can see it, even if it is hidden
  pictures: fields<PictureRecord>({
    url: ({ jid, preview }) => ['pictures', 'url', jid, preview ? 'preview' : 'full'],
  }),
  failedDeliveries: fields<FailedDelivery>({
    url: ({ id, receiver }) => ['failed-deliveries', 'url', id, ...other(receiver)],
    body: ({ id, receiver }) => ['failed-deliveries', 'body', id, ...other(receiver)],
  }),
  waitingDeliveries: fields<Pick<WaitingDelivery, 'id' | 'receiver' | 'body'>>({
    body: ({ id, receiver }) => ['waiting-deliveries', 'body', id, ...other(receiver)],
  }),
  keptEvents: fields<Pick<KeptEvent, 'id' | 'body'>>({ body: ({ id }) => ['kept-events', 'body', id] }),
};

/** Of a send that is read without its content. */
export const SEALED_HELD = fields<HeldRecord>({ held: heldPlace });

/** As earlier releases sealed them; a send is kept for two weeks. */
export const SEALED_BEFORE = {
  sends: fields<SentRecord>({ ...SEALED.sends, content: ({ messageId }) => ['sends', 'content', messageId] }),
};

/** The texts of a session that give rights. */
const RIGHT_TEXTS = ['webhookUrl', 'webhookToken', 'pollLookupUrl', 'proxy', 'apiSecretHash'] as const;

/** Records with texts that give rights: their texts are sealed also when they are empty. */
const RIGHTS: ReadonlySet<object> = new Set([SEALED.sessions]);

/** Seals the given fields: text and bytes as such, an object as `{ sealed: text }`. */
export function sealFields<F extends object, R extends F>(
  sealer: Sealer,
  sealed: SealedFields<F>,
  record: R,
): R {
  const givesRights = RIGHTS.has(sealed);
  return changed(sealed, record, (place, value) => {
    if (typeof value === 'string')
      return givesRights ? sealer.sealRight(place, value) : sealer.sealText(place, value);
    if (value instanceof Uint8Array) return sealer.seal(place, value);
    return { sealed: sealer.sealText(place, JSON.stringify(value)) };
  });
}

/** Opens what `sealFields` sealed. @throws GatewayError `store_damaged` if a value was changed or moved */
export function openFields<F extends object, R extends F>(
  sealer: Sealer,
  sealed: SealedFields<F>,
  record: R,
): R {
  const givesRights = RIGHTS.has(sealed);
  return changed(sealed, record, (place, value) => {
    if (typeof value === 'string')
      return givesRights ? sealer.openRight(place, value) : sealer.openText(place, value);
    if (value instanceof Uint8Array) return sealer.open(place, value);
    return readObject(sealer.openText(place, isObject(value) ? String(value.sealed) : ''));
  });
}

function changed<F extends object, R extends F>(
  sealed: SealedFields<F>,
  record: R,
  change: (place: Place, value: unknown) => unknown,
): R {
  const copy = { ...record };
  for (const field in sealed) {
    const value: unknown = record[field];
    const placeOf = sealed[field];
    if (placeOf && value !== undefined && value !== null) {
      Object.assign(copy, { [field]: change(placeOf(record), value) });
    }
  }
  return copy;
}

/**
 * Seals the texts of a session as this release does. Earlier releases left empty texts and the hash of the API secret as they
 * were, so that whoever could write the database could blank or copy them.
 * @returns the texts that were not sealed so far
 */
export function sealRights(sealer: Sealer, record: SessionRecord): Partial<SessionRecord> {
  const unsealed = RIGHT_TEXTS.filter(
    (name) => record[name] === '' || (name === 'apiSecretHash' && record[name].includes(':')),
  );
  const texts = Object.fromEntries(unsealed.map((name) => [name, record[name]]));
  return sealFields(sealer, SEALED.sessions, texts);
}

/** The session without its texts, of which some cannot be opened. */
export function withoutRights(record: SessionRecord): SessionRecord {
  return {
    ...record,
    ...Object.fromEntries(RIGHT_TEXTS.map((name) => [name, ''])),
    previousToken: null,
    receivers: null,
  };
}

/** The parts of a message that are always read together are sealed together, in the place of `extras`. */
export function sealMessage(sealer: Sealer, message: HistoryMessage): HistoryMessage {
  const { pushname, media, extras } = message;
  const packed = { ...message, pushname: '', media: undefined, extras: { pushname, media, extras } };
  return sealFields(sealer, SEALED.messages, packed);
}

export function openMessage(sealer: Sealer, stored: HistoryMessage): HistoryMessage {
  const { extras: packed, ...message } = openFields(sealer, SEALED.messages, stored);
  const { pushname, media, extras } = packed;
  return {
    ...message,
    pushname: readText(pushname),
    media: readMedia(media),
    extras: isObject(extras) ? extras : {},
  };
}
