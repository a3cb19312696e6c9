import { type Span, type TraceContext, type Tracing, traceHeaders } from '../../domain/tracing.js';
import type { WebhookFacts } from '../../domain/webhook-headers.js';
import type { CallResult } from './webhook.js';

/** Dependencies of the spans of attempts. */
export interface AttemptTraces {
  tracing: Tracing;
  /** The span of a message, for attempts that were left by an earlier run or are made long after it. Never rejects. */
  find(clientId: string, messageId: string): Promise<TraceContext | undefined>;
}

/**
 * Makes a call to a receiver, as a span if tracing is on: the receiver gets its context in the headers of the call. The span names
 * the host only, because people put tokens into paths and queries.
 */
export async function traced<Facts extends WebhookFacts>(
  traces: AttemptTraces | undefined,
  target: { origin: string; broker?: string | undefined },
  facts: Facts,
  call: (facts: Facts) => Promise<CallResult>,
): Promise<CallResult> {
  if (!traces?.tracing.isOn) return call(facts);
  const span = await startAttempt(traces, target, facts);
  const result = await call({ ...facts, headers: { ...facts.headers, ...traceHeaders(span.context) } });
  const { outcome, status } = result;
  span.set({ 'switchboard.outcome': outcome, ...(status > 0 && { 'http.response.status_code': status }) });
  if (outcome === 'delivered') span.end();
  else span.end(status > 0 ? String(status) : 'no_answer');
  return result;
}

async function startAttempt(
  { tracing, find }: AttemptTraces,
  { origin, broker }: { origin: string; broker?: string | undefined },
  { deliveryId, type, attempt, of }: WebhookFacts,
): Promise<Span> {
  const { clientId = '', messageId = '' } = of ?? {};
  const { hostname, port } = new URL(origin);
  // a queued call runs in the trace context of whatever filled the queue, so use the job's own context
  const found = of?.trace ?? (messageId ? await find(clientId, messageId) : null);
  return tracing.start(`attempt ${attempt}`, {
    kind: 'client',
    parent: of ? found : undefined,
    attributes: {
      ...(of && { 'switchboard.session': clientId }),
      ...(messageId && { 'switchboard.message_id': messageId }),
      'switchboard.event': type,
      'switchboard.delivery_id': deliveryId,
      'switchboard.attempt': attempt,
      ...(!broker && { 'http.request.method': 'POST' }),
      'server.address': hostname,
      ...(port && { 'server.port': Number(port) }),
    },
  });
}
