import { hostname } from 'node:os';
import Joi, { type CustomValidator } from 'joi';

/** Every setting of a daemon, validated. */
export interface Config {
  host: string;
  port: number;
  /** Connections that one address may have open; 0 for no limit. */
  connectionsPerAddress: number;
  dataDir: string;
  store: string;
  token: string;
  network: string;
  networkRoot: string;
  waVersion: string;
  sandboxHost: string;
  sandboxPort: number;
  sandboxData: string;
  publicUrl: string;
  nodeName: string;
  nodeUrl: string;
  leaseSeconds: number;
  workers: number;
  encryptionKey: string;
  allowPrivateUrls: boolean;
  allowTenantBrokers: boolean;
  linkPreviews: boolean;
  retentionDays: number;
  /** Megabytes of events that may wait for the receiver of one session. */
  durableMb: number;
  policy: string;
  /** Messages of one session that may wait until its policy allows them. */
  heldSends: number;
  /** URL of the collector of spans; empty if tracing is off. */
  otlpEndpoint: string;
  /** Headers of calls to the collector, as `name=value,name=value`. */
  otlpHeaders: string;
  /** The share of recorded traces. */
  traceRatio: number;
  checkAnswers: boolean;
  logLevel: string;
}

/** Unchecked values by setting name. */
export type RawSettings = { [Name in keyof Config]?: unknown };

interface Setting {
  /** The flag without its dashes. */
  flag: string;
  env: string;
  schema: Joi.Schema;
  description: string;
  /** The default in words. */
  default: string;
  /** Sentences that the page of the settings adds, as Markdown. */
  more?: string;
  boolean?: boolean;
  /** True if the value is shown only as "set". */
  secret?: boolean;
}

// not Joi's uri(): a replica set's URL names several hosts
const MAX_DURABLE_MB = 1_048_576;
const MAX_CONNECTIONS = 1_000_000;
const MAX_HELD_SENDS = 100_000;
/** The format of the standard variable OTEL_EXPORTER_OTLP_HEADERS. */
const HEADER_LIST = /^\s*[\w-]+=[^,\r\n]*(,\s*[\w-]+=[^,\r\n]*)*$/;
const MONGODB_URL = /^mongodb(\+srv)?:\/\/\S+$/;

const url = (...schemes: string[]) => Joi.string().uri({ scheme: schemes });

const withoutPath: CustomValidator<string> = (value, { message }) => {
  const { pathname, search, hash } = new URL(value);
  return `${pathname}${search}${hash}` === '/'
    ? value
    : message({ custom: '{#label} must end with host and port, without a path' });
};

