import { request } from 'undici';
import { type Config, ConfigError } from './config/index.js';
import { type NetworkChoice, networkChoice } from './config/network.js';
import { errorMessage } from './domain/error-message.js';
import type { Sandbox } from './sandbox/index.js';

/** The network that a daemon talks to, ready to be used. */
export interface Network {
  /** Undefined for the real network: the library knows its address. */
  url?: string;
  /** Origin of the simulated network's media host; the real network says itself where its hosts are. */
  mediaUrl?: string;
  /** The simulated network's own Noise root; only a daemon that was told to use the sandbox ever trusts it. */
  rootKey?: Uint8Array;
  /** The simulated network, when it runs inside this daemon. */
  sandbox?: Sandbox;
}

const ROOT_KEY_TIMEOUT_MS = 10_000;

/** Makes the configured network ready: starts the embedded sandbox, or fetches the key of one that runs elsewhere. */
export async function openNetwork(config: Config): Promise<Network> {
  const choice = networkChoice(config);
  if (choice.kind === 'whatsapp') return {};
  if (choice.kind === 'address') return { url: choice.wsUrl };
  if (choice.kind === 'sandbox') {
    return { url: choice.wsUrl, mediaUrl: choice.controlUrl, rootKey: await fetchRootKey(choice) };
  }
  const { startSandbox } = await import('./sandbox/index.js');
  const sandbox = await startSandbox({
    host: config.host,
    port: config.sandboxPort,
    dataDir: config.sandboxData,
  });
  return { url: sandbox.wsUrl, mediaUrl: sandbox.url, rootKey: sandbox.rootKey, sandbox };
}

async function fetchRootKey({
  controlUrl,
}: Extract<NetworkChoice, { kind: 'sandbox' }>): Promise<Uint8Array> {
  try {
    const signal = AbortSignal.timeout(ROOT_KEY_TIMEOUT_MS);
    const response = await request(`${controlUrl}/root-key`, { signal });
    const answer: unknown = await response.body.json();
    if (isRootKey(answer)) return Buffer.from(answer.publicKey, 'base64');
    throw new Error('it answered with no root key');
  } catch (error) {
    const why = errorMessage(error);
    throw new ConfigError(`--network: no sandbox network answers at ${controlUrl} (${why}); start it first`);
  }
}

function isRootKey(answer: unknown): answer is { publicKey: string } {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'publicKey' in answer &&
    typeof answer.publicKey === 'string'
  );
}
