import { boundedCache } from '../../domain/bounded-cache.js';
import { isGatewayError } from '../../domain/errors.js';
import { type SessionMessage, sessionMessage } from '../../domain/session-message.js';
import {
  idsOfMessage,
  readTrace,
  type SpanAttributes,
  type TraceContext,
  type Tracing,
  writeTrace,
} from '../../domain/tracing.js';
import type { SentRecord, Store } from '../store/store.js';
import { Interrupted } from './store-retry.js';

/** Messages whose contexts are remembered. */
const MESSAGES = 20_000;

/** The trace context of a message. */
interface Known {
  context: TraceContext;
  /** Context of its request. */
  parent: TraceContext | undefined;
  /** The span was recorded: a repetition gets a child span. */
  isRecorded: boolean;
  /** Statuses that were recorded: in a group every member sends receipts. */
  statuses: Set<string>;
}

/** The message that a span is about. */
interface TracedMessage {
  clientId: string;
  messageId: string;
}

interface MessageWork {
  attributes?: SpanAttributes;
  /** When the work began, on the monotonic clock. */
  startedAt?: number | undefined;
  /** An earlier run, another node or another attempt began the work. */
  isResumed?: boolean;
}

/**
 * The spans of messages. The ids of the span of a message follow from its session and its id, so that each process that
 * continues the message continues the trace; the process that finishes the message records the span. A send with a
 * request is in the trace of the request, which its record names. Decision 35 has the details.
 */
export class MessageSpans {
  readonly #tracing: Tracing;
  readonly #sends: Pick<Store['sends'], 'get'>;
  readonly #known = boundedCache<Known>(MESSAGES);

  constructor(tracing: Tracing, sends: Pick<Store['sends'], 'get'>) {
    this.#tracing = tracing;
    this.#sends = sends;
  }

  /** Records a child span for a step of the current message. */
  step<T>(name: string, work: () => Promise<T>): Promise<T> {
    return this.#tracing.in(name, {}, work);
  }

