#!/usr/bin/env node
import { readFileSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { register } from 'tsx/esm/api';

register({ tsconfig: fileURLToPath(new URL('../tsconfig.json', import.meta.url)) });
const { settings } = await import('@oclif/core');
const { runCommand } = await import('./run-command.js');

process.env.NODE_ENV = 'development';
settings.debug = true;
settings.enableAutoTranspile = false;
rmSync(new URL('../oclif.manifest.json', import.meta.url), { force: true });
const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
pjson.oclif.commands = './commands';
pjson.oclif.helpClass = './src/terminal/cli/help.ts';
pjson.oclif.hooks.command_not_found = './src/terminal/cli/not-found-hook.ts';
await runCommand({ root: fileURLToPath(new URL('..', import.meta.url)), pjson, userPlugins: false });