/** One entry for each setting: flags, environment, summary and documentation are derived from it. */
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
  connectionsPerAddress: {
    flag: 'connections-per-address',
    env: 'SWITCHBOARD_CONNECTIONS_PER_ADDRESS',
    schema: Joi.number().integer().min(0).max(MAX_CONNECTIONS).default(2_048),
    description: 'connections to the API that one address may have open; 0 for no limit',
    default: '2048',
    more: 'One IPv6 /64 network counts as one address. Further connections are closed at once. Behind a reverse proxy all callers have the address of the proxy, and another node of the cluster has one address: set 0 where they open more, and bound the connections of each caller at the proxy',
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
    more: 'At least 16 characters',
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
    more: 'See [network](#network)',
  },
  networkRoot: {
    flag: 'network-root',
    env: 'SWITCHBOARD_NETWORK_ROOT',
    schema: Joi.string().allow('').default(''),
    description:
      'file with the public root key of the certificates of a ws(s):// network: 32 bytes, raw, hex or base64',
    default: "WhatsApp's; a sandbox's is fetched from it",
    more: 'A server whose certificate this root did not sign is refused',
  },
  waVersion: {
    flag: 'wa-version',
    env: 'SWITCHBOARD_WA_VERSION',
    schema: Joi.alternatives(
      Joi.valid('auto'),
      Joi.string().pattern(/^\d{1,4}\.\d{1,6}\.\d{1,12}$/, 'a version such as 2.3000.1043857760'),
    ).default('auto'),
    description: 'version of WhatsApp Web to report: auto, or a number such as 2.3000.1043857760',
    default: 'auto: the newest known; looked up when the network refuses it',
    more: 'When the network refuses the newest known one, the daemon looks the current one up at web.whatsapp.com, at most once in ten minutes, through the [proxy](linking.md#a-proxy-per-session) of the session that was refused. A number is used as it is',
  },
  sandboxHost: {
    flag: 'sandbox-host',
    env: 'SWITCHBOARD_SANDBOX_HOST',
    schema: Joi.string().hostname().default('127.0.0.1'),
    description:
      'address that the sandbox network listens on when it runs inside the daemon; it needs no token',
    default: '127.0.0.1',
    more: 'Whoever reaches its control API plays every phone',
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
    more: 'See [public address](#public-address)',
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
  allowTenantBrokers: {
    flag: 'allow-tenant-brokers',
    env: 'SWITCHBOARD_ALLOW_TENANT_BROKERS',
    schema: Joi.boolean().truthy('1', 'yes', 'on').falsy('0', 'no', 'off').default(false),
    description:
      "let callers with a session's secret set a broker as receiver; the gateway then connects to it from your network",
    default: 'off',
    more: 'See [brokers](webhooks.md#brokers)',
    boolean: true,
  },
  linkPreviews: {
    flag: 'link-previews',
    env: 'SWITCHBOARD_LINK_PREVIEWS',
    schema: Joi.boolean().truthy('1', 'yes', 'on').falsy('0', 'no', 'off').default(false),
    description:
      'show a preview of the first link of each sent text, unless its request says linkPreview: false',
    default: 'off',
    more: 'See the [API](api.md#send-message-)',
    boolean: true,
  },
  durableMb: {
    flag: 'durable-mb',
    env: 'SWITCHBOARD_DURABLE_MB',
    schema: Joi.number().integer().min(1).max(MAX_DURABLE_MB).default(64),
    description: 'megabytes of events that may wait for each receiver with retry durable',
    default: '64',
    more: 'Above that the oldest become failed deliveries. See [durable retries](webhooks.md#durable-retries)',
  },
  retentionDays: {
    flag: 'retention-days',
    env: 'SWITCHBOARD_RETENTION_DAYS',
    schema: Joi.number().integer().min(0).max(36_500).default(0),
    description: 'days after which messages and their files are deleted; 0 keeps them for ever',
    default: '0',
    more: 'A session may have its own [rule](inbox.md#retention)',
  },
  policy: {
    flag: 'policy',
    env: 'SWITCHBOARD_POLICY',
    schema: Joi.string().allow('').default(''),
    description: 'limits of sends: gentle, or the path of a policy file',
    default: 'none',
    more: 'See [policies](policies.md)',
  },
  heldSends: {
    flag: 'held-sends',
    env: 'SWITCHBOARD_HELD_SENDS',
    schema: Joi.number().integer().min(0).max(MAX_HELD_SENDS).default(1_000),
    description: 'messages of a session that may wait until its policy allows them (whenAllowed)',
    default: '1000',
    more: 'A further one is refused. See [held messages](policies.md#keep-a-refused-message)',
  },
  otlpEndpoint: {
    flag: 'otlp-endpoint',
    env: 'SWITCHBOARD_OTLP_ENDPOINT',
    schema: url('http', 'https').allow('').default(''),
    description:
      'address of an OpenTelemetry collector (OTLP over HTTP) that gets traces, such as http://127.0.0.1:4318',
    default: 'none: no traces',
    more: '[Traces](monitoring.md#traces) go to `/v1/traces` below it. Shown only as "set", because some collectors expect a token in it',
    // secret, because some collectors expect a token in their URL
    secret: true,
  },
  otlpHeaders: {
    flag: 'otlp-headers',
    env: 'SWITCHBOARD_OTLP_HEADERS',
    schema: Joi.string().allow('').pattern(HEADER_LIST, 'headers such as name=value,other=value').default(''),
    description: 'headers for the collector: name=value, with commas between them',
    default: 'none',
    more: 'Values may be percent-encoded. Give it as a variable, not as a flag, because other users of the machine see flags',
    secret: true,
  },
  traceRatio: {
    flag: 'trace-ratio',
    env: 'SWITCHBOARD_TRACE_RATIO',
    schema: Joi.number().min(0).max(1).default(1),
    description:
      'share of the traces that are recorded, from 0 to 1; a caller that sends traceparent decides for itself',
    default: '1',
  },
  checkAnswers: {
    flag: 'check-answers',
    env: 'SWITCHBOARD_CHECK_ANSWERS',
    schema: Joi.boolean().truthy('1', 'yes', 'on').falsy('0', 'no', 'off').default(false),
    description: 'for development: answer 500 when an answer of the API breaks its contract, and log why',
    default: 'off',
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

/** True if the network setting names the simulated network, inside the daemon or elsewhere. */
function usesSandbox(network: string): boolean {
  return network === 'sandbox' || network.startsWith('sandbox+');
}

/** The names of all settings, in the order of the documentation. */
export const SETTING_NAMES = Object.keys(SETTINGS) as (keyof Config)[];

/** The network of a daemon and its URLs. */
export type NetworkChoice =
  /** The real network. */
  | { kind: 'whatsapp' }
  /** The simulated network, inside the daemon. */
  | { kind: 'embedded-sandbox' }
  /** The simulated network, running elsewhere. */
  | { kind: 'sandbox'; wsUrl: string; controlUrl: string }
  /** Any other server that speaks the network's protocol. */
  | { kind: 'address'; wsUrl: string };

export function networkChoice({ network }: Pick<Config, 'network'>): NetworkChoice {
  if (network === 'whatsapp') return { kind: 'whatsapp' };
  if (network === 'sandbox') return { kind: 'embedded-sandbox' };
  if (!network.startsWith('sandbox+')) return { kind: 'address', wsUrl: network };
  const wsUrl = network.slice('sandbox+'.length);
  const control = new URL(wsUrl);
  return {
    kind: 'sandbox',
    wsUrl,
    controlUrl: `${control.protocol === 'wss:' ? 'https' : 'http'}://${control.host}`,
  };
}

/** The settings for logs and `/config`: secrets only as "set". */
export function summarize(config: Config): Record<string, string> {
  return Object.fromEntries(SETTING_NAMES.map((name) => [SETTINGS[name].flag, show(config, name)]));
}

function show(config: Config, name: keyof Config): string {
  const value = String(config[name] ?? '');
  // a database URL may contain a password
  if (name === 'store') return value === 'sqlite' ? value : `${value.split('://')[0]}:// (set)`;
  if (SETTINGS[name].secret) return value ? 'set' : 'not set';
  return value;
}
