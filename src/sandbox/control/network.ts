import { network as api } from '../../contract/sandbox/network.js';
import { advanceTime, viewTime } from '../state/time.js';
import { type Route, route } from './route.js';

/** The network's demands of clients, its time and its counters. */
export const networkRoutes: readonly Route[] = [
  route(api.network, (_request, { network }) => network.rules.view()),
  route(api.changeNetwork, ({ payload }, { network: { rules } }) => {
    rules.change(payload);
    return rules.view();
  }),
  route(api.clock, (_request, { network }) => viewTime(network)),
  route(api.advanceClock, async ({ payload }, { network }) => {
    await advanceTime(network, payload.advance);
    return viewTime(network);
  }),
  route(api.visits, (_request, { network }) => ({ connections: network.visits.list() })),
  route(api.stats, (_request, { network }) => network.counters()),
  route(api.publicRootKey, (_request, { network }) => ({
    publicKey: network.authority.root.public.toString('base64'),
  })),
];
