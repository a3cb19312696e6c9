import type { Plugin } from '@hapi/hapi';
import { readTraceHeaders, type Span, type Tracing } from '../../../domain/tracing.js';
import { ERROR_HEADER } from './errors.js';
import { QUIET_PATHS, statusOf } from './log.js';
import { NO_ROUTE, STREAM } from './metrics.js';

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** Span of a traced request. */
    span?: Span;
  }
}

/** Measures requests as spans, in the trace of their callers. Registered only when tracing is on. */
export const traces: Plugin<{ tracing: Tracing }> = {
  name: 'traces',
  register(server, { tracing }) {
    // the route is known, and no work has begun
    server.ext('onPreAuth', (request, h) => {
      const isQuiet = QUIET_PATHS.has(request.path) || request.path === STREAM;
      // skip a caller that has gone already, because no response event follows
      if (isQuiet || request.info.completed > 0) return h.continue;
      const { traceparent, tracestate } = request.headers;
      const parent = readTraceHeaders({ traceparent, tracestate }) ?? null;
      const method = request.method.toUpperCase();
      const { path } = request.route;
      const isKnown = path !== NO_ROUTE;
      const attributes = { 'http.request.method': method, ...(isKnown && { 'http.route': path }) };
      const name = isKnown ? `${method} ${path}` : method;
      request.plugins.span = tracing.start(name, { kind: 'server', parent, attributes });
      return h.continue;
    });
    server.events.on('response', (request) => {
      const { span } = request.plugins;
      const status = statusOf(request);
      const { response } = request;
      const code = response && 'headers' in response ? response.headers[ERROR_HEADER] : undefined;
      span?.set({ 'http.response.status_code': status });
      span?.end(code === undefined && status < 400 ? undefined : String(code ?? status));
    });
  },
};
