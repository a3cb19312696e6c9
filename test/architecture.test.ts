import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Rule {
  /** Path prefix of the layer's files. */
  layer: string;
  /** Prefixes of our own files that it may import; itself is always allowed. */
  own: readonly string[];
  /** As `own`, for types only. */
  types?: readonly string[];
  /** Packages it must not import at run time. */
  without?: readonly string[];
}

const ADAPTER_PACKAGES = ['@hapi/hapi', '@hapi/boom', 'better-sqlite3', 'mongodb', '@whiskeysockets/baileys'];

/** Packages with clients of brokers. */
const BROKER_CLIENTS = /^(@nats-io\/|@platformatic\/kafka|amqplib|@redis\/client)/;

/** The store's port, and what back ends share. */
const STORE_PORT = ['src/store/store.ts', 'src/store/port/'];

/** The link's port. */
const LINK_PORT = [
  'src/link/link.ts',
  'src/link/events.ts',
  'src/link/account.ts',
  'src/link/directory.ts',
  'src/link/history.ts',
  'src/link/wa-versions.ts',
];

/** Pure rules without an import at run time, which the client of the package may use. */
const CLIENT_RULES = ['src/domain/json.ts', 'src/domain/retry.ts'];

/** The inner layers of services: each may import those before it. */
const SERVICE_LAYERS: readonly (readonly string[])[] = [
  ['ports/'],
  ['services.ts'],
  ['sessions/'],
  ['access.ts', 'store-retry.ts', 'lifecycle.ts'],
  ['identities/'],
  ['incoming/', 'files/'],
  ['history/'],
  ['messages/'],
  [''],
];

/** The rooms of the sandbox: each may import those before it. */
const SANDBOX_LAYERS: readonly string[] = [
  ...['wire/', 'store/', 'signal/', 'media/', 'state/'],
  ...['people/', 'groups/', 'routing/', 'pairing/', 'phone/', 'clients/', 'control/'],
  '',
];

