import { type Address, Router } from '../../../src/gateway/cluster/workers/router.js';
import { createLog } from '../../../src/gateway/log.js';
import { serve, vitals } from '../support/role.js';

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
