import { execFile } from 'node:child_process';
import { cp, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTempDir, type TempDir } from './temp-dir.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The command line as it is shipped, compiled and with its manifest, in a folder of its own. */
export class BuiltCli {
  /** What `switchboard` runs. */
  readonly entry: string;
  readonly #folder: TempDir;

  private constructor(folder: TempDir) {
    this.#folder = folder;
    this.entry = join(folder.path, 'bin/run.js');
  }

  /** Compiles the sources as they are now, without looking at types. */
  static async build(): Promise<BuiltCli> {
    const folder = await makeTempDir();
    await Promise.all([compile(folder.path), furnish(folder.path)]);
    await run(process.execPath, [join(ROOT, 'node_modules/oclif/bin/run.js'), 'manifest', folder.path], {
      env: { ...process.env, OCLIF_SKIP_NEW_VERSION_CHECK: 'true' },
    });
    return new BuiltCli(folder);
  }

  remove(): Promise<void> {
    return this.#folder.remove();
  }
}

async function compile(folder: string): Promise<void> {
  const project = join(folder, 'tsconfig.json');
  await writeFile(
    project,
    JSON.stringify({
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions: { rootDir: ROOT, outDir: 'dist', noCheck: true, sourceMap: false, types: [] },
      include: [join(ROOT, 'src'), join(ROOT, 'commands')],
    }),
  );
  await run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '--project', project]);
}

async function furnish(folder: string): Promise<void> {
  for (const name of ['bin', 'package.json']) {
    await cp(join(ROOT, name), join(folder, name), { recursive: true });
  }
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
}
