import { SETTING_NAMES, SETTINGS } from '../../../src/config/schema.js';

/** Variables that have to be named where several nodes are to work together. */
export const CLUSTER_VARIABLES = [
  'SWITCHBOARD_STORE',
  'SWITCHBOARD_TOKEN',
  'SWITCHBOARD_ENCRYPTION_KEY',
  'SWITCHBOARD_NODE_NAME',
  'SWITCHBOARD_NODE_URL',
  'SWITCHBOARD_PUBLIC_URL',
] as const;

/** What a daemon would not accept of these environment variables. */
export function settingFaults(variables: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(variables)
    .filter(([name]) => name.startsWith('SWITCHBOARD_'))
    .flatMap(([variable, value]) => {
      const name = SETTING_NAMES.find((candidate) => SETTINGS[candidate].env === variable);
      if (!name) return [`${variable} is no setting`];
      const { error } = SETTINGS[name].schema.validate(value);
      return error ? [`${variable}: ${error.message}`] : [];
    });
}

/** What nodes that work together need and these variables do not say. */
export function missingVariables(variables: Readonly<Record<string, unknown>>): string[] {
  return CLUSTER_VARIABLES.filter((name) => !variables[name]).map((name) => `${name} is missing`);
}
