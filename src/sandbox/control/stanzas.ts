import type { Server } from '@hapi/hapi';
import type { StanzaJson } from '../api-stanzas.js';
import type { Parts } from '../clients/parts.js';
import { type DeviceParams, deviceParams } from '../fields.js';
import { isTooDeep, jsonOf, stanzaOf, stanzaSchema } from '../wire/json.js';
import { Refusal } from '../wire/refusals.js';

/** Single stanzas, as a test or a curious person writes them. */
export function stanzaRoutes(server: Server, { network }: Parts): void {
  server.route<{ Params: DeviceParams; Payload: StanzaJson }>({
    method: 'POST',
    path: '/phones/{number}/devices/{id}/stanza',
    options: {
      payload: { maxBytes: 2 * 1024 * 1024 },
      validate: { params: deviceParams, payload: stanzaSchema.required() },
    },
    handler: ({ params, payload }) => {
      const { number, id } = params;
      const companion = network.directory.require(number).companions.get(id);
      if (!companion) throw new Refusal(404, `${number} has no device ${id}`);
      if (!companion.connection) throw new Refusal(409, `device ${id} of ${number} is not connected`);
      if (isTooDeep(payload)) throw new Refusal(400, 'the stanza has more than 32 levels');
      const sent = stanzaOf(payload);
      companion.connection.send(sent);
      return { stanza: jsonOf(sent) };
    },
  });
}
