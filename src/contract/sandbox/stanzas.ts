import Joi from 'joi';
import { count, named, oneOf, record, type TypeOf, text } from '../schema.js';
import { deviceParams } from './fields.js';
import { controlOperation } from './operation.js';

const MAX_TEXT = 1024 * 1024;
const MAX_ATTR = 4_096;
const MAX_CHILDREN = 10_000;
const MAX_BODY_BYTES = 2 * 1024 * 1024;
const NAME = /^[A-Za-z][A-Za-z0-9:._-]{0,63}$/;

const name = Joi.string().pattern(NAME, 'name');

/** A stanza as JSON, with at most one of `children`, `text` and `base64` (bytes). */
export interface StanzaJson {
  tag: string;
  attrs?: Record<string, string>;
  children?: StanzaJson[];
  text?: string;
  base64?: string;
}

const schemaName = 'StanzaJson';
const stanza = Joi.object<StanzaJson, false, StanzaJson>({
  tag: name.required().example('message'),
  attrs: Joi.object().pattern(name, Joi.string().allow('').max(MAX_ATTR)).optional(),
  children: Joi.array()
    .items(Joi.link(`#${schemaName}`))
    .max(MAX_CHILDREN)
    .optional(),
  text: Joi.string().allow('').max(MAX_TEXT).optional(),
  base64: Joi.string().base64().allow('').max(MAX_TEXT).optional(),
})
  .oxor('children', 'text', 'base64')
  .id(schemaName)
  .meta({ name: schemaName });

/** A stanza of the stream that shows all of them. */
export const stanzaEvent = named('StanzaEvent', {
  type: oneOf('stanza'),
  number: text.description("Number of the device's owner; empty for a device that is not linked yet"),
  device: count.description('Id of the device; 0 for one that is not linked yet'),
  direction: oneOf('in', 'out').description('`in`: from the client to the network'),
  stanza,
});

export type StanzaEvent = TypeOf<typeof stanzaEvent>;

/** The stanzas between the network and its clients. */
export const stanzas = {
  send: controlOperation({
    method: 'POST',
    path: '/phones/{number}/devices/{id}/stanza',
    summary: 'Send a stanza to a connected device, as it stands; the answer shows it as it left',
    params: deviceParams,
    body: stanza,
    maxBytes: MAX_BODY_BYTES,
    answer: record({ stanza }),
    example: { stanza: { tag: 'message', attrs: {} } },
    errors: ['device_unknown', 'device_not_connected'],
    client: { gives: 'stanza' },
  }),
};
