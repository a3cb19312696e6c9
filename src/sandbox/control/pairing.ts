import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { Network } from '../network.js';
import { unlink } from '../routing/devices.js';
import { type NumberParams, numberParams } from './fields.js';

const MAX_QR = 1_000;

const codeField = Joi.string()
  .uppercase()
  .replace(/[\s-]/g, '')
  .pattern(/^[0-9A-Z]{8}$/, 'pairing code')
  .messages({ 'string.pattern.name': '{{#label}} must be 8 letters and digits' });

/** A phone links devices, and removes them. */
export function pairingRoutes(server: Server, network: Network): void {
  server.route<{ Params: NumberParams; Payload: { qr: string } }>({
    method: 'POST',
    path: '/phones/{number}/scan',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({ qr: Joi.string().max(MAX_QR).required() }).required(),
      },
    },
    handler: async ({ params, payload }) => {
      const account = network.registry.require(params.number);
      return { device: await network.pairing.scan(account, payload.qr) };
    },
  });
  server.route<{ Params: NumberParams; Payload: { code: string } }>({
    method: 'POST',
    path: '/phones/{number}/enter-code',
    options: {
      validate: { params: numberParams, payload: Joi.object({ code: codeField.required() }).required() },
    },
    handler: async ({ params, payload }) => {
      const account = network.registry.require(params.number);
      return { device: await network.pairing.codes.enter(account, payload.code) };
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'POST',
    path: '/phones/{number}/unlink',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => {
      const account = network.registry.require(params.number);
      const companions = [...account.companions.values()];
      for (const companion of companions) unlink(network, companion);
      return { unlinked: companions.length };
    },
  });
}
