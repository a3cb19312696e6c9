import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import { ASSERTION_FLAWS, type AssertionFlaw, type ProfileUpdate, type RefreshRequest } from '../api.js';
import type { Parts } from '../clients/parts.js';
import {
  type DeviceParams,
  deviceParams,
  MAX_PICTURE_BODY_BYTES,
  type NumberParams,
  numberField,
  numberParams,
  pictureField,
} from '../fields.js';
import { assert } from '../pairing/authenticator.js';
import { changeNumber, changeProfile } from '../phone/profile.js';
import { unlink } from '../routing/devices.js';
import { Refusal } from '../wire/refusals.js';

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
  passkey: Joi.string().valid('required', 'off'),
};

/** People and their phones. */
export function phoneRoutes(server: Server, { network, phones }: Parts): void {
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
      const account = phones.create(payload.number, payload.name ?? payload.number);
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
    handler: () => ({ phones: [...network.directory.accounts].map((account) => account.view()) }),
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => network.directory.require(params.number).view(),
  });
  server.route<{ Params: DeviceParams }>({
    method: 'GET',
    path: '/phones/{number}/devices/{id}',
    options: { validate: { params: deviceParams } },
    handler: ({ params }) => {
      const companion = network.directory.require(params.number).companions.get(params.id);
      if (!companion) throw new Refusal(404, `${params.number} has no device ${params.id}`);
      return companion.details();
    },
  });
  server.route<{ Params: NumberParams; Payload: ProfileUpdate }>({
    method: 'PATCH',
    path: '/phones/{number}',
    options: {
      payload: { maxBytes: MAX_PICTURE_BODY_BYTES },
      validate: { params: numberParams, payload: Joi.object(profileFields).min(1).required() },
    },
    handler: async ({ params, payload }) => {
      const account = network.directory.require(params.number);
      await changeProfile(network, phones.of(account), payload);
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
      const account = network.directory.require(params.number);
      changeNumber(network, account, payload.number);
      return account.view();
    },
  });
}

const MAX_QR = 1_000;
const MAX_QRS = 100;
const MAX_REFRESHES = 20;
const qrField = Joi.string().max(MAX_QR);

const codeField = Joi.string()
  .uppercase()
  .replace(/[\s-]/g, '')
  .pattern(/^[0-9A-Z]{8}$/, 'pairing code')
  .messages({ 'string.pattern.name': '{{#label}} must be 8 letters and digits' });

/** Linking and unlinking devices. */
export function pairingRoutes(server: Server, { network, pairing }: Parts): void {
  server.route<{ Params: NumberParams; Payload: { qr: string } }>({
    method: 'POST',
    path: '/phones/{number}/scan',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({ qr: qrField.required() }).required(),
      },
    },
    handler: async ({ params, payload }) => {
      const account = network.directory.require(params.number);
      return { device: await pairing.scan(account, payload.qr) };
    },
  });
  server.route<{ Payload: RefreshRequest }>({
    method: 'POST',
    path: '/pairings/refresh',
    options: {
      validate: {
        payload: Joi.object({
          count: Joi.number().integer().min(1).max(MAX_REFRESHES),
          element: Joi.string().valid('companion_reg_refresh', 'pair-device-rotate-qr'),
          qrs: Joi.array().items(qrField).max(MAX_QRS),
        }).required(),
      },
    },
    handler: ({ payload }) => pairing.refresh(payload),
  });
  server.route<{ Params: NumberParams; Payload: { code: string } }>({
    method: 'POST',
    path: '/phones/{number}/enter-code',
    options: {
      validate: { params: numberParams, payload: Joi.object({ code: codeField.required() }).required() },
    },
    handler: async ({ params, payload }) => {
      const account = network.directory.require(params.number);
      return { device: await pairing.codes.enter(account, payload.code) };
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'POST',
    path: '/phones/{number}/unlink',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => {
      const account = network.directory.require(params.number);
      const companions = [...account.companions.values()];
      for (const companion of companions) unlink(network, companion);
      return { unlinked: companions.length };
    },
  });
}

/** The passkey ceremony: the phone of the account's owner, and the owner's authenticator. */
export function passkeyRoutes(server: Server, { network, pairing }: Parts): void {
  const { passkeys } = pairing;
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/passkey',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => passkeys.view(network.directory.require(params.number)),
  });
  server.route<{ Params: NumberParams }>({
    method: 'POST',
    path: '/phones/{number}/passkey/request',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => ({ devices: pairing.demandPasskey(network.directory.require(params.number)) }),
  });
  server.route<{ Params: NumberParams; Payload: { options: object; flaw?: AssertionFlaw } }>({
    method: 'POST',
    path: '/phones/{number}/passkey/assertion',
    options: {
      validate: {
        params: numberParams,
        payload: Joi.object({
          options: Joi.object().unknown().required(),
          flaw: Joi.string().valid(...ASSERTION_FLAWS),
        }).required(),
      },
    },
    handler: ({ params, payload }) => {
      const account = network.directory.require(params.number);
      const { passkey } = account.record;
      if (!passkey) throw new Refusal(409, `${account.number} has no passkey`);
      const assertion = assert(passkey, payload.options, payload.flaw);
      account.keep();
      return assertion;
    },
  });
  server.route<{ Params: NumberParams; Payload: { code: string } }>({
    method: 'POST',
    path: '/phones/{number}/passkey/confirm',
    options: {
      validate: { params: numberParams, payload: Joi.object({ code: codeField.required() }).required() },
    },
    handler: ({ params, payload }) =>
      passkeys.confirm(network.directory.require(params.number), payload.code),
  });
  server.route<{ Params: NumberParams }>({
    method: 'POST',
    path: '/phones/{number}/passkey/decline',
    options: { validate: { params: numberParams } },
    handler: ({ params }, h) => {
      passkeys.decline(network.directory.require(params.number));
      return h.response().code(204);
    },
  });
}
