#!/usr/bin/env node
import module from 'node:module';

process.env.NODE_ENV ??= 'production';
module.enableCompileCache?.();
const { execute } = await import('@oclif/core');

await execute({ dir: import.meta.url });
