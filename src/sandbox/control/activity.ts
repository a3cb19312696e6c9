import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { CALL_ACTIONS, type CallAction, type RingRequest, type TypingRequest } from '../api.js';
import type { Parts } from '../clients/parts.js';
import { type NumberParams, numberParams, partnerField } from '../fields.js';
import { actOnCall, ring } from '../people/calls.js';
import { setPhonePresence } from '../people/presence.js';
import { typeOnPhone } from '../routing/chatstates.js';

const MAX_CALL_ID = 64;

/** Calls, and what people show of themselves: that they type, and that they are online. */
export function activityRoutes(server: Server, { network }: Parts): void {
  callRoutes(server, network);
  server.route<{ Params: NumberParams; Payload: TypingRequest }>({
    method: 'POST',
    path: '/phones/{number}/typing',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({
          to: partnerField.required(),
          state: Joi.string().valid('composing', 'recording', 'paused').required(),
        }).required(),
      },
    },
    handler: ({ params, payload }, h) => {
      typeOnPhone(network, network.directory.require(params.number), payload);
      return h.response().code(204);
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/presence',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => network.presence.view(network.directory.require(params.number)),
  });
  server.route<{ Params: NumberParams; Payload: { online: boolean } }>({
    method: 'POST',
    path: '/phones/{number}/presence',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({ online: Joi.boolean().required() }).required(),
      },
    },
    handler: ({ params, payload }) => {
      const account = network.directory.require(params.number);
      setPhonePresence(network, account, payload.online);
      return network.presence.view(account);
    },
  });
}

function callRoutes(server: Server, network: Parts['network']): void {
  server.route<{ Params: NumberParams; Payload: RingRequest }>({
    method: 'POST',
    path: '/phones/{number}/calls',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({ to: partnerField.required(), video: Joi.boolean() }).required(),
      },
    },
    handler: ({ params, payload }, h) =>
      h.response(ring(network, network.directory.require(params.number), payload)).code(201),
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/calls',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({ calls: network.calls.of(network.directory.require(params.number)) }),
  });
  server.route<{ Params: NumberParams & { callId: string }; Payload: { action: CallAction } }>({
    method: 'POST',
    path: '/phones/{number}/calls/{callId}',
    options: {
      validate: {
        params: numberParams.keys({ callId: Joi.string().max(MAX_CALL_ID).required() }),
        payload: Joi.object({
          action: Joi.string()
            .valid(...CALL_ACTIONS)
            .required(),
        }).required(),
      },
    },
    handler: ({ params, payload }) =>
      actOnCall(network, network.directory.require(params.number), params.callId, payload.action),
  });
}
