#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';

process.env.NODE_ENV ??= 'production';
module.enableCompileCache?.();
const { execute } = await import('@oclif/core');

// the framework would run plugins that stand in the daemon's data directory
const root = fileURLToPath(new URL('..', import.meta.url));
await execute({ loadOptions: { root, userPlugins: false } });
