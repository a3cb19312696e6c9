import { ConfigError } from '../../gateway/config/load.js';
import { loadPolicies, type PolicyFile } from '../../gateway/config/policy-file.js';
import { CliError } from '../../terminal/cli/errors.js';

/** The policies of a file, or the built-in one for `gentle`. @throws CliError `usage` with the file, the line and the rule */
export async function policiesIn(file: string): Promise<PolicyFile> {
  const found = await loadPolicies(file).catch((error: unknown) => {
    if (error instanceof ConfigError) throw new CliError('usage', error.message);
    throw error;
  });
  if (found) return found;
  throw new CliError('usage', 'name a policy file, or gentle for the ready policy');
}
