import { traces } from '../../../contract/traces.js';
import { type Route, route } from '../route.js';

export const traceRoutes: readonly Route[] = [
  route(traces.messageTrace, ({ query: { clientId, messageId } }, { services }) =>
    services.traces.of(clientId, messageId),
  ),
];
