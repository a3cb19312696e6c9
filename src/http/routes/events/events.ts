import Joi from 'joi';
import { sessionFilter } from '../../caller.js';
import { LONGEST_PAST_MS } from '../../events/event-stream.js';
import { ID_LENGTH } from '../../events/places.js';
import { route } from '../../route.js';
import { clientId } from '../../schemas.js';

interface EventsQuery {
  clientId?: string;
  lastEventId?: string;
  withinMs?: number;
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
  description: 'Every event and every delivery attempt of all nodes, live, as server-sent events',
  query: Joi.object<EventsQuery>({
    clientId: clientId.optional(),
    lastEventId: entryId,
    withinMs: Joi.number().integer().min(0).max(LONGEST_PAST_MS),
    rooms: Joi.boolean().default(false),
  }),
  headers: Joi.object<EventsHeaders>({ 'last-event-id': entryId.label('Last-Event-ID') }).unknown(),
  async handler(request, { eventStreams }, h) {
    // a header is what a browser sends by itself when it comes back, so it is newer than the query
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
  },
});
