import Joi from 'joi';
import { AMPLE } from './fields.js';
import { operation } from './operation.js';
import { clientId, flag, optional, record } from './schema.js';

/** Positions in one id of the stream: one of each node. */
export const STREAM_POSITIONS = 128;
/** Characters of the longest position, with its separator. */
const POSITION_LENGTH = 33;
/** Characters of the longest id. */
export const STREAM_ID_LENGTH = STREAM_POSITIONS * POSITION_LENGTH;
/** Milliseconds: the limit of `withinMs`. */
export const LONGEST_PAST_MS = 24 * 60 * 60 * 1_000;

const entryId = Joi.string().allow('').max(STREAM_ID_LENGTH).meta(AMPLE);

export const events = {
  streamEvents: operation({
    method: 'GET',
    path: '/events',
    owner: 'any',
    summary: 'Stream every event and every delivery attempt of all nodes, live, as server-sent events',
    description:
      'The data of each server-sent event is one `StreamEntry` as JSON; its id resumes the stream.',
    query: record({
      clientId: optional(clientId).description('Only this session'),
      lastEventId: optional(
        entryId.description('Resume after this entry; the header `Last-Event-ID` does the same'),
      ),
      withinMs: optional(
        Joi.number()
          .integer()
          .min(0)
          .max(LONGEST_PAST_MS)
          .description('Begin with the entries of the last so many milliseconds, up to a day'),
      ),
      rooms: flag
        .default(false)
        .description('`true` adds the kind `room`: changes of rooms of the hosted inbox'),
    }),
    headers: record({
      'last-event-id': optional(entryId.label('Last-Event-ID').description('Resume after this entry')),
    }).unknown(),
    answer: 'text/event-stream',
    errors: ['too_many_streams', 'streams_full'],
  }),
};
