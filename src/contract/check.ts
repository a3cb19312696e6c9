import type { Schema } from 'joi';
import { readJson } from '../domain/json.js';

/** The operation whose answer is checked. */
interface Checked {
  method: string;
  path: string;
  answer?: Schema | string;
}

/** Checks an answer as the caller will read it: without what JSON leaves out. @throws Error that says what breaks the contract */
export function checkAnswer({ method, path, answer }: Checked, body: unknown): void {
  if (answer === undefined || typeof answer === 'string') return;
  const read = readJson(JSON.stringify(body));
  const { error } = answer.validate(read, { abortEarly: false, convert: false });
  if (error) throw new Error(`the answer of ${method} ${path} breaks the contract: ${error.message}`);
}

/** The error of a failure whose code the contract does not list. */
export function unlistedCode({ method, path }: Checked, code: string, cause: unknown): Error {
  return new Error(`${method} ${path} failed with ${code}, which the contract does not list for it`, {
    cause,
  });
}
