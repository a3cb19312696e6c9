import { NO_TRACING, type Span, type TraceContext, type Tracing } from '../domain/tracing.js';
import type { WebhookFacts } from './webhook-headers.js';

/** What spans of attempts need. */
export interface AttemptTraces {
  tracing: Tracing;
  /** The span of a message, for attempts that were left by an earlier run or are made long after it. Never rejects. */
  find(clientId: string, messageId: string): Promise<TraceContext | undefined>;
}

export const NO_TRACES: AttemptTraces = { tracing: NO_TRACING, find: async () => undefined };

/** Begins the span of a call to a receiver. It names the host only: people put tokens into paths and queries. */
export async function startAttempt(
  { tracing, find }: AttemptTraces,
  { origin }: { origin: string },
  { deliveryId, type, attempt, of }: WebhookFacts,
): Promise<Span> {
  const { clientId = '', messageId = '' } = of ?? {};
  const { hostname, port } = new URL(origin);
  // the call of a queue runs in the context of whatever filled the queue
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
      'http.request.method': 'POST',
      'server.address': hostname,
      ...(port && { 'server.port': Number(port) }),
    },
  });
}

/** Ends the span of a call. */
export function endAttempt(span: Span, { outcome, status }: { outcome: string; status: number }): void {
  span.set({ 'switchboard.outcome': outcome, ...(status > 0 && { 'http.response.status_code': status }) });
  if (outcome === 'delivered') span.end();
  else span.end(status > 0 ? String(status) : 'no_answer');
}
