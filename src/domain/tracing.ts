import { createHash } from 'node:crypto';

/** A position in a trace, as defined by the W3C recommendation Trace Context. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** If false, the trace is passed on but not recorded. */
  readonly isSampled: boolean;
  /** The `tracestate` of other systems, unchanged; empty if there is none. */
  readonly state: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Kind of the span; default: `internal`. */
  kind?: 'internal' | 'server' | 'client' | 'producer';
  /** Parent of the span; default: the context of the running work; null begins a new trace. */
  parent?: TraceContext | null | undefined;
  /** Attributes; must not contain texts, tokens or phone numbers, or addresses with one of them. */
  attributes?: SpanAttributes;
  /** On the monotonic clock; default: now. */
  startedAt?: number | undefined;
}

/** A span that has already ended. */
export interface PastSpan extends SpanOptions {
  /** On the monotonic clock; default: now. */
  endedAt?: number | undefined;
  error?: string | undefined;
}

/** A span in progress. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Ends the span, once. @param error code or name of the failure; undefined for a success */
  end(error?: string): void;
}

/** Records spans. Each daemon has one instance; without an exporter it is `NO_TRACING`. */
export interface Tracing {
  readonly isOn: boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Records work as a span, which is the parent of spans inside. */
  in<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Records a span that has already ended. @param context fixed ids for the span */
  record(name: string, context: TraceContext | undefined, options: PastSpan): void;
  /** Runs work as a part of a context; undefined changes nothing. */
  during<T>(context: TraceContext | undefined, work: () => T): T;
  /** The context of the running work. */
  current(): TraceContext | undefined;
  /** Whether a trace that begins here is recorded; all nodes give the same answer. */
  samples(traceId: string): boolean;
  /** Milliseconds on the monotonic clock. */
  now(): number;
}

const NO_CONTEXT: TraceContext = {
  traceId: '0'.repeat(32),
  spanId: '0'.repeat(16),
  isSampled: false,
  state: '',
};
const NO_SPAN: Span = { context: NO_CONTEXT, set: () => undefined, end: () => undefined };

/** Tracing that is off: records nothing and passes nothing on. */
export const NO_TRACING: Tracing = {
  isOn: false,
  start: () => NO_SPAN,
  in: (_name, _options, work) => work(NO_SPAN),
  record: () => undefined,
  during: (_context, work) => work(),
  current: () => undefined,
  samples: () => false,
  now: () => 0,
};

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NOTHING = /^0+$/;
const SAMPLED = 1;
/** Longest `tracestate` that is kept; the recommendation allows dropping longer ones. */
const MAX_STATE = 512;
const PRINTABLE = /^[\x20-\x7e]*$/;

/** Reads the headers of a request; undefined without a valid `traceparent`. */
export function readTraceHeaders({
  traceparent,
  tracestate,
}: Readonly<Record<string, unknown>>): TraceContext | undefined {
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(textOf(traceparent)) ?? [];
  if (!version || !traceId || !spanId || !flags || version === 'ff') return undefined;
  if ((version === '00' && more !== undefined) || NOTHING.test(traceId) || NOTHING.test(spanId))
    return undefined;
  const state = textOf(tracestate);
  const isUsable = state.length <= MAX_STATE && PRINTABLE.test(state);
  return {
    traceId,
    spanId,
    isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED,
    state: isUsable ? state : '',
  };
}

/** A header as text. A repeated `traceparent` is invalid; a repeated `tracestate` is one list. */
function textOf(header: unknown): string {
  return [header ?? []].flat().join(',').trim();
}

/** The headers that pass a context on; none without a trace. */
export function traceHeaders(context: TraceContext | undefined): Record<string, string> {
  if (!context || context === NO_CONTEXT) return {};
  const { traceId, spanId, isSampled, state } = context;
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return { traceparent, ...(state && { tracestate: state }) };
}

/** A context as text for a record. */
export function writeTrace(context: TraceContext): string {
  return Object.values(traceHeaders(context)).join(' ');
}

/** Reads a text of `writeTrace`. */
export function readTrace(text: string): TraceContext | undefined {
  const [traceparent, ...state] = text.split(' ');
  return readTraceHeaders({ traceparent, tracestate: state.join(' ') });
}

/**
 * The ids of a message's span, derived from session and message id, so that each node that finishes the message, even
 * after a crash, has the same ids without communication.
 */
export function idsOfMessage(clientId: string, messageId: string): Pick<TraceContext, 'traceId' | 'spanId'> {
  const hash = createHash('sha256').update(`${clientId}\0${messageId}`).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}
