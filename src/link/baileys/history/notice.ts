import { areJidsSameUser, type BinaryNodeAttributes, proto, unpadRandomMax16 } from '@whiskeysockets/baileys';
import { type Person, personOf } from '../../../domain/address.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import { decodeStanza } from '../stanza.js';

const { HISTORY_SYNC_NOTIFICATION } = proto.Message.ProtocolMessage.Type;
const { INITIAL_STATUS_V3 } = proto.HistorySync.HistorySyncType;

/** What the linked phone says of a part of its past: where it is, and how to open it. */
export type HistoryNotice = proto.Message.IHistorySyncNotification;

/** The notice within a decrypted message of the own phone; undefined when it is about something else. */
export function noticeIn(attrs: BinaryNodeAttributes, plain: Uint8Array): HistoryNotice | undefined {
  if (attrs.category !== 'peer') return undefined;
  try {
    const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain));
    const notice = protocolMessage?.historySyncNotification;
    // status posts are no chats
    const isChats = notice?.syncType !== INITIAL_STATUS_V3;
    return protocolMessage?.type === HISTORY_SYNC_NOTIFICATION && isChats ? (notice ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** True when a stanza comes from a device of the account itself, whose past nobody else can tell. */
export function isFromOwn(
  attrs: BinaryNodeAttributes,
  me: { id?: string; lid?: string | undefined } | undefined,
): boolean {
  return areJidsSameUser(attrs.from, me?.id) || areJidsSameUser(attrs.from, me?.lid);
}

/** The notice that a journal entry holds, and whose past it is about; undefined when it holds none. */
export function noticeOf(entry: JournalEntry): { notice: HistoryNotice; account: Person } | undefined {
  try {
    const { attrs } = decodeStanza(entry.stanza);
    const notice = noticeIn(attrs, entry.plain);
    return notice && { notice, account: personOf(attrs.from) };
  } catch {
    // what was not seen whole, or is damaged, is no notice
    return undefined;
  }
}
