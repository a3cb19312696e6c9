import type { MessageTrace, TraceStore } from '../store.js';
import type { Sealers } from './sealer.js';

/** Seals the secrets of messages. */
export function sealedTraces(traces: TraceStore, sealers: Sealers): TraceStore {
  const place = ({ messageId }: MessageTrace) => ['traces', 'secret', messageId];
  return {
    async add(clientId, trace) {
      const secret = trace.secret && (await sealers.of(clientId)).seal(place(trace), trace.secret);
      await traces.add(clientId, { ...trace, secret });
    },
    async get(clientId, messageId) {
      const trace = await traces.get(clientId, messageId);
      if (!trace?.secret) return trace;
      const sealer = await sealers.of(clientId);
      return { ...trace, secret: sealer.open(place(trace), trace.secret) };
    },
    rekey: (clientId, pn, lid) => traces.rekey(clientId, pn, lid),
    prune: (sentBefore) => traces.prune(sentBefore),
  };
}
