import Joi, { type AnySchema } from 'joi';
import { readJson } from '../../domain/json.js';

/** Bytes, in base64 in the row. */
export const storedBytes = Joi.string()
  .allow('')
  .required()
  .custom((text: string) => Buffer.from(text, 'base64'));

/** A pair of keys. */
export const storedPair = Joi.object({ public: storedBytes, private: storedBytes }).unknown().required();

/**
 * Reads a row of the stored state. Fields that the schema does not name are taken as they are, where it allows them: the
 * sandbox wrote them itself.
 * @throws Error that names the field, if the row is damaged
 */
export function readRow<Row>(schema: AnySchema<Row>, text: string): Row {
  const { error, value } = schema.validate(readJson(text), { convert: false });
  if (error) throw new Error(`a row of the sandbox's state is damaged: ${error.message}`);
  return value;
}
