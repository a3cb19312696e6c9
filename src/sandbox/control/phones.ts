import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { ProfileUpdate } from '../api.js';
import type { Network } from '../network.js';
import { changeNumber } from '../people/number.js';
import { changeProfile } from '../people/profile.js';
import {
  MAX_PICTURE_BODY_BYTES,
  type NumberParams,
  numberField,
  numberParams,
  pictureField,
} from './fields.js';

const MAX_NAME = 100;
const MAX_STATUS = 139;

const profileFields = {
  name: Joi.string().min(1).max(MAX_NAME),
  status: Joi.string().allow('').max(MAX_STATUS),
  username: Joi.string().allow('').max(MAX_NAME),
  businessName: Joi.string().allow('').max(MAX_NAME),
  picture: pictureField,
  pictureHidden: Joi.boolean(),
  onlyAdminsAddMe: Joi.boolean(),
  hideLid: Joi.boolean(),
};

/** People and their phones. */
export function phoneRoutes(server: Server, network: Network): void {
  server.route<{ Payload: { number: string; name?: string; hideLid?: boolean } }>({
    method: 'POST',
    path: '/phones',
    options: {
      validate: {
        payload: Joi.object({
          number: numberField.required(),
          name: profileFields.name,
          hideLid: profileFields.hideLid,
        }).required(),
      },
    },
    handler: ({ payload }, h) => {
      const { account } = network.addPhone(payload.number, payload.name ?? payload.number);
      if (payload.hideLid) {
        account.record.hideLid = true;
        account.keep();
      }
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
    options: {
      payload: { maxBytes: MAX_PICTURE_BODY_BYTES },
      validate: { params: numberParams, payload: Joi.object(profileFields).min(1).required() },
    },
    handler: async ({ params, payload }) => {
      const account = network.registry.require(params.number);
      await changeProfile(network, account, payload);
      return account.view();
    },
  });
  server.route<{ Params: NumberParams; Payload: { number: string } }>({
    method: 'POST',
    path: '/phones/{number}/change-number',
    options: {
      validate: { params: numberParams, payload: Joi.object({ number: numberField.required() }).required() },
    },
    handler: ({ params, payload }) => {
      const account = network.registry.require(params.number);
      changeNumber(network, account, payload.number);
      return account.view();
    },
  });
}
