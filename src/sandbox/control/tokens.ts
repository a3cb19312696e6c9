import type { Server } from '@hapi/hapi';
import Joi from 'joi';
import type { TokenRequest } from '../api.js';
import type { Parts } from '../clients/parts.js';
import { type NumberParams, numberField, numberParams } from '../fields.js';
import { issueToken, tokenOf } from '../people/tokens.js';

const payload = Joi.object({ to: numberField.required(), t: Joi.number().integer().min(1) }).required();

/** Trusted-contact tokens, which one person gives another, and the salt of the tokens for first contacts. */
export function tokenRoutes(server: Server, { network, phones }: Parts): void {
  server.route<{ Params: NumberParams; Payload: TokenRequest }>({
    method: 'POST',
    path: '/phones/{number}/tokens',
    options: { validate: { params: numberParams, payload } },
    handler: ({ params, payload: { to, t } }, h) => {
      const issuer = network.directory.require(params.number);
      issueToken(network, issuer, network.directory.require(to), t);
      return h.response().code(204);
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'GET',
    path: '/phones/{number}/tokens',
    options: { validate: { params: numberParams } },
    handler: ({ params }) => {
      const issuer = network.directory.require(params.number);
      const issued = [...network.directory.accounts].flatMap((holder) => {
        const token = tokenOf(issuer, holder);
        return token ? [{ to: holder.number, t: token.t }] : [];
      });
      return { tokens: issued };
    },
  });
  server.route<{ Params: NumberParams }>({
    method: 'POST',
    path: '/phones/{number}/salt',
    options: { validate: { params: numberParams } },
    handler: async ({ params }, h) => {
      await phones.of(network.directory.require(params.number)).settings.renewSalt();
      return h.response().code(204);
    },
  });
}
