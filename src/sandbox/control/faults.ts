import { faults as api, type FaultRequest } from '../../contract/sandbox/faults.js';
import { announceRestrictions, restrictionsOf } from '../people/restrictions.js';
import { faultOf } from '../state/faults.js';
import { Refusal } from '../wire/refusals.js';
import { type Route, route } from './route.js';

/** The longest time of a fault that does not end by itself. */
const MAX_MS = 600_000;

/** Failures that the network plays on request. */
export const faultRoutes: readonly Route[] = [
  route(api.fault, ({ payload }, { network }) => {
    checkOrder(payload);
    const { kind, number, ...rest } = payload;
    const account = number === undefined ? undefined : network.directory.require(number);
    const before = restrictionsOf(network);
    network.faults.order(kind, rest, network.connections, account);
    announceRestrictions(network, before);
    return payload;
  }),
  route(api.clearFaults, (_request, { network }) => {
    const before = restrictionsOf(network);
    network.faults.clear();
    announceRestrictions(network, before);
  }),
];

/** @throws Refusal `invalid_request` when the order does not fit its kind */
function checkOrder({ kind, number, ms, step }: FaultRequest): void {
  const fault = faultOf(kind);
  if (fault.takesTime && ms === undefined) throw invalid(`"ms" is required with ${kind}`);
  if (!fault.ends && (ms ?? 0) > MAX_MS) throw invalid(`"ms" must be at most ${MAX_MS} with ${kind}`);
  if (fault.takesStep !== (step && true))
    throw invalid(`"step" is ${fault.takesStep ? 'required' : 'not allowed'} with ${kind}`);
  if (fault.isNumberless && number) throw invalid(`"number" is not allowed with ${kind}`);
}

function invalid(message: string): Refusal {
  return new Refusal('invalid_request', message);
}