/** Who may import whom: the table of docs/architecture.md. The first rule whose layer fits a file counts. */
const RULES: readonly Rule[] = [
  { layer: 'src/domain/', own: [], without: [...ADAPTER_PACKAGES, 'joi', 'node:fs', 'pino', 'undici'] },
  {
    layer: 'src/kinds/',
    own: ['src/domain/', 'src/contract/sends/', 'src/events/'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/events/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/store.ts', own: ['src/domain/', 'src/store/port/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/port/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/sqlite/', own: ['src/domain/', 'src/log.ts', ...STORE_PORT] },
  { layer: 'src/store/mongo/', own: ['src/domain/', 'src/log.ts', ...STORE_PORT] },
  {
    layer: 'src/store/',
    own: ['src/domain/', 'src/log.ts'],
    without: ['@whiskeysockets/baileys', '@hapi/hapi'],
  },
  {
    layer: 'src/link/baileys/',
    own: ['src/domain/', ...LINK_PORT, 'src/log.ts', 'src/quiet-console.ts'],
  },
  { layer: 'src/link/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  ...sandboxRules(),
  {
    layer: 'src/delivery/',
    own: ['src/domain/', 'src/events/', 'src/store/store.ts', 'src/log.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cluster/workers/',
    own: ['src/domain/', 'src/config/', 'src/daemon/network.ts', 'src/log.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cluster/',
    own: ['src/domain/', 'src/store/store.ts', 'src/log.ts'],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  ...serviceRules(),
  {
    layer: 'src/contract/',
    own: ['src/domain/', 'src/events/'],
    without: [...ADAPTER_PACKAGES, 'pino', 'undici'],
  },
  {
    layer: 'src/client/events.ts',
    own: ['src/client/', 'src/delivery/verify.ts', 'src/events/', ...CLIENT_RULES],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  { layer: 'src/client/', own: CLIENT_RULES },
  {
    layer: 'src/http/',
    own: [
      'src/domain/',
      'src/events/',
      'src/kinds/',
      'src/contract/',
      'src/services/services.ts',
      'src/cluster/owners.ts',
      'src/cluster/node-auth.ts',
      'src/cluster/routing.ts',
      'src/cluster/forward.ts',
      'src/delivery/tail.ts',
      'src/store/store.ts',
      'src/log.ts',
    ],
    without: ['better-sqlite3', 'mongodb', '@whiskeysockets/baileys'],
  },
  { layer: 'src/config/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  {
    layer: 'src/cli/store/',
    own: ['src/cli/', 'src/domain/', 'src/config/', 'src/store/store.ts', 'src/store/port/'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cli/',
    own: [
      'src/contract/',
      'src/client/',
      'src/domain/',
      'src/events/',
      'src/delivery/verify.ts',
      'src/delivery/webhook-headers.ts',
      'src/config/',
    ],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/tui/', own: ['src/domain/', 'src/contract/', 'src/cli/'], without: ADAPTER_PACKAGES },
  {
    layer: 'src/testkit/gateway-thread.ts',
    own: ['src/domain/', 'src/config/', 'src/daemon/', 'src/sandbox/', 'src/log.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/testkit/',
    own: ['src/domain/', 'src/client/'],
    types: ['src/config/'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'commands/start.ts', own: ['src/'] },
  {
    layer: 'commands/doctor.ts',
    own: ['src/cli/', 'src/domain/', 'src/config/', 'src/store/open.ts'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'commands/demo.ts', own: ['src/'] },
  {
    layer: 'commands/drill.ts',
    own: ['src/cli/', 'src/domain/', 'src/store/mongo/scratch.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/store/',
    own: ['src/cli/', 'src/config/', 'src/store/open.ts', 'src/store/store.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/sandbox/',
    own: ['src/cli/', 'src/tui/', 'src/domain/', 'src/client/sandbox/', 'src/sandbox/index.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/store/',
    own: ['src/cli/', 'src/config/', 'src/store/open.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/',
    own: ['src/contract/', 'src/cli/', 'src/tui/', 'src/domain/'],
    without: ADAPTER_PACKAGES,
  },
];

function sandboxRules(): Rule[] {
  const shared = [
    ...['src/domain/', 'src/quiet-console.ts'],
    ...['src/contract/sandbox/', 'src/contract/check.ts'],
  ];
  const layers = SANDBOX_LAYERS.map((name) => `src/sandbox/${name}`);
  return layers.map((layer, index) => ({
    layer,
    own: [...shared, ...layers.slice(0, index)],
    without: ['mongodb'],
  }));
}

function serviceRules(): Rule[] {
  const base = [
    ...['src/domain/', 'src/events/', 'src/kinds/', 'src/delivery/', 'src/cluster/owners.ts'],
    ...['src/store/store.ts', 'src/store/port/json.ts', ...LINK_PORT, 'src/log.ts'],
  ];
  const paths = SERVICE_LAYERS.map((layer) => layer.map((name) => `src/services/${name}`));
  return paths.flatMap((layers, index) =>
    layers.map((layer) => ({
      layer,
      own: [...base, ...paths.slice(0, index).flat()],
      types: ['src/contract/'],
      without: ADAPTER_PACKAGES,
    })),
  );
}

/** Parts of the client that may use packages and Node: the verification of webhooks, and the client of the simulated network. */
const CLIENT_EXTRAS = /^src\/client\/(events\.ts|sandbox\/)/;

describe('the architecture', () => {
  const files = [...sources('src'), ...sources('commands')];

  it('lets every layer import only what the table allows', () => {
    expect(files.flatMap(breaches)).to.deep.equal([]);
  });

  it('keeps run-time imports of the protocol library in the link adapter and the sandbox', () => {
    const users = files.filter((file) =>
      importsOf(file).some(
        ({ target, typeOnly }) => !typeOnly && target.startsWith('@whiskeysockets/baileys'),
      ),
    );
    const strangers = users.filter(
      (file) => !file.startsWith('src/link/baileys/') && !file.startsWith('src/sandbox/'),
    );
    expect(strangers).to.deep.equal([]);
  });

  it('keeps the clients of brokers in the process of the brokers', () => {
    const room = 'src/delivery/sinks/process/';
    // what the daemon and that process say to each other
    const shared = [`${room}messages.ts`, `${room}lines.ts`];
    const daemon = files.filter((file) => !file.startsWith(room) && !/^(src\/cli\/|commands\/)/.test(file));
    const strange = daemon.flatMap((file) =>
      importsOf(file).flatMap(({ target, typeOnly }) => {
        if (typeOnly) return [];
        const path = target.startsWith('.') ? pathOf(file, target) : target;
        const isOfRoom = path.startsWith(room) && !shared.includes(path);
        return isOfRoom || BROKER_CLIENTS.test(path) ? [`${file} imports ${path}`] : [];
      }),
    );
    expect(strange).to.deep.equal([]);
  });

  it('keeps the client free of packages and of Node itself', () => {
    const client = files.filter((file) => file.startsWith('src/client/') && !CLIENT_EXTRAS.test(file));
    const imports = [...client, ...CLIENT_RULES].flatMap((file) =>
      importsOf(file).flatMap(({ target, typeOnly }) => (typeOnly ? [] : [{ file, target }])),
    );
    const ours = [...client, ...CLIENT_RULES];
    const strange = imports.filter(
      ({ file, target }) => !target.startsWith('.') || !ours.includes(pathOf(file, target)),
    );
    expect(strange).to.deep.equal([]);
  });

  it('parses JSON only through the readers that make the caller check it', () => {
    const parsers = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('JSON.parse('));
    // the last two are scripts for a browser
    const allowed = ['src/domain/json.ts', 'src/http/pair-page/script.ts', 'src/sandbox/state/rules.ts'];
    expect(parsers.toSorted()).to.deep.equal(allowed);
  });

  it('has no import circle', () => {
    expect(circles(files)).to.deep.equal([]);
  });

  it('has no file of more than 400 lines', () => {
    // printed from the contract
    const written = files.filter(
      (file) => file !== 'src/client/operations.ts' && !file.endsWith('.generated.ts'),
    );
    const long = written.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 401);
    expect(long).to.deep.equal([]);
  });
});

function breaches(file: string): string[] {
  const rule = RULES.find(({ layer }) => file.startsWith(layer));
  if (!rule) return [];
  return importsOf(file).flatMap(({ target, typeOnly }) => {
    if (!target.startsWith('.')) {
      const forbidden =
        !typeOnly && rule.without?.some((name) => target === name || target.startsWith(`${name}/`));
      return forbidden ? [`${file} imports ${target}`] : [];
    }
    const path = pathOf(file, target);
    const prefixes = [rule.layer, ...rule.own, ...(typeOnly ? (rule.types ?? []) : [])];
    const allowed = prefixes.some((prefix) => path.startsWith(prefix));
    return allowed ? [] : [`${file} imports ${path}`];
  });
}

/** Files that import each other, directly or through others, and the files on paths between such circles. */
function circles(files: readonly string[]): string[] {
  const left = new Map(
    files.map((file) => {
      const targets = importsOf(file).filter(({ target }) => target.startsWith('.'));
      return [file, targets.map(({ target }) => pathOf(file, target))];
    }),
  );
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    const imported = new Set([...left.values()].flat());
    for (const [file, targets] of left) {
      if (!imported.has(file) || !targets.some((target) => left.has(target))) left.delete(file);
    }
  }
  return [...left].map(
    ([file, targets]) => `${file} imports ${targets.filter((target) => left.has(target))}`,
  );
}

/** A relative import's file, from the root of the project. */
function pathOf(file: string, target: string): string {
  const path = relative(ROOT, resolve(ROOT, dirname(file), target));
  const source = path.replace(/\.js$/, '.ts');
  return existsSync(join(ROOT, source)) ? source : `${source}x`;
}

interface Import {
  target: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const pattern =
    /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|import\('([^']+)'\)|^import\s+'([^']+)'/gm;
  return [...text.matchAll(pattern)].flatMap(([, type, from, dynamic, bare]) => {
    const target = from ?? dynamic ?? bare;
    return target ? [{ target, typeOnly: type !== undefined }] : [];
  });
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
}
