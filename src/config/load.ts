import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Joi from 'joi';
import { parse as parseYaml } from 'yaml';
import { type Config, type RawSettings, SETTING_NAMES, SETTINGS } from './schema.js';
import { loadSecrets } from './secrets.js';

export interface ConfigSources {
  flags?: RawSettings;
  env?: NodeJS.ProcessEnv;
  /** Used when neither flag nor environment name a data directory. */
  defaultDataDir: string;
}

/** A setting that cannot be used; the message names it and says what it must be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

// without the values that Joi's own sentences would quote: they may be secrets
const CHECKS: Joi.ValidationOptions = {
  errors: { wrap: { label: false } },
  messages: {
    'string.pattern.name': '{{#label}} must be {{#name}}',
    'string.pattern.base': '{{#label}} has the wrong form',
  },
};
const FILE_NAMES = ['switchboard.json', 'switchboard.yaml', 'switchboard.yml'];

/**
 * Gathers the settings (flags beat environment, environment beats the file in the data directory), makes token and
 * encryption key on first use, and validates everything.
 * @throws ConfigError with one line for people.
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { checked, settings } = await gather(sources);
  const { dataDir } = checked;
  const secrets = await loadSecrets(dataDir, settings).catch((error: Error) => {
    throw new ConfigError(`the data directory ${dataDir} cannot be used: ${error.message}`);
  });
  return { ...checked, ...secrets };
}

/**
 * The settings without the secrets that a start would make: for commands that work on what a daemon has left.
 * @throws ConfigError with one line for people.
 */
export async function readSettings(
  sources: ConfigSources,
): Promise<Omit<Config, 'token' | 'encryptionKey'> & { encryptionKey: string | undefined }> {
  const { checked, settings } = await gather(sources);
  const { token, encryptionKey, ...rest } = checked;
  return { ...rest, encryptionKey: settings.encryptionKey === undefined ? undefined : encryptionKey };
}

/** All settings that are named, and the same validated, with something in the place of missing secrets. */
async function gather(sources: ConfigSources): Promise<{ checked: Config; settings: RawSettings }> {
  const fromEnv = readEnvironment(sources.env ?? {});
  const named = { ...fromEnv, ...withoutUndefined(sources.flags ?? {}) };
  const dataDir = resolve(String(named.dataDir ?? sources.defaultDataDir));
  const settings: RawSettings = { ...(await readSettingsFile(dataDir)), ...named, dataDir };
  return {
    checked: validate({ token: '-'.repeat(32), encryptionKey: '0'.repeat(64), ...settings }),
    settings,
  };
}

function validate(settings: RawSettings): Config {
  const keys = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].schema]));
  const result = Joi.object<Config>(keys).validate(settings, CHECKS);
  if (result.error) throw new ConfigError(explain(result.error));
  const config = result.value;
  return {
    ...config,
    publicUrl: (config.publicUrl ?? `http://${config.host}:${config.port}`).replace(/\/+$/, ''),
    sandboxData: config.sandboxData ?? join(config.dataDir, 'sandbox'),
  };
}

function explain(error: Joi.ValidationError): string {
  const detail = error.details[0];
  const name = SETTING_NAMES.find((candidate) => candidate === detail?.path[0]);
  if (!name) return `unknown setting ${String(detail?.path[0])} in the settings file`;
  const { flag, env, secret } = SETTINGS[name];
  const value = secret ? '' : ` (got ${JSON.stringify(detail?.context?.value)})`;
  return `--${flag} / ${env}: ${detail?.message ?? error.message}${value}`;
}

function readEnvironment(env: NodeJS.ProcessEnv): RawSettings {
  const settings: RawSettings = {};
  for (const name of SETTING_NAMES) {
    const value = env[SETTINGS[name].env];
    if (value !== undefined && value !== '') settings[name] = value;
  }
  return settings;
}

async function readSettingsFile(dataDir: string): Promise<RawSettings> {
  for (const name of FILE_NAMES) {
    const text = await readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
      throw new ConfigError(`${join(dataDir, name)} cannot be read: ${error.message}`);
    });
    if (text !== undefined) return parseSettings(join(dataDir, name), text);
  }
  return {};
}

function parseSettings(path: string, text: string): RawSettings {
  try {
    const settings: unknown = path.endsWith('.json') ? JSON.parse(text) : parseYaml(text);
    if (settings === null || settings === undefined) return {};
    if (typeof settings === 'object' && !Array.isArray(settings)) return { ...settings };
    throw new Error('it must hold one object');
  } catch (error) {
    throw new ConfigError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function withoutUndefined(settings: RawSettings): RawSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
