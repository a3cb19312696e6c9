import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import Joi from 'joi';
import { errorMessage } from '../../domain/errors.js';
import { parseJson } from '../../domain/json.js';
import { CliError } from '../cli/errors.js';
import { type ChosenKeys, problemOf } from './inbox/keys/bindings.js';

/** What an operator has chosen for the screens of `inbox` and `fleet`. */
export interface ScreenSettings {
  /** `auto` asks the terminal; `plain` uses only the 16 colours of the terminal's own theme. */
  theme: 'auto' | 'dark' | 'light' | 'plain';
  /** Whether clicks and the wheel are reported. */
  mouse: boolean;
  /** Other keys for actions of the inbox. */
  keys: ChosenKeys;
}

const schema = Joi.object<ScreenSettings>({
  theme: Joi.valid('auto', 'dark', 'light', 'plain').default('auto'),
  mouse: Joi.boolean().strict().default(true),
  keys: Joi.object()
    .pattern(Joi.string(), Joi.string())
    .default({})
    .custom((keys, helpers) => {
      const problem = problemOf(keys);
      return problem ? helpers.message({ custom: `"keys": ${problem}` }) : keys;
    }),
});

/**
 * Reads the settings; the usual ones without a file.
 * @param folder with the file `screens.json`
 * @throws CliError `usage` if a setting is invalid
 */
export async function readScreenSettings(folder: string): Promise<ScreenSettings> {
  const path = join(folder, 'screens.json');
  const text = await readFile(path, 'utf8').catch(missing);
  const parsed = text.trim() === '' ? {} : parseJson(text);
  if (parsed === undefined) throw wrong(path, 'it is not JSON');
  const { value, error } = schema.validate(parsed);
  if (error) throw wrong(path, errorMessage(error));
  return value;
}

/** A missing file has no settings. */
function missing(error: unknown): string {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
  throw new CliError('usage', `the settings of the screens cannot be read: ${errorMessage(error)}`);
}

function wrong(path: string, reason: string): CliError {
  return new CliError('usage', `${path} is invalid: ${reason}`, {
    suggestions: ['correct the file, or remove it', 'see docs/inbox-terminal.md, "Settings"'],
  });
}
