import { type Config, SETTING_NAMES, SETTINGS } from './schema.js';

/** The settings as they may be shown and logged: secrets only as "set". */
export function summarize(config: Config): Record<string, string> {
  return Object.fromEntries(SETTING_NAMES.map((name) => [SETTINGS[name].flag, show(config, name)]));
}

function show(config: Config, name: keyof Config): string {
  const value = String(config[name] ?? '');
  // the embedded store's name is no secret; a database URL may hold a password
  if (name === 'store') return value === 'sqlite' ? value : `${value.split('://')[0]}:// (set)`;
  if (SETTINGS[name].secret) return value ? 'set' : 'not set';
  return value;
}
