import Joi from 'joi';
import { readJson } from '../../src/domain/json.js';
import { type ReceivedCall, startReceiver, type TestReceiver } from './receiver.js';

/** A span as a collector got it. */
export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** Empty at the beginning of a trace. */
  parentSpanId: string;
  traceState: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  /** Of the failure; empty for a success. */
  error: string;
  attributes: Record<string, string | number | boolean>;
  /** The node that recorded it. */
  node: string;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number | string; boolValue?: boolean; doubleValue?: number };
}

interface ExportedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  traceState?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
}

interface ExportedTraces {
  resourceSpans: { resource: { attributes: Attribute[] }; scopeSpans: { spans: ExportedSpan[] }[] }[];
}

const attributes = Joi.array().items(
  Joi.object({ key: Joi.string().required(), value: Joi.object().required() }).unknown(),
);
const hex = (length: number) => Joi.string().hex().length(length).lowercase();
const exported = Joi.object<ExportedTraces>({
  resourceSpans: Joi.array()
    .items(
      Joi.object({
        resource: Joi.object({ attributes: attributes.required() }).unknown().required(),
        scopeSpans: Joi.array()
          .items(
            Joi.object({
              spans: Joi.array()
                .items(
                  Joi.object({
                    traceId: hex(32).required(),
                    spanId: hex(16).required(),
                    parentSpanId: hex(16),
                    traceState: Joi.string(),
                    name: Joi.string().required(),
                    kind: Joi.number().required(),
                    startTimeUnixNano: Joi.string().pattern(/^\d+$/).required(),
                    endTimeUnixNano: Joi.string().pattern(/^\d+$/).required(),
                    attributes: attributes.required(),
                  }).unknown(),
                )
                .required(),
            }).unknown(),
          )
          .required(),
      }).unknown(),
    )
    .required(),
});

/** An OpenTelemetry collector that takes traces by OTLP over HTTP, as JSON. */
export class Collector {
  readonly receiver: TestReceiver;

  private constructor(receiver: TestReceiver) {
    this.receiver = receiver;
  }

  static async start(): Promise<Collector> {
    return new Collector(
      await startReceiver((response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
      ),
    );
  }

  get url(): string {
    return this.receiver.url;
  }

  get spans(): CollectedSpan[] {
    return this.receiver.calls.flatMap(spansIn);
  }

  /** What it got, as text. */
  get text(): string {
    return this.receiver.calls.map(({ body }) => body).join('\n');
  }

  /** The first span that fits, whether it came already or comes later. */
  async find(fits: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
    const call = await this.receiver.find((candidate) => spansIn(candidate).some(fits));
    const span = spansIn(call).find(fits);
    if (!span) throw new Error('unreachable: the call was found by its span');
    return span;
  }

  /** The span of that name about that message. */
  ofMessage(name: string, messageId: string): Promise<CollectedSpan> {
    return this.find((span) => span.name === name && span.attributes['switchboard.message_id'] === messageId);
  }

  /** The spans of a trace that came so far. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  stop(): Promise<void> {
    return this.receiver.stop();
  }
}

function spansIn({ path, body }: ReceivedCall): CollectedSpan[] {
  if (path !== '/v1/traces') return [];
  const { value, error } = exported.validate(readJson(body), { convert: false });
  if (error) throw error;
  return value.resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const node = String(attributesIn(resource.attributes)['service.instance.id'] ?? '');
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...spanOf(span), node })));
  });
}

function spanOf({ parentSpanId = '', traceState = '', ...span }: ExportedSpan): Omit<CollectedSpan, 'node'> {
  const found = attributesIn(span.attributes);
  const { traceId, spanId, name, kind } = span;
  return {
    ...{ traceId, spanId, parentSpanId, traceState, name, kind },
    startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6,
    error: String(found['error.type'] ?? ''),
    attributes: found,
  };
}

function attributesIn(list: readonly Attribute[]): CollectedSpan['attributes'] {
  return Object.fromEntries(
    list.map(({ key, value }) => {
      const { stringValue, intValue, boolValue, doubleValue } = value;
      return [key, stringValue ?? boolValue ?? doubleValue ?? Number(intValue)];
    }),
  );
}
