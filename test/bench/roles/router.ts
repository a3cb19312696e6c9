import { createLog } from '../../../src/log.js';
import { type Address, Router } from '../../../src/workers/router.js';
import { serve } from '../support/serve.js';
import { vitals } from '../support/vitals.js';

const commands = {
  ...vitals,
  /** @returns where it listens, in front of those addresses */
  start({ urls }: { urls: readonly string[] }): Promise<string> {
    const workers = urls.map((url): Address => {
      const { hostname, port } = new URL(url);
      return { host: hostname, port: Number(port) };
    });
    return new Router(() => workers, createLog({ level: 'silent', pretty: false })).listen('127.0.0.1', 0);
  },
};

export type RouterRole = typeof commands;

serve(commands);
