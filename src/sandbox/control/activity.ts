import { activity } from '../../contract/sandbox/activity.js';
import { actOnCall, ring } from '../people/calls.js';
import { setPhonePresence } from '../people/presence.js';
import { typeOnPhone } from '../routing/chatstates.js';
import { type Route, route } from './route.js';

/** Calls, and what people show of themselves: that they type, and that they are online. */
export const activityRoutes: readonly Route[] = [
  route(activity.ring, ({ params, payload }, { network }) =>
    ring(network, network.directory.require(params.number), payload),
  ),
  route(activity.calls, ({ params }, { network }) => ({
    calls: network.calls.of(network.directory.require(params.number)),
  })),
  route(activity.act, ({ params, payload }, { network }) =>
    actOnCall(network, network.directory.require(params.number), params.callId, payload.action),
  ),
  route(activity.type, ({ params, payload }, { network }) => {
    typeOnPhone(network, network.directory.require(params.number), payload);
  }),
  route(activity.presence, ({ params }, { network }) =>
    network.presence.view(network.directory.require(params.number)),
  ),
  route(activity.setOnline, ({ params, payload }, { network }) => {
    const account = network.directory.require(params.number);
    setPhonePresence(network, account, payload.online);
    return network.presence.view(account);
  }),
];
