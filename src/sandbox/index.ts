import { type Clock, systemClock } from '../domain/clock.js';
import type { AddressingMode } from './account.js';
import { createServer, stopServer } from './control/server.js';
import { MediaFolder } from './media/folder.js';
import { type Log, Network } from './network.js';
import { restoreAuthority, restorePeople } from './state/restore.js';
import { SqliteState } from './state/sqlite-state.js';
import { forgetfulState } from './state/state.js';

const DEFAULT_HOST = '127.0.0.1';

export interface SandboxOptions {
  /** `127.0.0.1` unless said otherwise. */
  host?: string;
  /** 0, the default, takes any free port. */
  port?: number;
  /** Keeps the network's state in this folder, so that a restart resumes. */
  dataDir?: string;
  log?: Log;
  clock?: Clock;
  /** How stanzas name people; `lid`, as the real network does today, unless said otherwise. */
  addressing?: AddressingMode;
  /** Milliseconds after which a client that says nothing is dropped; 90 s, unless said otherwise. */
  silenceMs?: number;
}

/** A running simulated network. */
export interface Sandbox {
  /** `ws://host:port/ws/chat` */
  readonly wsUrl: string;
  /** `http://host:port`: the control API. */
  readonly url: string;
  readonly port: number;
  /** 32-byte public key of the sandbox's own Noise root, also served as `GET /root-key`. */
  readonly rootKey: Uint8Array;
  /**
   * Sends bytes in place of a stanza, well encrypted, to every connected device of a number: for tests of what a client
   * makes of them.
   * @returns how many devices got them
   */
  inject(number: string, bytes: Uint8Array): number;
  /** Cuts all connections, keeps the state if there is a folder for it, and frees the port. */
  stop(): Promise<void>;
}

/** Starts a simulated network. Rejects when the port is taken or the folder cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const { host = DEFAULT_HOST, port = 0, dataDir, log, clock = systemClock, addressing, silenceMs } = options;
  const state = dataDir === undefined ? forgetfulState : new SqliteState(dataDir, clock);
  const media = new MediaFolder(dataDir);
  const authority = restoreAuthority(state);
  const network = new Network({ authority, state, media, clock, log, addressing, silenceMs });
  await restorePeople(network, state);
  const server = createServer(network, { host, port });
  try {
    await server.start();
  } catch (error) {
    state.close();
    throw error;
  }
  const where = `${host.includes(':') ? `[${host}]` : host}:${server.info.port}`;
  return {
    wsUrl: `ws://${where}/ws/chat`,
    url: `http://${where}`,
    port: Number(server.info.port),
    rootKey: authority.root.public,
    inject(number, bytes) {
      const targets = [...network.connections].filter(
        (connection) =>
          connection.companion?.account.number === number && connection.companion.connection === connection,
      );
      for (const connection of targets) connection.sendRaw(Buffer.from(bytes));
      return targets.length;
    },
    async stop() {
      network.shut();
      await stopServer(server);
      await network.settled();
      await media.close();
      state.close();
    },
  };
}
