import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { FaultRequest } from '../api.js';
import { FAULTS } from '../faults/index.js';
import type { Network } from '../network.js';
import { Refusal } from '../refusal.js';
import { numberField } from './fields.js';

const MAX_COUNT = 1_000_000;
const MAX_MS = 600_000;
const kinds = FAULTS.map(({ kind }) => kind).sort();

const faultPayload = Joi.object({
  kind: Joi.string()
    .valid(...kinds)
    .required(),
  number: numberField,
  count: Joi.number().integer().min(1).max(MAX_COUNT),
  ms: Joi.number().integer().min(0).max(MAX_MS),
}).required();

/** Disturbances. */
export function faultRoutes(server: Server, network: Network): void {
  server.route<{ Payload: FaultRequest }>({
    method: 'POST',
    path: '/faults',
    options: { validate: { payload: faultPayload } },
    handler: ({ payload }, h) => {
      const { kind, number, ...rest } = payload;
      const fault = FAULTS.find((one) => one.kind === kind);
      if (!fault) throw new Refusal(400, `"kind" must be one of ${kinds.join(', ')}`);
      if (fault.takesTime && rest.ms === undefined) throw new Refusal(400, `"ms" is required with ${kind}`);
      if (fault.isNumberless && number) throw new Refusal(400, `"number" is not allowed with ${kind}`);
      const account = number === undefined ? undefined : network.registry.require(number);
      network.faults.order(fault, rest, network, account);
      return h.response(payload).code(201);
    },
  });
  server.route({
    method: 'DELETE',
    path: '/faults',
    handler: (_request, h) => {
      network.faults.clear();
      return h.response().code(204);
    },
  });
}