  /** Processes a message that arrived. A refused one, such as a second copy, leaves no span. */
  async receive(
    message: TracedMessage,
    work: MessageWork,
    process: () => Promise<'processed' | 'unreadable' | 'refused'>,
  ): Promise<void> {
    if (!this.#tracing.isOn) return void (await process());
    const isNew = !this.#known.has(keyOf(message));
    const known = this.#begin(message, undefined);
    const { startedAt } = work;
    const journalled = { parent: known.context, startedAt, endedAt: this.#tracing.now() };
    const outcome = await this.#measure('receive', message, known, work, process, (ended) => ended);
    // the message may be a copy of an own send, which belongs to the trace of its request
    if (outcome === 'refused' && isNew) this.#known.delete(keyOf(message));
    if (outcome !== 'refused' && startedAt !== undefined)
      this.#tracing.record('journal', undefined, journalled);
  }

  /** Sends a message for a request. */
  send<T extends { status: string }>(
    message: TracedMessage,
    attributes: SpanAttributes,
    process: () => Promise<T>,
  ): Promise<T> {
    if (!this.#tracing.isOn) return process();
    const known = this.#begin(message, this.#tracing.current());
    return this.#measure('send', message, known, { attributes }, process, ({ status }) => status);
  }

  /** Continues a send whose record was kept. */
  resume<T>(clientId: string, record: SentRecord, process: () => Promise<T>): Promise<T> {
    if (!this.#tracing.isOn) return process();
    const { messageId, trace = '', held, closed } = record;
    const message = { clientId, messageId };
    const known = this.#begin(message, readTrace(trace));
    // the request was answered, so its span was recorded, perhaps by another process
    known.isRecorded ||= closed || held !== undefined;
    return this.#measure('send', message, known, { isResumed: true }, process, () => 'continued');
  }

  /** Announces an own message: part of its send. */
  echo(message: TracedMessage, process: () => Promise<void>): Promise<void> {
    if (!this.#tracing.isOn) return process();
    return this.#tracing.during(this.#contextOf(message), process);
  }

  /** Records a child span for a message on the wire: from its record to its acknowledgement. */
  relay<T>(work: () => Promise<T>): Promise<T> {
    return this.#tracing.in('relay', { kind: 'producer' }, work);
  }

  /** The trace context for the record of a send. */
  noted(clientId: string, messageId: string): Pick<SentRecord, 'trace'> {
    const parent = this.#known.get(keyOf({ clientId, messageId }))?.parent;
    return parent ? { trace: writeTrace(parent) } : {};
  }

  /** Records a receipt, or the failure, of a message; once for each status. Never rejects. */
  async status(clientId: string, messageId: string, status: string): Promise<void> {
    if (!this.#tracing.isOn) return;
    const message = { clientId, messageId };
    const parent = await this.find(clientId, messageId);
    const statuses = this.#known.get(keyOf(message))?.statuses;
    if (statuses?.has(status)) return;
    statuses?.add(status);
    const attributes = { ...attributesOf(message), 'switchboard.status': status };
    this.#tracing.record(`status ${status}`, undefined, { parent, attributes });
  }

  /** The context of a message, for later spans; undefined without tracing. Never rejects. */
  async find(clientId: string, messageId: string): Promise<TraceContext | undefined> {
    if (!this.#tracing.isOn) return undefined;
    const message = { clientId, messageId };
    const known = this.#known.get(keyOf(message));
    if (known) return known.context;
    try {
      const { trace = '' } = (await this.#sends.get(clientId, messageId)) ?? {};
      return (this.#known.get(keyOf(message)) ?? this.#begin(message, readTrace(trace))).context;
    } catch {
      // the next call asks the store again
      return this.#contextOf(message);
    }
  }

  #contextOf(message: TracedMessage): TraceContext {
    return this.#known.get(keyOf(message))?.context ?? this.#make(message, undefined);
  }

  /** @param parent of its request; the trace of a message without one begins with it */
  #make({ clientId, messageId }: TracedMessage, parent: TraceContext | undefined): TraceContext {
    const { traceId, spanId } = idsOfMessage(clientId, messageId);
    if (parent) return { ...parent, spanId };
    return { traceId, spanId, isSampled: this.#tracing.samples(traceId), state: '' };
  }

  #begin(message: TracedMessage, parent: TraceContext | undefined): Known {
    const known = this.#known.get(keyOf(message));
    const context = this.#make(message, parent);
    // another copy of the message, or a repeated request
    if (known && (!parent || known.context.traceId === context.traceId)) return known;
    const begun: Known = { context, parent, isRecorded: false, statuses: new Set() };
    this.#known.set(keyOf(message), begun);
    return begun;
  }

  async #measure<T>(
    name: string,
    message: TracedMessage,
    known: Known,
    { attributes = {}, startedAt = this.#tracing.now(), isResumed = false }: MessageWork,
    process: () => Promise<T>,
    outcomeOf: (result: T) => string,
  ): Promise<T> {
    const { context, parent = null } = known;
    const record = (outcome: string, error?: string) => {
      if (outcome === 'refused') return;
      const all = {
        ...attributesOf(message),
        ...attributes,
        ...(isResumed && { 'switchboard.resumed': true }),
        'switchboard.outcome': outcome,
      };
      const span = { startedAt, attributes: all, error };
      if (known.isRecorded) return this.#tracing.record(name, undefined, { ...span, parent: context });
      known.isRecorded = true;
      this.#tracing.record(name, context, { ...span, parent });
    };
    try {
      const result = await this.#tracing.during(context, process);
      record(outcomeOf(result));
      return result;
    } catch (error) {
      // the process that continues the message records its span
      if (!(error instanceof Interrupted)) record('failed', codeOf(error));
      throw error;
    }
  }
}

function keyOf({ clientId, messageId }: TracedMessage): SessionMessage {
  return sessionMessage(clientId, messageId);
}

function attributesOf({ clientId, messageId }: TracedMessage): SpanAttributes {
  return { 'switchboard.session': clientId, 'switchboard.message_id': messageId };
}

function codeOf(error: unknown): string {
  if (isGatewayError(error)) return error.code;
  return error instanceof Error ? error.name : 'error';
}
