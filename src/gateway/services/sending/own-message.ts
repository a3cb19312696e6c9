import type { EpochMs } from '../../../domain/clock.js';
import { readAudience, type StatusAudience, writeAudience } from '../../../domain/status-audience.js';
import type { ComposedContent, EncodedContent, MessageContent, QuotedReference } from '../../link/link.js';
import { readObject } from '../../store/port/json.js';
import type { SentRecord } from '../../store/store.js';
import type { SendStamp } from '../policies/admission.js';

/** An own message that is composed, or was recorded before, and is to leave. */
export interface OwnMessage {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  content: ComposedContent | EncodedContent;
  quoted?: QuotedReference;
  metaData?: Record<string, unknown>;
  /** Name that the caller gave the file. */
  fileName?: string;
  /** All its texts, for the policy; empty if only the hash in its record is known. */
  text: string;
  /** Whether the message changes or deletes an earlier one, or reacts to it; no rule holds such a message back. */
  isChange: boolean;
  /** The record of an earlier copy, which is counted already. */
  kept?: SentRecord | undefined;
  /** The earlier copy may have arrived, so `content` is that of its record; otherwise the network refused it. */
  mayHaveArrived?: boolean;
  /** No caller waits for an answer: only restrictions of the network hold the message back. */
  isResumed?: boolean | undefined;
  /** Who gets it, for a status. */
  audience?: StatusAudience | undefined;
  /** `SentRecord.held` of a message that its policy held back. */
  held?: string;
}

/** A message that the network has. */
export interface SentMessage {
  content: MessageContent;
  /** The time in its record. */
  sentAt: EpochMs;
}

/** A recorded message, to be sent again as it was. @param asked facts for the policy that the record does not hold */
export function recordedMessage(
  record: SentRecord,
  asked: Pick<OwnMessage, 'text' | 'isResumed'>,
): OwnMessage {
  const { messageId, to, content, metaData, fileName, held, counted } = record;
  const audience = readAudience(record.audience);
  return {
    messageId,
    to,
    content: { encoded: content },
    ...asked,
    isChange: counted === 'nothing',
    kept: record,
    mayHaveArrived: true,
    ...(metaData && { metaData: readObject(metaData) }),
    ...(fileName && { fileName }),
    ...(held && { held }),
    ...(audience && { audience }),
  };
}

/** The record of a message that is about to leave. */
export function recordOf(
  { messageId, to, metaData, fileName, held, audience }: OwnMessage,
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
    ...(audience && { audience: writeAudience(audience) }),
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
