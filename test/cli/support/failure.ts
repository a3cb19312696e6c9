import { CliError } from '../../../src/cli/cli-error.js';

/** The foreseen failure that a call ends with; anything else is an error of the test. */
export async function failureOf(call: Promise<unknown>): Promise<CliError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof CliError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
