import { readFile } from 'node:fs/promises';
import { errorMessage } from '../../domain/errors.js';
import type { Sandbox } from '../../sandbox/index.js';
import { ConfigError } from '../config/load.js';
import type { Config } from '../config/schema.js';
import { type NetworkChoice, networkChoice } from '../config/schema.js';

/** The network that a daemon connects to. */
export interface Network {
  /** URL of the network; undefined for WhatsApp, whose address the library knows. */
  url?: string;
  /** Origin of the sandbox's media host; WhatsApp announces its own hosts. */
  mediaUrl?: string;
  /** The sandbox's Noise root key; trusted only if the settings choose the sandbox. */
  rootKey?: Uint8Array;
  /** The sandbox, if it runs inside this daemon. */
  sandbox?: Sandbox;
}

/** The page that names the current client version; undefined if none is known for this network. */
export function versionPage({ url, mediaUrl }: Network): string | undefined {
  if (mediaUrl) return `${mediaUrl}/sw.js`;
  return url ? undefined : 'https://web.whatsapp.com/sw.js';
}

const ROOT_KEY_BYTES = 32;
const ROOT_KEY_TIMEOUT_MS = 10_000;

/** Starts the embedded sandbox, or fetches the root key of a remote one. */
export async function openNetwork(config: Config): Promise<Network> {
  const choice = networkChoice(config);
  if (choice.kind === 'whatsapp') return {};
  if (choice.kind === 'address') {
    const rootKey = config.networkRoot ? await readRootKey(config.networkRoot) : undefined;
    return { url: choice.wsUrl, ...(rootKey && { rootKey }) };
  }
  if (choice.kind === 'sandbox') {
    return { url: choice.wsUrl, mediaUrl: choice.controlUrl, rootKey: await fetchRootKey(choice) };
  }
  const { startSandbox } = await import('../../sandbox/index.js');
  const sandbox = await startSandbox({
    host: config.sandboxHost,
    port: config.sandboxPort,
    dataDir: config.sandboxData,
  }).catch((error: unknown) => {
    throw explained(error, config);
  });
  return { url: sandbox.wsUrl, mediaUrl: sandbox.url, rootKey: sandbox.rootKey, sandbox };
}

/** Names the setting that chose the address on which the sandbox cannot listen. */
function explained(error: unknown, { sandboxHost, sandboxPort }: Config): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const reasons: Record<string, string> = {
    EADDRINUSE: `port ${sandboxPort} is in use: stop the program that uses it, or choose another with --sandbox-port`,
    EACCES: `this user may not listen on port ${sandboxPort}: choose one above 1023 with --sandbox-port`,
    EADDRNOTAVAIL: `this machine does not have the address ${sandboxHost}: choose another with --sandbox-host`,
  };
  const reason = reasons[String(code)];
  return reason === undefined ? error : new ConfigError(`the sandbox network: ${reason}`);
}

/** @throws ConfigError */
async function readRootKey(file: string): Promise<Uint8Array> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new ConfigError(`--network-root: ${file} cannot be read (${errorMessage(error)})`);
  });
  if (bytes.length === ROOT_KEY_BYTES) return bytes;
  const text = bytes.toString().trim();
  const key = Buffer.from(text, /^[0-9a-fA-F]{64}$/.test(text) ? 'hex' : 'base64');
  if (key.length === ROOT_KEY_BYTES) return key;
  throw new ConfigError(`--network-root: ${file} must hold 32 bytes, raw, hex or base64`);
}

async function fetchRootKey({
  controlUrl,
}: Extract<NetworkChoice, { kind: 'sandbox' }>): Promise<Uint8Array> {
  try {
    const { request } = await import('undici');
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
