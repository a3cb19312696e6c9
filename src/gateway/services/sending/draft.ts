import type { ComposedContent, EncodedContent, QuotedReference } from '../../link/link.js';
import { readObject } from '../../store/port/json.js';
import type { SentRecord } from '../../store/store.js';
import type { Admission, SendStamp } from '../policies/admission.js';

/** A composed message that is not sent yet. */
export interface Draft {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference;
  metaData?: Record<string, unknown>;
  /** Name that the caller gave the file. */
  fileName?: string;
  /** Admission by the policy; absent if the session has none. */
  admission?: Admission;
  /** The record of an earlier attempt, which may have left. */
  kept?: Pick<SentRecord, 'sentAt' | 'closed'>;
  /** `SentRecord.held` of a message that its policy held back. */
  held?: string;
}

/** A recorded message, to be sent again as it was. */
export function draftOf(record: SentRecord): Draft {
  const { messageId, to, content, metaData, fileName, held, sentAt, closed } = record;
  return {
    messageId,
    to,
    content: { encoded: content },
    kept: { sentAt, closed },
    ...(metaData && { metaData: readObject(metaData) }),
    ...(fileName && { fileName }),
    ...(held && { held }),
  };
}

/** The record of a message that is about to leave. */
export function recordOf(
  { messageId, to, metaData, fileName, held }: Draft,
  encoded: Uint8Array,
  { counted, textHash, sentAt }: Pick<SendStamp, 'sentAt'> & Partial<SendStamp>,
): SentRecord {
  return {
    messageId,
    to,
    content: encoded,
    metaData: metaData ? JSON.stringify(metaData) : '',
    fileName: fileName ?? '',
    ...(counted && { counted }),
    ...(textHash && { textHash }),
    sentAt,
    acknowledged: false,
    closed: false,
    ...(held && { held }),
  };
}

const SECOND_MS = 1_000;

/**
 * The time of the event of an own message, in milliseconds since the epoch: when its record was written, because a crash can come
 * between an announcement and any later time. In whole seconds, as the network dates messages, so that an answer in the same second
 * does not sort before it.
 */
export function eventTimeOf({ sentAt }: Pick<SentRecord, 'sentAt'>): number {
  return Math.floor(sentAt / SECOND_MS) * SECOND_MS;
}
