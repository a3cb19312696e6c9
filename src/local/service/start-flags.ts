import { type Interfaces, Parser } from '@oclif/core';
import { errorMessage } from '../../domain/errors.js';
import { readSettings } from '../../gateway/config/load.js';
import { SETTING_NAMES, SETTINGS } from '../../gateway/config/schema.js';
import { CliError } from '../../terminal/cli/errors.js';
import { SERVICE, type ServicePlan } from '../../terminal/cli/service/unit.js';

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

/**
 * Refuses flags of `switchboard start` with a secret, because everybody on the machine can read the file of the service.
 * @throws CliError `usage`
 */
export function requireNoSecrets(scope: ServicePlan['scope'], startFlags: readonly string[]): void {
  for (const [at, word] of startFlags.entries()) {
    const [name = '', value = startFlags[at + 1] ?? ''] = word.split(/=(.*)/s);
    const setting = Object.values(SETTINGS).find(({ flag, secret }) => secret && `--${flag}` === name);
    // a database without a password is no secret
    if (!setting || (setting === SETTINGS.store && !value.includes('@'))) continue;
    throw new CliError('usage', `${name}: everybody on this machine can read the file of the service`, {
      suggestions: [
        scope === 'system'
          ? `write ${setting.env}=… into /etc/${SERVICE}/${SERVICE}.env`
          : 'write the setting into switchboard.json in the data directory',
      ],
    });
  }
}
