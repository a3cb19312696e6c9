import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { ProfileUpdate } from '../api.js';
import type { Network } from '../network.js';
import { type NumberParams, numberField, numberParams } from './fields.js';

const MAX_NAME = 100;
const MAX_STATUS = 139;

const profileFields = {
  name: Joi.string().min(1).max(MAX_NAME),
  status: Joi.string().allow('').max(MAX_STATUS),
  username: Joi.string().allow('').max(MAX_NAME),
  onlyAdminsAddMe: Joi.boolean(),
};

/** People and their phones. */
export function phoneRoutes(server: Server, network: Network): void {
  server.route<{ Payload: { number: string; name?: string } }>({
    method: 'POST',
    path: '/phones',
    options: {
      validate: {
        payload: Joi.object({ number: numberField.required(), name: profileFields.name }).required(),
      },
    },
    handler: ({ payload }, h) => {
      const { account } = network.addPhone(payload.number, payload.name ?? payload.number);
      const { number, name, jid, lid } = account.view();
      return h.response({ number, name, jid, lid }).code(201);
    },
  });
  server.route({
    method: 'GET',
    path: '/phones',
    handler: () => ({ phones: [...network.registry.accounts].map((account) => account.view()) }),
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => network.registry.require(params.number).view(),
  });
  server.route<{ Params: NumberParams; Payload: ProfileUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}',
    options: { validate: { params: numberParams, payload: Joi.object(profileFields).min(1).required() } },
    handler: async ({ params, payload }) => {
      const account = network.registry.require(params.number);
      const { name, ...profile } = payload;
      Object.assign(account.record, profile);
      account.keep();
      if (name !== undefined) await network.settings.of(account).rename(name);
      return account.view();
    },
  });
}
