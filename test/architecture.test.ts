import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

interface Rule {
  /** Path prefix of the layer's files. */
  layer: string;
  /** Prefixes of our own files that it may import; itself is always allowed. */
  own: readonly string[];
  /** Packages it must not import at run time. */
  without?: readonly string[];
}

const ADAPTER_PACKAGES = ['@hapi/hapi', '@hapi/boom', 'better-sqlite3', 'mongodb', '@whiskeysockets/baileys'];

/** The store's port, and what back ends share. */
const STORE_PORT = [
  'src/store/store.ts',
  'src/store/contact-merge.ts',
  'src/store/incoming-file.ts',
  'src/store/shown-message.ts',
];

/** Who may import whom: the table of docs/architecture.md. The first rule whose layer fits a file counts. */
const RULES: readonly Rule[] = [
  { layer: 'src/domain/', own: [], without: [...ADAPTER_PACKAGES, 'joi', 'node:fs', 'pino', 'undici'] },
  { layer: 'src/kinds/', own: ['src/domain/', 'src/events/'], without: ADAPTER_PACKAGES },
  { layer: 'src/events/', own: ['src/domain/', 'src/kinds/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/store.ts', own: ['src/domain/', 'src/store/ports/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/ports/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  { layer: 'src/store/sqlite/', own: ['src/domain/', ...STORE_PORT] },
  { layer: 'src/store/mongo/', own: ['src/domain/', ...STORE_PORT] },
  { layer: 'src/store/', own: ['src/domain/'], without: ['@whiskeysockets/baileys', '@hapi/hapi'] },
  { layer: 'src/link/link.ts', own: ['src/domain/', 'src/link/port/'], without: ADAPTER_PACKAGES },
  { layer: 'src/link/port/', own: ['src/domain/'], without: ADAPTER_PACKAGES },
  {
    layer: 'src/link/baileys/',
    own: ['src/domain/', 'src/link/link.ts', 'src/link/port/', 'src/log.ts', 'src/quiet-console.ts'],
  },
  {
    layer: 'src/sandbox/',
    own: ['src/domain/', 'src/kinds/', 'src/log.ts', 'src/quiet-console.ts'],
    without: ['mongodb'],
  },
  {
    layer: 'src/delivery/',
    own: ['src/domain/', 'src/events/', 'src/store/store.ts', 'src/log.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cluster/',
    own: ['src/domain/', 'src/store/store.ts', 'src/log.ts'],
    without: [...ADAPTER_PACKAGES, 'joi'],
  },
  {
    layer: 'src/services/',
    own: [
      'src/domain/',
      'src/events/',
      'src/kinds/',
      'src/delivery/',
      'src/cluster/owners.ts',
      'src/store/store.ts',
      'src/link/link.ts',
      'src/link/port/',
      'src/log.ts',
    ],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/http/',
    own: [
      'src/domain/',
      'src/events/',
      'src/kinds/',
      'src/services/services.ts',
      'src/cluster/owners.ts',
      'src/cluster/hops.ts',
      'src/delivery/tail.ts',
      'src/store/store.ts',
      'src/log.ts',
    ],
    without: ['better-sqlite3', 'mongodb', '@whiskeysockets/baileys'],
  },
  { layer: 'src/config/', own: [], without: ADAPTER_PACKAGES },
  {
    layer: 'src/workers/',
    own: ['src/domain/', 'src/config/', 'src/network.ts', 'src/log.ts'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cli/store-',
    own: ['src/cli/', 'src/domain/', 'src/config/', 'src/store/store.ts', 'src/store/ports/'],
    without: ADAPTER_PACKAGES,
  },
  {
    layer: 'src/cli/',
    own: [
      'src/domain/',
      'src/events/',
      'src/delivery/tail.ts',
      'src/delivery/verify.ts',
      'src/delivery/webhook-headers.ts',
      'src/config/',
      'src/sandbox/client.ts',
      'src/sandbox/api.ts',
    ],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'src/tui/', own: ['src/domain/', 'src/cli/'], without: ADAPTER_PACKAGES },
  { layer: 'commands/start.ts', own: ['src/'] },
  {
    layer: 'commands/doctor.ts',
    own: ['src/cli/', 'src/domain/', 'src/store/open.ts'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'commands/demo.ts', own: ['src/'] },
  {
    layer: 'commands/store/',
    own: ['src/cli/', 'src/config/', 'src/store/open.ts', 'src/store/store.ts'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'commands/sandbox/', own: ['src/cli/', 'src/tui/', 'src/sandbox/'], without: ADAPTER_PACKAGES },
  {
    layer: 'commands/store/',
    own: ['src/cli/', 'src/config/', 'src/store/open.ts'],
    without: ADAPTER_PACKAGES,
  },
  { layer: 'commands/', own: ['src/cli/', 'src/tui/', 'src/domain/'], without: ADAPTER_PACKAGES },
];

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

  it('has no file that nobody can read in a sitting', () => {
    const long = files.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length > 350);
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
    const path = relative(ROOT, resolve(ROOT, dirname(file), target)).replace(/\.js$/, '.ts');
    const allowed = [rule.layer, ...rule.own].some((prefix) => path.startsWith(prefix));
    return allowed ? [] : [`${file} imports ${path}`];
  });
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
