import type { ComposedContent, EncodedContent, QuotedReference } from '../../link/link.js';
import { readObject } from '../../store/port/json.js';
import type { SentRecord } from '../../store/store.js';
import type { Admission, SendStamp } from './admission.js';

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
  /** Of a session with a policy. */
  admission?: Admission;
  /** It was written down before, and may have left. */
  isKept?: boolean;
  /** Of a message that its policy held back, as `SentRecord.held`. */
  held?: string;
}

/** A recorded message, to be sent again as it was. */
export function draftOf({ messageId, to, content, metaData, fileName, held }: SentRecord): Draft {
  return {
    messageId,
    to,
    content: { encoded: content },
    isKept: true,
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
