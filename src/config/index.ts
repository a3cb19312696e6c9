export { ConfigError, type ConfigSources, loadConfig } from './load.js';
export { type Config, SETTING_NAMES, SETTINGS } from './schema.js';
export { encryptionKeyBytes } from './secrets.js';
export { summarize } from './summary.js';
