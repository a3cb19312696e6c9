/** A JSON object; its members are unchecked. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads JSON as a value that the caller has to check; the only place that parses JSON.
 * @param reviver such as one that brings bytes back
 * @throws SyntaxError if the text is not JSON
 */
export function readJson(text: string, reviver?: (key: string, value: unknown) => unknown): unknown {
  return JSON.parse(text, reviver);
}

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return undefined;
  }
}

/** @returns undefined if the text is not a JSON object */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}

/**
 * Reads the answer of a Switchboard server that a person or program has chosen. Checks only that the answer is a JSON
 * object, without a schema: the client of the package has no dependencies, and Joi with the contract would cost each
 * command 0.2 s of processor time. Instead the server checks its answers against the contract in development
 * (`--check-answers`), and so in all tests over HTTP. Text for a terminal is cleaned in any case. Answers on which a
 * daemon acts, such as the reports of other nodes (`http/fleet-report.ts`), are validated by a schema or a reader.
 * @throws SyntaxError if the text is not a JSON object
 */
export function readAnswer<Answer>(text: string): Answer {
  const value = readJson(text);
  if (!isAnswer<Answer>(value)) throw new SyntaxError('the answer is not a JSON object');
  return value;
}

function isAnswer<Answer>(value: unknown): value is Answer {
  return isObject(value);
}
