import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm run compat -- VERSION`: installs another release of the protocol library aside, and runs the type check and the tests
 * of the link and the sandbox against it. Changes nothing in this folder.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LIBRARY = '@whiskeysockets/baileys';
const SCOPE = '@whiskeysockets';
const COPIED = [
  'bin',
  'src',
  'commands',
  'test',
  'docs',
  'package.json',
  'tsconfig.json',
  '.mocharc.json',
  'biome.json',
];
const TESTS = ['test/gateway/link/**/!(*.long).test.ts', 'test/sandbox/**/!(*.long).test.ts'];

const [version = ''] = process.argv.slice(2);
if (!/^[\w.-]+$/.test(version)) {
  console.error('Usage: npm run compat -- VERSION [test file...]');
  process.exit(2);
}

const folder = await mkdtemp(join(tmpdir(), 'compat-'));
try {
  process.exitCode = await compare(process.argv.slice(3));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function compare(files: string[]): Promise<number> {
  const aside = join(folder, 'library');
  const copy = join(folder, 'project');
  await mkdir(aside);
  const installed = run('npm', [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefix',
    aside,
    `${LIBRARY}@${version}`,
  ]);
  if (installed !== 0) return installed;
  await mkdir(copy);
  const present = new Set(await readdir(ROOT));
  for (const part of COPIED.filter((name) => present.has(name))) {
    await cp(join(ROOT, part), join(copy, part), { recursive: true });
  }
  await linkPackages(join(copy, 'node_modules'), join(aside, 'node_modules'));
  const manifest = await readFile(join(copy, 'node_modules', LIBRARY, 'package.json'), 'utf8');
  console.log(`\n${LIBRARY} ${/"version": "([^"]+)"/.exec(manifest)?.[1] ?? version}`);
  const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);
  const types = run(bin('tsc'), ['-p', '.', '--noEmit'], copy);
  const tests = run(bin('mocha'), files.length > 0 ? files : TESTS, copy);
  console.log(
    `\ntype check: ${types === 0 ? 'passed' : 'failed'}; tests: ${tests === 0 ? 'passed' : 'failed'}`,
  );
  return types || tests;
}

/** All packages of this project but the library, which comes from aside with its own dependencies. */
async function linkPackages(modules: string, aside: string): Promise<void> {
  await mkdir(join(modules, '.cache'), { recursive: true });
  const names = await readdir(join(ROOT, 'node_modules'));
  for (const name of names.filter((one) => one !== SCOPE && one !== '.cache')) {
    await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  await symlink(join(aside, SCOPE), join(modules, SCOPE));
}

function run(command: string, args: string[], cwd = ROOT): number {
  console.log(`\n$ ${command} ${args.join(' ')}`);
  return spawnSync(command, args, { cwd, stdio: 'inherit' }).status ?? 1;
}
