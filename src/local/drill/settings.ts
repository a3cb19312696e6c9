import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorMessage } from '../../domain/errors.js';
import { ConfigError, readSettingsAt } from '../../gateway/config/load.js';
import { type Config, type RawSettings, SETTINGS } from '../../gateway/config/schema.js';
import { CliError } from '../../terminal/cli/errors.js';

/**
 * The settings that a drill takes from the operator's file: limits, intervals and policies. All others would direct the
 * drill to the operator's store, network, receivers, collectors or keys, or concern a single machine.
 */
export const COPIED = [
  'connectionsPerAddress',
  'leaseSeconds',
  'retentionDays',
  'durableMb',
  'policy',
  'heldSends',
  'checkAnswers',
] as const satisfies readonly (keyof Config)[];

/** The session whose sends are held by a policy, if the operator has no policy. */
export const PACED_SESSION = 'drillpaced';

const OWN_POLICY = `mode: enforce
policies:
  paced: { samePersonGap: 3s }
sessions: { ${PACED_SESSION}: paced }
`;

/** The built-in policy, which needs no file. */
const READY_POLICY = 'gentle';

/**
 * Copies settings into the folder of a drill.
 * @param file a settings file (JSON or YAML); undefined for the defaults
 * @returns settings for the daemons of the drill, whose policy file is a copy
 * @throws CliError `usage` if the file cannot be read or a copied setting is wrong
 */
export async function copySettings(file: string | undefined, folder: string): Promise<RawSettings> {
  const given = file === undefined ? {} : await readSettingsAt(file).catch(refuse);
  const copied: RawSettings = {};
  for (const name of COPIED) {
    if (given[name] === undefined) continue;
    const { value, error } = SETTINGS[name].schema.validate(given[name], { errors: { label: false } });
    if (error) throw new CliError('usage', `${file}: ${name}: ${error.message}`);
    copied[name] = value;
  }
  return { ...copied, policy: await copyPolicy(copied.policy, folder) };
}

async function copyPolicy(policy: unknown, folder: string): Promise<string> {
  if (policy === READY_POLICY) return READY_POLICY;
  const path = join(folder, 'policy.yaml');
  const isOwn = typeof policy === 'string' && policy !== '';
  const text = isOwn
    ? await readFile(policy, 'utf8').catch((error: unknown) => {
        throw new CliError('usage', `the policy file ${policy} cannot be read: ${errorMessage(error)}`);
      })
    : OWN_POLICY;
  await writeFile(path, text);
  return path;
}

function refuse(error: unknown): never {
  if (error instanceof ConfigError) throw new CliError('usage', error.message, { cause: error });
  throw error;
}
