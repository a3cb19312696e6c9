import { createHash } from 'node:crypto';

/** A place in a trace, as the W3C recommendation Trace Context passes it on. */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** False: the trace is passed on, but nothing of it is recorded. */
  readonly isSampled: boolean;
  /** The `tracestate` of other systems, unchanged; empty if there is none. */
  readonly state: string;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** `internal` unless named. */
  kind?: 'internal' | 'server' | 'client' | 'producer';
  /** By default the context of the running work; null begins a new trace. */
  parent?: TraceContext | null | undefined;
  /** Never a text, a token, a phone number or an address with one of them. */
  attributes?: SpanAttributes;
  /** By the monotonic clock; now unless named. */
  startedAt?: number | undefined;
}

/** A span that is over. */
export interface PastSpan extends SpanOptions {
  /** By the monotonic clock; now unless named. */
  endedAt?: number | undefined;
  error?: string | undefined;
}

/** A step that is being measured. */
export interface Span {
  readonly context: TraceContext;
  set(attributes: SpanAttributes): void;
  /** Ends it, once. @param error code or name of what failed; undefined for a success */
  end(error?: string): void;
}

/** Measures steps as spans of traces. The daemon has one; without an exporter it is `NO_TRACING`. */
export interface Tracing {
  readonly isOn: boolean;
  start(name: string, options?: SpanOptions): Span;
  /** Measures work, which becomes the parent of spans inside. */
  in<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Records a span that is over. @param context if its ids were made beforehand */
  record(name: string, context: TraceContext | undefined, options: PastSpan): void;
  /** Runs work as a part of a context; undefined changes nothing. */
  during<T>(context: TraceContext | undefined, work: () => T): T;
  /** The context of the running work. */
  current(): TraceContext | undefined;
  /** Whether a trace that begins here is recorded: the same answer on every node. */
  samples(traceId: string): boolean;
  /** Milliseconds by the monotonic clock. */
  now(): number;
}

const NO_CONTEXT: TraceContext = {
  traceId: '0'.repeat(32),
  spanId: '0'.repeat(16),
  isSampled: false,
  state: '',
};
const NO_SPAN: Span = { context: NO_CONTEXT, set: () => undefined, end: () => undefined };

/** Measures nothing, passes nothing on, and loads nothing. */
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
/** Longer ones may be dropped, says the recommendation. */
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

/** A repeated `traceparent` is invalid; a repeated `tracestate` is one list. */
function textOf(header: unknown): string {
  return [header ?? []].flat().join(',').trim();
}

/** The headers that pass a context on; none where there is no trace. */
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

/** Reads what `writeTrace` wrote. */
export function readTrace(text: string): TraceContext | undefined {
  const [traceparent, ...state] = text.split(' ');
  return readTraceHeaders({ traceparent, tracestate: state.join(' ') });
}

/**
 * The ids of a message's span, from the session and the message id: each node that finishes the message, also after a crash, finds
 * the same ones without having been told.
 */
export function idsOfMessage(clientId: string, messageId: string): Pick<TraceContext, 'traceId' | 'spanId'> {
  const hash = createHash('sha256').update(`${clientId}\0${messageId}`).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}
