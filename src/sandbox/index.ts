import { type Clock, systemClock } from '../domain/clock.js';
import { VirtualClock } from '../domain/virtual-clock.js';
import { createServer, stopServer } from './control/server.js';
import { MediaFolder } from './media/store.js';
import { Pairing } from './pairing/pairing.js';
import { Phones } from './phone/phone.js';
import { restoreAuthority, restorePeople } from './restore.js';
import type { AddressingMode } from './state/account.js';
import { type Log, Network } from './state/network.js';
import { storedAheadMs } from './state/time.js';
import { SqliteState } from './store/sqlite.js';
import { forgetfulState } from './store/state.js';

const DEFAULT_HOST = '127.0.0.1';

export interface SandboxOptions {
  /** Default `127.0.0.1`. */
  host?: string;
  /** Default 0: any free port. */
  port?: number;
  /** Stores the network's state in this folder, so that a restart resumes. */
  dataDir?: string;
  log?: Log;
  /** The clock that the network's own one is ahead of. Default: the system's. */
  clock?: Clock;
  /** How stanzas name people. Default `lid`, as on the real network today. */
  addressing?: AddressingMode;
  /** Milliseconds after which a silent client is dropped. Default 90 s. */
  silenceMs?: number;
  /** Fail a request of the control API whose answer breaks the contract: for tests. Default false. */
  checkAnswers?: boolean;
}

/** A running simulated network. */
export interface Sandbox {
  /** `ws://host:port/ws/chat` */
  readonly wsUrl: string;
  /** `http://host:port`: the control API. */
  readonly url: string;
  /** The network's time, which its control API can move forward. A daemon in the same process may share it. */
  readonly clock: VirtualClock;
  readonly port: number;
  /** 32-byte public key of the sandbox's own Noise root, also served as `GET /root-key`. */
  readonly rootKey: Uint8Array;
  /**
   * Sends bytes instead of a stanza, correctly encrypted, to every connected device of a number: tests of a client's
   * decoder use it.
   * @returns the number of devices
   */
  inject(number: string, bytes: Uint8Array): number;
  /** Cuts all connections, stores the state if there is a folder for it, and frees the port. */
  stop(): Promise<void>;
}

/** Starts a simulated network. Rejects when the port is taken or the folder cannot be used. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    host = DEFAULT_HOST,
    port = 0,
    dataDir,
    log,
    addressing,
    silenceMs,
    checkAnswers = false,
  } = options;
  const { clock: base = systemClock } = options;
  const state = dataDir === undefined ? forgetfulState : new SqliteState(dataDir, base);
  const clock = new VirtualClock(base, storedAheadMs(state));
  const media = new MediaFolder(dataDir);
  const authority = restoreAuthority(state);
  const network = new Network({ authority, state, media, clock, log, addressing, silenceMs });
  const phones = new Phones(network);
  const pairing = new Pairing(network);
  await restorePeople(network, phones, state);
  const server = createServer({ network, phones, pairing, checkAnswers }, { host, port });
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
    clock,
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
      await phones.settled();
      await media.close();
      state.close();
    },
  };
}
