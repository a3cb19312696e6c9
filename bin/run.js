#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
if (process.argv.length === 3 && ['--version', '-v'].includes(process.argv[2])) {
  // what the framework prints, without the time that it takes to load
  const { name, version } = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'));
  console.log(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}`);
} else {
  process.env.NODE_ENV ??= 'production';
  // its own check of Node's version loads a library of 47 files; ours is the package's `engines`
  process.env.OCLIF_DISABLE_ENGINE_WARNING = '1';
  module.enableCompileCache?.();
  const { runCommand } = await import('./run-command.js');

  // the framework would run plugins that stand in the daemon's data directory
  await runCommand({ root, userPlugins: false });
}
