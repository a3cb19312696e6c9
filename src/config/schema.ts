import { hostname } from 'node:os';
import Joi, { type CustomValidator } from 'joi';

/** Every setting of a daemon, validated. */
export interface Config {
  host: string;
  port: number;
  dataDir: string;
  store: string;
  token: string;
  network: string;
  sandboxPort: number;
  sandboxData: string;
  publicUrl: string;
  nodeName: string;
  nodeUrl: string;
  leaseSeconds: number;
  workers: number;
  encryptionKey: string;
  allowPrivateUrls: boolean;
  logLevel: string;
}

/** Values as they come from outside, by setting name. */
export type RawSettings = { [Name in keyof Config]?: unknown };

export interface Setting {
  /** The flag without its dashes. */
  flag: string;
  env: string;
  schema: Joi.Schema;
  description: string;
  /** The default in words, for people. */
  default: string;
  boolean?: boolean;
  /** Shown as "set" and nothing more. */
  secret?: boolean;
}

// not Joi's uri(): a replica set's URL names several hosts
const MONGODB_URL = /^mongodb(\+srv)?:\/\/\S+$/;

const url = (...schemes: string[]) => Joi.string().uri({ scheme: schemes });

const withoutPath: CustomValidator<string> = (value, { message }) => {
  const { pathname, search, hash } = new URL(value);
  return `${pathname}${search}${hash}` === '/'
    ? value
    : message({ custom: '{#label} must end with host and port: nodes find the API at no path below it' });
};

/** One entry for each setting: everything else (flags, environment, summary, documentation) is made of it. */
export const SETTINGS: { readonly [Name in keyof Config]: Setting } = {
  host: {
    flag: 'host',
    env: 'SWITCHBOARD_HOST',
    schema: Joi.string().hostname().default('127.0.0.1'),
    description: 'address that the API listens on',
    default: '127.0.0.1',
  },
  port: {
    flag: 'port',
    env: 'SWITCHBOARD_PORT',
    schema: Joi.number().integer().min(0).max(65_535).default(3000),
    description: 'port of the API; 0 takes any free one',
    default: '3000',
  },
  dataDir: {
    flag: 'data-dir',
    env: 'SWITCHBOARD_DATA_DIR',
    schema: Joi.string().required(),
    description: 'folder for the database, media, token and encryption key',
    default: "the platform's data folder",
  },
  store: {
    flag: 'store',
    env: 'SWITCHBOARD_STORE',
    schema: Joi.alternatives(Joi.valid('sqlite'), Joi.string().pattern(MONGODB_URL)).default('sqlite'),
    description: 'sqlite, or a mongodb:// or mongodb+srv:// URL',
    default: 'sqlite',
    secret: true,
  },
  token: {
    flag: 'token',
    env: 'SWITCHBOARD_TOKEN',
    schema: Joi.string()
      .min(16)
      .pattern(/^[\x21-\x7e]+$/, 'printable characters without spaces')
      .required(),
    description: 'master token of the API',
    default: 'made once and kept in the data directory',
    secret: true,
  },
  network: {
    flag: 'network',
    env: 'SWITCHBOARD_NETWORK',
    schema: Joi.alternatives(
      Joi.valid('whatsapp', 'sandbox'),
      url('ws', 'wss', 'sandbox+ws', 'sandbox+wss'),
    ).default('whatsapp'),
    description: 'whatsapp, sandbox (inside the daemon), sandbox+ws://host:port/ws/chat, or a ws(s):// URL',
    default: 'whatsapp',
  },
  sandboxPort: {
    flag: 'sandbox-port',
    env: 'SWITCHBOARD_SANDBOX_PORT',
    schema: Joi.number().integer().min(0).max(65_535).default(3001),
    description: 'port of the sandbox network when it runs inside the daemon',
    default: '3001',
  },
  sandboxData: {
    flag: 'sandbox-data',
    env: 'SWITCHBOARD_SANDBOX_DATA',
    schema: Joi.string(),
    description: 'folder in which the sandbox network inside the daemon keeps its state',
    default: 'sandbox in the data directory',
  },
  publicUrl: {
    flag: 'public-url',
    env: 'SWITCHBOARD_PUBLIC_URL',
    schema: url('http', 'https'),
    description:
      'address of this service in links to stored files; set it with --host 0.0.0.0 or behind a proxy',
    default: 'http://HOST:PORT',
  },
  nodeName: {
    flag: 'node-name',
    env: 'SWITCHBOARD_NODE_NAME',
    schema: Joi.string()
      .max(128)
      .default(() => hostname()),
    description: "this node's name, podName in the API",
    default: "the host's name",
  },
  nodeUrl: {
    flag: 'node-url',
    env: 'SWITCHBOARD_NODE_URL',
    schema: url('http', 'https').custom(withoutPath).allow('').default(''),
    description: 'address under which other nodes on the same MongoDB reach this one',
    default: 'http://HOST:PORT, with the name of the host where it listens on all addresses',
  },
  leaseSeconds: {
    flag: 'lease-seconds',
    env: 'SWITCHBOARD_LEASE_SECONDS',
    schema: Joi.number().integer().min(2).max(600).default(20),
    description:
      'seconds after which others take over the sessions of a node that is gone; the same on all nodes',
    default: '20',
  },
  workers: {
    flag: 'workers',
    env: 'SWITCHBOARD_WORKERS',
    schema: Joi.number()
      .integer()
      .min(1)
      .max(64)
      .default(1)
      .when('store', { is: Joi.invalid('sqlite'), otherwise: Joi.valid(1) })
      .messages({
        'any.only': 'only one node can use SQLite: for more workers start with --store mongodb://…',
      }),
    description: 'node processes on this machine, behind one port; more than one needs MongoDB',
    default: '1',
  },
  encryptionKey: {
    flag: 'encryption-key',
    env: 'SWITCHBOARD_ENCRYPTION_KEY',
    schema: Joi.string()
      .pattern(/^([0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/, '32 bytes as hex or base64')
      .required(),
    description: 'encrypts session credentials at rest: 32 bytes as hex or base64',
    default: 'made once and kept in the data directory',
    secret: true,
  },
  allowPrivateUrls: {
    flag: 'allow-private-urls',
    env: 'SWITCHBOARD_ALLOW_PRIVATE_URLS',
    schema: Joi.boolean()
      .truthy('1', 'yes', 'on')
      .falsy('0', 'no', 'off')
      .default((parent: Partial<Config>) => usesSandbox(parent.network ?? '')),
    description: 'let webhooks and downloads reach loopback, link-local and private addresses',
    default: 'off; on with the sandbox network',
    boolean: true,
  },
  logLevel: {
    flag: 'log-level',
    env: 'SWITCHBOARD_LOG_LEVEL',
    schema: Joi.valid('fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent').default('info'),
    description: 'fatal, error, warn, info, debug, trace or silent',
    default: 'info',
  },
};

/** True when the network setting names the simulated network, inside the daemon or elsewhere. */
export function usesSandbox(network: string): boolean {
  return network === 'sandbox' || network.startsWith('sandbox+');
}

/** The names of all settings, in the order in which they are explained. */
export const SETTING_NAMES = Object.keys(SETTINGS) as (keyof Config)[];
