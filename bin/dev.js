#!/usr/bin/env node
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const { execute, settings } = await import('@oclif/core');

settings.enableAutoTranspile = false;
rmSync(new URL('../oclif.manifest.json', import.meta.url), { force: true });
const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
pjson.oclif.commands = './commands';
await execute({
  development: true,
  loadOptions: { root: fileURLToPath(new URL('..', import.meta.url)), pjson, userPlugins: false },
});
