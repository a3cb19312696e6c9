import { Agent as HttpsAgent } from 'node:https';
import { connect } from 'node:net';
import { downloadMediaMessage, type WAMessage } from '@whiskeysockets/baileys';
import { Agent, type Dispatcher } from 'undici';
import type { SandboxWorld } from './world.js';

const LOOPBACK = '127.0.0.1';

/** URLs say https, the wire is plain http to the sandbox. */
export class PlainAgent extends HttpsAgent {
  readonly #port: number;

  constructor(port: number) {
    super();
    this.#port = port;
  }

  override createConnection() {
    return connect({ host: LOOPBACK, port: this.#port });
  }
}

/** Options with which a client sends its files to a sandbox. */
export function uploadRoute(world: SandboxWorld): { fetchAgent: PlainAgent } {
  return { fetchAgent: new PlainAgent(world.sandbox.port) };
}

/** Request options that send a client's downloads to a sandbox, whatever their host; `close` ends the connections. */
export function downloadRoute(world: SandboxWorld): { options: RequestInit; close(): Promise<void> } {
  const agent = new Agent();
  const toSandbox: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
    dispatch({ ...options, origin: world.sandbox.url }, handler);
  const options: RequestInit = {};
  // the types of Node's own fetch are those of another version
  Reflect.set(options, 'dispatcher', agent.compose(toSandbox));
  return { options, close: () => agent.close() };
}

/** Downloads and decrypts a file as clients do. */
export async function download(world: SandboxWorld, message: WAMessage): Promise<Buffer> {
  const { options, close } = downloadRoute(world);
  try {
    return await downloadMediaMessage(message, 'buffer', { options });
  } finally {
    await close();
  }
}
