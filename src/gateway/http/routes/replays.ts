import { replays } from '../../../contract/replays.js';
import { placeIn, placeText } from '../../../domain/pages.js';
import type { KeptEvent } from '../../store/store.js';
import { type Route, route } from '../route.js';

export const replayRoutes: readonly Route[] = [
  route(replays.listKeptEvents, async ({ query }, { services }) => {
    const { clientId, from, to, type, limit, before } = query;
    const found = await services.replays.list({
      ...{ clientId, limit, order: 'newest first' as const },
      from: from ? Date.parse(from) : undefined,
      to: to ? Date.parse(to) : undefined,
      types: type ? [type] : undefined,
      after: before ? placeIn(before) : undefined,
    });
    const last = found.length === limit ? found.at(-1) : undefined;
    return { keptEvents: found.map(view), next: last && placeText(last.at, last.id) };
  }),
  route(replays.replay, async ({ payload }, { services }) => {
    const { from, to, ids, types, after, ...wish } = payload;
    const { next, ...result } = await services.replays.replay({
      ...wish,
      from: from ? Date.parse(from) : undefined,
      to: to ? Date.parse(to) : undefined,
      ids,
      types,
      after: after ? placeIn(after) : undefined,
    });
    const { clientId, receiver } = wish;
    return {
      ok: true as const,
      clientId,
      receiver,
      ...result,
      next: next && placeText(next.at, next.id),
    };
  }),
];

function view({ id, clientId, at, type, messageId, size }: Omit<KeptEvent, 'body'>) {
  return { id, clientId, at: new Date(at).toISOString(), type, messageId, bytes: size };
}
