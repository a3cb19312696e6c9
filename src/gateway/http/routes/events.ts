import { events } from '../../../contract/event-stream.js';
import { sessionFilter } from '../caller.js';
import { type Route, route } from '../route.js';

export const eventRoutes: readonly Route[] = [
  route(events.streamEvents, async (request, { eventStreams }, h) => {
    // a reconnecting browser sends the header by itself, so the header is newer than the query
    const lastEventId = request.headers['last-event-id'] || request.query.lastEventId;
    const { rooms, withinMs } = request.query;
    const filter = {
      ...sessionFilter(request),
      ...(lastEventId && { lastEventId }),
      ...(withinMs && { withinMs }),
      rooms,
    };
    return h
      .response(await eventStreams.open(filter, request))
      .type('text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no');
  }),
];
