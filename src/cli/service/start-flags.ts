import { type Interfaces, Parser } from '@oclif/core';
import { readSettings } from '../../config/load.js';
import { SETTING_NAMES, SETTINGS } from '../../config/schema.js';
import { errorMessage } from '../../domain/errors.js';
import { CliError } from '../errors.js';

/**
 * Checks flags of `switchboard start` before they are written into a unit, which would never start with wrong ones.
 * @throws CliError `usage`
 */
export async function requireStartFlags(
  words: readonly string[],
  known: Interfaces.FlagInput,
): Promise<void> {
  try {
    const { flags } = await Parser.parse([...words], { flags: known, strict: true });
    const named = Object.fromEntries(SETTING_NAMES.map((name) => [name, flags[SETTINGS[name].flag]]));
    // check only the flags, because the service has its own environment and settings file
    await readSettings({ flags: named, defaultDataDir: '/nonexistent' });
  } catch (error) {
    const [reason] = errorMessage(error).split('\n', 1);
    throw new CliError('usage', `switchboard start would refuse these flags: ${reason}`);
  }
}
