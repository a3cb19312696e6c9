import { startSandbox } from '../../../src/sandbox/index.js';
import { serve, vitals } from '../support/role.js';

const commands = {
  ...vitals,
  async start(_: object): Promise<{ url: string; wsUrl: string; rootKey: string }> {
    const { url, wsUrl, rootKey } = await startSandbox();
    return { url, wsUrl, rootKey: Buffer.from(rootKey).toString('base64') };
  },
};

export type SandboxRole = typeof commands;

serve(commands);
