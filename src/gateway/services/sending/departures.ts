import type { Clock, EpochMs } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import type { Link, LinkFactory, PreparedMessage, Remedy } from '../../link/link.js';
import type { LiveLinks } from '../access.js';
import type { Admission } from '../policies/admission.js';
import type { Session } from '../sessions/session.js';
import type { MessageSpans } from '../spans.js';
import { type OwnMessage, recordOf, type SentMessage } from './own-message.js';
import type { SendRecords } from './send-records.js';

/** For a session without a policy. */
const NO_GUARD = { check: () => true } as const;

/** A message that may leave. */
interface Departing {
  session: Session;
  message: OwnMessage;
  /** Absent if the session has no policy. */
  admission: Admission | undefined;
}

/** A message on its way to the network, over one connection or several. */
interface Departure extends Departing {
  /** The content of the next copy: every copy is the same once the first one is recorded. */
  content: OwnMessage['content'];
  isRecorded: boolean;
  /** Copies prepared so far, with that of the record. */
  copies: number;
  /** The time in its record. */
  sentAt: EpochMs;
}

/** Brings messages to the network: prepare → record → relay, until the network acknowledges a copy. */
export class Departures {
  readonly #options;

  constructor(options: {
    records: SendRecords;
    liveLinks: LiveLinks;
    links: Pick<LinkFactory, 'decode'>;
    spans: MessageSpans;
    clock: Clock;
  }) {
    this.#options = options;
  }

  /**
   * Sends a message, over several connections if need be: an ended connection does not say whether the message arrived.
   * @param gone aborted when the caller hangs up
   * @throws GatewayError as `Link.prepare` and `Link.relay`, `policy_refused`, `store_unavailable`
   */
  async leave(departing: Departing, gone: AbortSignal | undefined): Promise<SentMessage> {
    const { session, message, admission } = departing;
    const { kept, mayHaveArrived = false, content } = message;
    const departure: Departure = {
      ...{ ...departing, content },
      isRecorded: mayHaveArrived && !admission,
      copies: mayHaveArrived ? 1 : 0,
      sentAt: kept?.sentAt ?? 0,
    };
    try {
      return await this.#options.liveLinks.withLink(
        session,
        (link) => this.#leaveOver(link, departure),
        gone,
      );
    } catch (error) {
      return this.#arrivedAfterAll(departure, error);
    }
  }

  async #leaveOver(link: Link, departure: Departure): Promise<SentMessage> {
    const { message } = departure;
    const { messageId, to, quoted, audience } = message;
    const { spans } = this.#options;
    let remedy: Remedy | undefined;
    for (;;) {
      const prepared = await link.prepare({
        ...{ messageId, to, quoted, audience, remedy },
        content: departure.content,
      });
      // the answer to an earlier copy may have come meanwhile
      const proven = this.#provenCopy(departure);
      if (proven) return proven;
      await spans.step('outbox', () => unlessEnded(link, this.#record(departure, prepared)));
      const relayed = await spans.relay(() => relay(link, prepared, departure.admission));
      if (!relayed) return { content: prepared.content, sentAt: departure.sentAt };
      remedy = relayed;
    }
  }

  /** Writes the record of a message before its first copy leaves, and asks its policy again before each further one. */
  async #record(departure: Departure, { encoded }: PreparedMessage): Promise<void> {
    const { session, message, admission, isRecorded } = departure;
    const { records, spans, clock } = this.#options;
    const { clientId } = session;
    departure.copies += 1;
    if (isRecorded) return admission?.judgeFurtherCopy();
    const stamp = await admission?.judgeFirstCopy();
    // an open record keeps its time: the message may have been announced with it before a crash
    const { kept } = message;
    departure.sentAt = kept && !kept.closed ? kept.sentAt : (stamp?.sentAt ?? clock.now());
    const record = recordOf(message, encoded, { ...stamp, sentAt: departure.sentAt });
    await records.put(clientId, { ...spans.noted(clientId, message.messageId), ...record });
    await admission?.judgeRecorded();
    departure.isRecorded = true;
    departure.content = { encoded };
  }

  /** Returns the message if a proof came although its last copy failed. @throws the error that the caller gets */
  #arrivedAfterAll(departure: Departure, error: unknown): SentMessage {
    const { message, admission, content, copies } = departure;
    const { messageId, held } = message;
    // this copy did not arrive, but an earlier copy may have
    if (held && copies > 1 && isGatewayError(error, 'send_rejected'))
      throw new GatewayError('send_rejected', error.message, { cause: error, messageId });
    const proven = this.#provenCopy(departure);
    if (proven) return proven;
    // an earlier attempt may have left
    const isRefused = admission?.hasLeft && isGatewayError(error, 'policy_refused');
    if (!('encoded' in content) || !(isRefused || isGatewayError(error, 'send_not_connected'))) throw error;
    const why = isRefused ? ` It was not sent again: ${error.message}.` : '';
    const text = `The connection ended before there was proof that the message arrived.${why}`;
    throw new GatewayError('send_cut_off', text, { cause: error });
  }

  /** The message, if an earlier copy is proven to have arrived. */
  #provenCopy({ session, message, content, sentAt }: Departure): SentMessage | undefined {
    const { records, links } = this.#options;
    if (!('encoded' in content) || !records.isProven(session.clientId, message.messageId)) return undefined;
    return { content: links.decode(content.encoded), sentAt };
  }
}

/** Relays a prepared message past its policy. @returns what the next copy needs, if the network refused this one */
async function relay(
  link: Link,
  message: PreparedMessage,
  admission: Admission | undefined,
): Promise<Remedy | undefined> {
  for (;;) {
    const relayed = await link.relay(message, admission ?? NO_GUARD);
    if (relayed.outcome === 'acknowledged') return undefined;
    if (relayed.outcome === 'refused') return relayed.remedy;
    if (admission) await unlessEnded(link, admission.judgeBlocked());
  }
}

/**
 * The result of a step between preparing and relaying.
 * @throws GatewayError `send_not_connected` if the link has ended when the step fails: the next link repeats the step
 */
async function unlessEnded(link: Link, step: Promise<void>): Promise<void> {
  try {
    await step;
  } catch (error) {
    if (link.isUp()) throw error;
    const message = 'The connection ended before the message left.';
    throw new GatewayError('send_not_connected', message, { cause: error });
  }
}
