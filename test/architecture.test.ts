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
const STORE_PORT = ['src/gateway/store/store.ts', 'src/gateway/store/port/'];

/** The link's port. */
const LINK_PORT = [
  'src/gateway/link/link.ts',
  'src/gateway/link/events.ts',
  'src/gateway/link/account.ts',
  'src/gateway/link/channels.ts',
  'src/gateway/link/directory.ts',
  'src/gateway/link/history.ts',
  'src/gateway/link/wa-versions.ts',
];

const LOG = 'src/gateway/log.ts';
/** Evaluated before the Signal library, by both who use it. */
const QUIET_CONSOLE = 'src/quiet-console.ts';

/** Pure rules without an import at run time, which the client of the package may use. */
const CLIENT_RULES = ['src/domain/json.ts', 'src/domain/retry.ts'];
/** Of the client, for receivers and tools in Node: these may import packages. */
const NODE_CLIENT = ['src/client/events.ts', 'src/client/verify.ts', 'src/client/sandbox/'];

/** The three programs. None knows another one. */
const WINGS = ['src/gateway/', 'src/terminal/', 'src/sandbox/'];
/** Places that put the programs together; only they import each other. */
const JOINTS = ['commands/', 'src/local/', 'src/testkit/', 'src/index.ts', 'src/gateway/daemon/network.ts'];

/** The rooms of services: each may import those before it. */
const SERVICE_ROOMS: readonly (readonly string[])[] = [
  ['sessions/'],
  ['access.ts', 'store-retry.ts', 'lifecycle.ts'],
  ['spans.ts'],
  ['receivers/'],
  ['identities/'],
  ['files/'],
  ['history/'],
  ['receiving/'],
  ['policies/'],
  ['sending/'],
  ['chats/', 'channels/'],
  ['activity/', 'profile/'],
  ['operations/'],
  ['services.ts'],
  [''],
];

/** The rooms of the sandbox: each may import those before it. */
const SANDBOX_ROOMS: readonly string[] = [
  ...['wire/', 'store/', 'signal/', 'media/', 'state/'],
  ...['people/', 'groups/', 'channels/', 'routing/', 'pairing/', 'phone/', 'clients/', 'control/'],
  '',
];

