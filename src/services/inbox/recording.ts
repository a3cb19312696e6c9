import type { EventEnvelope } from '../../events/envelope.js';
import type { StoredType } from '../../kinds/kind.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Authorship } from '../authorship.js';

/** What the history is told of a message: what the receiver is told, and what is not for receivers. */
export interface Recording {
  event: EventEnvelope;
  /** With the content that the event was made of. */
  message: IncomingMessage;
  author: Authorship;
  /** Undefined when it changes an earlier message and is no row of its own. */
  storedType: StoredType | undefined;
  /** Of an API send. */
  metaData?: Record<string, unknown> | undefined;
}
