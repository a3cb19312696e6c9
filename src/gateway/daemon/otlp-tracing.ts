import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { type EpochMs, endsWithin, type MonotonicClock } from '../../domain/clock.js';
import { isGatewayError } from '../../domain/errors.js';
import type { PastSpan, Span, SpanOptions, TraceContext, Tracing } from '../../domain/tracing.js';
import type { Logger } from '../log.js';

/** Spans that may wait for the collector; further ones are dropped. */
const QUEUE = 8_192;
/** Spans that are exported by one call. */
const BATCH = 512;
/** Characters of an attribute. */
const MAX_TEXT = 256;
/** Milliseconds between two exports; a killed process loses the spans since the last one. */
const EVERY_MS = 1_000;
/** Milliseconds for one export with its retries. */
const EXPORT_MS = 5_000;
/** Milliseconds for the last export at a stop. */
const STOP_MS = 3_000;
/** Milliseconds by which the machine's clock may be adjusted before spans follow the adjustment. */
const MAX_DRIFT_MS = 20;
/** Path of traces, below the URL of a collector. */
const TRACES_PATH = '/v1/traces';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
} as const;

export interface OtlpOptions {
  /** URL of the collector; spans go to `/v1/traces` below it. */
  endpoint: string;
  headers: Record<string, string>;
  /** The share of the traces that begin here and are recorded, from 0 to 1. */
  ratio: number;
  node: string;
  version: string;
  /** The clock of the machine, because spans are compared with those of other programs. */
  clock: MonotonicClock;
  log: Logger;
}

/** Tracing that exports spans by OTLP over HTTP. */
export interface OtlpTracing extends Tracing {
  /** Exports the remaining spans, for a few seconds at most. Never rejects. */
  stop(): Promise<void>;
}

/** Starts to export spans. Loaded only when tracing is on, because its packages are optional. */
export function startOtlpTracing(options: OtlpOptions): OtlpTracing {
  const { clock, ratio, log, version } = options;
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const ids = new FixableIds();
  const provider = new TracerProvider({
    resource: resourceOf(options),
    sampler: new ParentBasedSampler({ root: sampler }),
    idGenerator: ids,
    // limit lengths, because strangers choose the ids of their messages
    spanLimits: { attributeValueLengthLimit: MAX_TEXT },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: exporterTo(options),
        maxQueueSize: QUEUE,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: 2 * EXPORT_MS,
      }),
    ],
  });
  const spans = new OtlpSpans(provider.getTracer('switchboard', version), ids, clock);
  return Object.assign(spans, {
    samples: (traceId: string) =>
      sampler.shouldSample(ROOT_CONTEXT, traceId).decision === SamplingDecision.RECORD_AND_SAMPLED,
    async stop() {
      const stopped = provider.shutdown().catch(() => undefined);
      if (!(await endsWithin(clock, STOP_MS, stopped))) log.warn('the last traces could not be exported');
    },
  });
}

class OtlpSpans {
  readonly isOn = true;
  readonly #running = new AsyncLocalStorage<TraceContext>();
  readonly #tracer: Tracer;
  readonly #ids: FixableIds;
  readonly #clock: MonotonicClock;
  /** When the monotonic clock was at 0. */
  #origin: EpochMs;

  constructor(tracer: Tracer, ids: FixableIds, clock: MonotonicClock) {
    this.#tracer = tracer;
    this.#ids = ids;
    this.#clock = clock;
    this.#origin = clock.now() - clock.monotonic();
  }

  start(name: string, options: SpanOptions = {}): Span {
    const span = this.#start(name, options);
    const { traceId, spanId, traceFlags, traceState } = span.spanContext();
    const isSampled = (traceFlags & TraceFlags.SAMPLED) === TraceFlags.SAMPLED;
    return {
      context: { traceId, spanId, isSampled, state: traceState?.serialize() ?? '' },
      set: (attributes) => void span.setAttributes(attributes),
      end: (error) => this.#end(span, error),
    };
  }

  async in<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.start(name, options);
    try {
      const result = await this.during(span.context, () => work(span));
      span.end();
      return result;
    } catch (error) {
      span.end(nameOf(error));
      throw error;
    }
  }

  record(name: string, context: TraceContext | undefined, { error, endedAt, ...options }: PastSpan): void {
    this.#end(
      this.#ids.fixed(context, () => this.#start(name, options)),
      error,
      endedAt,
    );
  }

  during<T>(context: TraceContext | undefined, work: () => T): T {
    return context ? this.#running.run(context, work) : work();
  }

  current(): TraceContext | undefined {
    return this.#running.getStore();
  }

  now(): number {
    return this.#clock.monotonic();
  }

  #start(name: string, { kind = 'internal', parent, attributes, startedAt }: SpanOptions): SdkSpan {
    const context = parent === undefined ? this.current() : (parent ?? undefined);
    const startTime = this.#timeOf(startedAt);
    return this.#tracer.startSpan(
      name,
      { kind: KINDS[kind], startTime, ...(attributes && { attributes }) },
      contextOf(context),
    );
  }

  #end(span: SdkSpan, error: string | undefined, endedAt?: number): void {
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(this.#timeOf(endedAt));
  }

  /** A time as seconds and nanoseconds, because the library takes a small number for milliseconds since the start of the process. */
  #timeOf(monotonic = this.#clock.monotonic()): [number, number] {
    const origin = this.#clock.now() - this.#clock.monotonic();
    // keep one origin for all spans: `now` is rounded, so otherwise a step could begin before its parent
    if (Math.abs(origin - this.#origin) > MAX_DRIFT_MS) this.#origin = origin;
    const ms = this.#origin + monotonic;
    const seconds = Math.floor(ms / 1_000);
    return [seconds, Math.round((ms - seconds * 1_000) * 1_000_000)];
  }
}

/** Generates random ids, or uses the given ones for the next span. */
class FixableIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #fixed: Pick<TraceContext, 'traceId' | 'spanId'> | undefined;

  fixed<T>(ids: Pick<TraceContext, 'traceId' | 'spanId'> | undefined, start: () => T): T {
    this.#fixed = ids;
    try {
      return start();
    } finally {
      this.#fixed = undefined;
    }
  }

  generateTraceId = () => this.#fixed?.traceId ?? this.#random.generateTraceId();
  generateSpanId = () => this.#fixed?.spanId ?? this.#random.generateSpanId();
}

function contextOf(context: TraceContext | undefined): Context {
  if (!context) return ROOT_CONTEXT;
  const { traceId, spanId, isSampled, state } = context;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
    ...(state && { traceState: createTraceState(state) }),
  });
}

/** The code of a failure: its message may name people. */
function nameOf(error: unknown): string {
  if (isGatewayError(error)) return error.code;
  return error instanceof Error ? error.name : 'error';
}

/** The attributes of this process; the standard variables OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence. */
function resourceOf({ node, version }: OtlpOptions) {
  const ours = { 'service.name': 'switchboard', 'service.version': version, 'service.instance.id': node };
  return defaultResource()
    .merge(resourceFromAttributes(ours))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** The exporter, which logs once when the collector stops answering, and once when it answers again. */
function exporterTo({ endpoint, headers, log }: OtlpOptions): SpanExporter {
  const base = endpoint.replace(/\/+$/, '');
  const url = base.endsWith(TRACES_PATH) ? base : `${base}${TRACES_PATH}`;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_MS });
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error && !isFailing) {
          const { origin } = new URL(url);
          log.warn(
            { err: error, collector: origin },
            'traces cannot be exported; they are dropped until it answers',
          );
        } else if (!error && isFailing) log.info('traces are exported again');
        isFailing = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}