/** Who may import whom: the table of docs/architecture.md. The first rule whose layer fits a file counts. */
const RULES: readonly Rule[] = [
  // read by all
  { layer: 'src/domain/', own: [], without: [...ADAPTER_PACKAGES, 'joi', 'node:fs', 'pino', 'undici'] },
  { layer: QUIET_CONSOLE, own: [], without: ADAPTER_PACKAGES },
  {
    layer: 'src/contract/events/',
    own: ['src/domain/'],
    without: [...ADAPTER_PACKAGES, 'joi', 'pino', 'undici'],
  },
  { layer: 'src/contract/', own: ['src/domain/'], without: [...ADAPTER_PACKAGES, 'pino', 'undici'] },
  {
    layer: 'src/client/events.ts',
    own: ['src/client/', 'src/contract/events/', ...CLIENT_RULES],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  {
    layer: 'src/client/verify.ts',
    own: ['src/contract/events/', 'src/domain/webhook-headers.ts', ...CLIENT_RULES],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  {
    layer: 'src/client/sandbox/',
    own: ['src/client/generated/', 'src/contract/sandbox/', 'src/domain/'],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  { layer: 'src/client/', own: CLIENT_RULES },

  // the gateway
  {
    layer: 'src/gateway/kinds/',
    own: ['src/domain/', 'src/contract/sends/', 'src/contract/events/'],
    without: ADAPTER_PACKAGES,
  },
  { layer: LOG, own: ['src/domain/'], without: ADAPTER_PACKAGES },
  { layer: 'src/gateway/config/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  {
    layer: 'src/gateway/store/store.ts',
    own: ['src/domain/', 'src/gateway/store/port/'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/gateway/store/port/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  { layer: 'src/gateway/store/sqlite/', own: ['src/domain/', LOG, ...STORE_PORT] },
  { layer: 'src/gateway/store/mongo/', own: ['src/domain/', LOG, ...STORE_PORT] },
  {
    layer: 'src/gateway/store/',
    own: ['src/domain/', LOG],
    without: ['@whiskeysockets/baileys', '@hapi/hapi'],
  },
  { layer: 'src/gateway/link/baileys/', own: ['src/domain/', ...LINK_PORT, LOG, QUIET_CONSOLE] },
  { layer: 'src/gateway/link/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  {
    layer: 'src/gateway/delivery/',
    own: ['src/domain/', 'src/contract/events/', 'src/gateway/store/store.ts', LOG],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/gateway/cluster/workers/',
    own: ['src/domain/', 'src/gateway/config/', 'src/gateway/daemon/network.ts', LOG],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/gateway/cluster/',
    own: ['src/domain/', 'src/gateway/store/store.ts', LOG],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  ...serviceRules(),
  {
    layer: 'src/gateway/http/',
    own: [
      'src/domain/',
      'src/contract/',
      'src/gateway/kinds/',
      'src/gateway/services/services.ts',
      'src/gateway/cluster/owners.ts',
      'src/gateway/cluster/node-auth.ts',
      'src/gateway/cluster/routing.ts',
      'src/gateway/cluster/forward.ts',
      'src/gateway/delivery/tail.ts',
      'src/gateway/store/store.ts',
      LOG,
    ],
    without: ['better-sqlite3', 'mongodb', '@whiskeysockets/baileys'],
  },
  {
    layer: 'src/gateway/daemon/network.ts',
    own: ['src/domain/', 'src/gateway/config/', 'src/sandbox/index.ts'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/gateway/daemon/', own: ['src/domain/', 'src/contract/', 'src/gateway/'] },

  // the terminal
  {
    layer: 'src/terminal/cli/',
    own: ['src/contract/', 'src/client/', 'src/domain/'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/terminal/tui/',
    own: ['src/domain/', 'src/contract/', 'src/terminal/cli/'],
    without: ADAPTER_PACKAGES,
  },

  // the simulated network
  ...sandboxRules(),

  // what puts them together
  {
    layer: 'src/local/',
    own: [
      'src/domain/',
      'src/contract/',
      'src/client/',
      'src/terminal/cli/',
      'src/gateway/config/',
      ...STORE_PORT,
    ],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/testkit/gateway-thread.ts',
    own: ['src/domain/', 'src/gateway/config/', 'src/gateway/daemon/', 'src/sandbox/', LOG],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/testkit/',
    own: ['src/domain/', 'src/client/'],
    types: ['src/gateway/config/', 'src/contract/sandbox/'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/index.ts', own: ['src/'] },
  { layer: 'commands/start.ts', own: ['src/'] },
  { layer: 'commands/demo.ts', own: ['src/'] },
  {
    layer: 'commands/doctor.ts',
    own: ['src/terminal/cli/', 'src/domain/', 'src/gateway/config/', 'src/gateway/store/open.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/drill.ts',
    own: ['src/local/drill/', 'src/terminal/cli/', 'src/domain/', 'src/gateway/store/mongo/scratch.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/store/',
    own: [
      'src/local/store/',
      'src/terminal/cli/',
      'src/gateway/config/',
      'src/gateway/store/open.ts',
      'src/gateway/store/store.ts',
    ],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/policy/',
    own: ['src/contract/', 'src/local/policy/', 'src/terminal/cli/', 'src/domain/'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/service/',
    own: ['commands/start.ts', 'src/local/service/', 'src/terminal/cli/', 'src/domain/'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/sandbox/',
    own: ['src/terminal/', 'src/domain/', 'src/contract/', 'src/client/', 'src/sandbox/index.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'commands/',
    own: ['src/contract/', 'src/terminal/', 'src/domain/'],
    without: ADAPTER_PACKAGES,
  },
];

function sandboxRules(): Rule[] {
  const shared = ['src/domain/', 'src/contract/sandbox/', 'src/contract/check.ts', QUIET_CONSOLE];
  const rooms = SANDBOX_ROOMS.map((name) => `src/sandbox/${name}`);
  return rooms.map((layer, index) => ({
    layer,
    own: [...shared, ...rooms.slice(0, index)],
    without: ['mongodb'],
  }));
}

function serviceRules(): Rule[] {
  const base = [
    ...['src/domain/', 'src/contract/events/', 'src/gateway/kinds/', 'src/gateway/delivery/'],
    ...['src/gateway/cluster/owners.ts', 'src/gateway/store/store.ts', 'src/gateway/store/port/json.ts'],
    ...[...LINK_PORT, LOG],
  ];
  const rooms = SERVICE_ROOMS.map((names) => names.map((name) => `src/gateway/services/${name}`));
  return rooms.flatMap((layers, index) =>
    layers.map((layer) => ({
      layer,
      own: [...base, ...rooms.slice(0, index).flat()],
      types: ['src/contract/'],
      without: ADAPTER_PACKAGES,
    })),
  );
}

describe('the architecture', () => {
  const files = [...sources('src'), ...sources('commands')];

  it('has a rule for every file', () => {
    expect(files.filter((file) => !RULES.some(({ layer }) => file.startsWith(layer)))).to.deep.equal([]);
  });

  it('lets every layer import only what the table allows', () => {
    expect(files.flatMap(breaches)).to.deep.equal([]);
  });

  it('keeps gateway, terminal and sandbox apart: only what joins them knows two of them', () => {
    const strange = files
      .filter((file) => !JOINTS.some((joint) => file.startsWith(joint)))
      .flatMap((file) => {
        const own = WINGS.find((wing) => file.startsWith(wing));
        const others = [...WINGS, 'commands/', 'src/local/', 'src/testkit/', 'src/index.ts'].filter(
          (place) => place !== own,
        );
        return ownImportsOf(file)
          .filter((path) => others.some((place) => path.startsWith(place)))
          .map((path) => `${file} imports ${path}`);
      });
    expect(strange).to.deep.equal([]);
  });

  it('keeps run-time imports of the protocol library in the link adapter and the sandbox', () => {
    const users = files.filter((file) =>
      importsOf(file).some(
        ({ target, typeOnly }) => !typeOnly && target.startsWith('@whiskeysockets/baileys'),
      ),
    );
    const strangers = users.filter(
      (file) => !file.startsWith('src/gateway/link/baileys/') && !file.startsWith('src/sandbox/'),
    );
    expect(strangers).to.deep.equal([]);
  });

  it('keeps the clients of brokers in the process of the brokers', () => {
    const room = 'src/gateway/delivery/sinks/process/';
    // what the daemon and that process say to each other
    const shared = [`${room}messages.ts`, `${room}lines.ts`];
    const daemon = files.filter(
      (file) => !file.startsWith(room) && !/^(src\/(terminal|local)\/|commands\/)/.test(file),
    );
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
    const client = files.filter(
      (file) => file.startsWith('src/client/') && !NODE_CLIENT.some((place) => file.startsWith(place)),
    );
    const ours = [...client, ...CLIENT_RULES];
    const imports = ours.flatMap((file) =>
      importsOf(file).flatMap(({ target, typeOnly }) => (typeOnly ? [] : [{ file, target }])),
    );
    const strange = imports.filter(
      ({ file, target }) => !target.startsWith('.') || !ours.includes(pathOf(file, target)),
    );
    expect(strange).to.deep.equal([]);
  });

  it('parses JSON only through the readers that make the caller check it', () => {
    const parsers = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('JSON.parse('));
    // the last two are scripts for a browser
    const allowed = [
      'src/domain/json.ts',
      'src/gateway/http/pair-page/script.ts',
      'src/sandbox/state/rules.ts',
    ];
    expect(parsers.toSorted()).to.deep.equal(allowed);
  });

  it('has no import circle', () => {
    expect(circles(files)).to.deep.equal([]);
  });

  it('has no file of more than 400 lines', () => {
    // printed from the contract
    const written = files.filter((file) => !file.endsWith('.generated.ts'));
    const long = written.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 401);
    expect(long).to.deep.equal([]);
  });

  it('keeps printed files apart, under a name that says so', () => {
    const isPrinted = (file: string) => file.endsWith('.generated.ts');
    const apart = (file: string) => file.includes('/generated/');
    expect(files.filter((file) => isPrinted(file) !== apart(file))).to.deep.equal([]);
    const heads = files
      .filter(isPrinted)
      .map((file) => readFileSync(join(ROOT, file), 'utf8').split('\n')[0]);
    for (const head of heads) expect(head).to.contain('`npm run openapi`');
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

/** The own files that a file imports, types too. */
function ownImportsOf(file: string): string[] {
  return importsOf(file).flatMap(({ target }) => (target.startsWith('.') ? [pathOf(file, target)] : []));
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
