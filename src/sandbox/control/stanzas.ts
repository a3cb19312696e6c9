import { stanzas as api } from '../../contract/sandbox/stanzas.js';
import { isTooDeep, jsonOf, stanzaOf } from '../wire/json.js';
import { Refusal } from '../wire/refusals.js';
import { type Route, route } from './route.js';

/** Single stanzas, as a test or a curious person writes them. */
export const stanzaRoutes: readonly Route[] = [
  route(api.send, ({ params: { number, id }, payload }, { network }) => {
    const companion = network.directory.requireDevice(number, id);
    if (!companion.connection)
      throw new Refusal('device_not_connected', `device ${id} of ${number} is not connected`);
    if (isTooDeep(payload)) throw new Refusal('invalid_request', 'the stanza has more than 32 levels');
    const sent = stanzaOf(payload);
    companion.connection.send(sent);
    return { stanza: jsonOf(sent) };
  }),
];
