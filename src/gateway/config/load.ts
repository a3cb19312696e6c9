import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Joi from 'joi';
import { readJson } from '../../domain/json.js';
import { type Config, type RawSettings, SETTING_NAMES, SETTINGS } from './schema.js';
import { loadSecrets } from './secrets.js';

export interface ConfigSources {
  flags?: RawSettings;
  env?: NodeJS.ProcessEnv;
  /** The data directory if neither flag nor environment names one. */
  defaultDataDir: string;
}

/** An invalid setting; the message names it and the valid values. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
}

/** The settings are valid, but their data directory cannot be used. */
export class DataDirError extends ConfigError {
  override readonly name = 'DataDirError';
}

// no Joi messages, because they quote the value, which may be a secret
const CHECKS: Joi.ValidationOptions = {
  errors: { wrap: { label: false } },
  messages: {
    'string.pattern.name': '{{#label}} must be {{#name}}',
    'string.pattern.base': '{{#label}} has the wrong form',
  },
};
const FILE_NAMES = ['switchboard.json', 'switchboard.yaml', 'switchboard.yml'];

/**
 * Loads and validates the settings: flags override the environment, which overrides the file in the data directory. Creates
 * token and encryption key on first use.
 * @throws ConfigError, DataDirError with a message of one line
 */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const { checked, settings } = await gather(sources);
  const { dataDir } = checked;
  const secrets = await loadSecrets(dataDir, settings, checked.store).catch((error: Error) => {
    throw new DataDirError(`the data directory ${dataDir} cannot be used: ${error.message}`);
  });
  return { ...checked, ...secrets };
}

/** Like `loadConfig`, but creates no secrets: for commands on the data of a daemon. @throws ConfigError with a message of one line */
export async function readSettings(
  sources: ConfigSources,
): Promise<Omit<Config, 'token' | 'encryptionKey'> & { encryptionKey: string | undefined }> {
  const { checked, settings } = await gather(sources);
  const { token, encryptionKey, ...rest } = checked;
  return { ...rest, encryptionKey: settings.encryptionKey === undefined ? undefined : encryptionKey };
}

/** The given settings, raw and validated; missing secrets are validated as placeholders. */
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

/**
 * Reads the settings of one file, unchecked.
 * @throws ConfigError with a message of one line
 */
export async function readSettingsAt(path: string): Promise<RawSettings> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`${path} cannot be read: ${error.message}`);
  });
  return parseSettings(path, text);
}

async function parseSettings(path: string, text: string): Promise<RawSettings> {
  try {
    const settings: unknown = path.endsWith('.json') ? readJson(text) : (await import('yaml')).parse(text);
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
