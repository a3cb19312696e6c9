import Joi from 'joi';
import { sessionFilter } from '../../caller.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

const ID_LENGTH = 64;

interface EventsQuery {
  clientId?: string;
  lastEventId?: string;
  rooms: boolean;
}

interface EventsHeaders {
  'last-event-id'?: string;
}

const entryId = Joi.string().allow('').max(ID_LENGTH);

export const events = route({
  method: 'GET',
  path: '/events',
  owner: 'any',
  description: 'Every event and every delivery attempt, live, as server-sent events',
  query: Joi.object<EventsQuery>({
    clientId: clientId.optional(),
    lastEventId: entryId,
    rooms: Joi.boolean().default(false),
  }),
  headers: Joi.object<EventsHeaders>({ 'last-event-id': entryId.label('Last-Event-ID') }).unknown(),
  handler(request, { eventStreams }, h) {
    // a header is what a browser sends by itself when it comes back, so it is newer than the query
    const lastEventId = request.headers['last-event-id'] || request.query.lastEventId;
    const { rooms } = request.query;
    const stream = eventStreams.open({
      ...sessionFilter(request),
      ...(lastEventId && { lastEventId }),
      rooms,
    });
    return h
      .response(stream)
      .type('text/event-stream')
      .header('cache-control', 'no-cache, no-transform')
      .header('x-accel-buffering', 'no');
  },
});
