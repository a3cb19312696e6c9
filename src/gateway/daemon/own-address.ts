import { hostname } from 'node:os';
import type { Server } from '@hapi/hapi';
import type { Config } from '../config/schema.js';

/** The addresses of this daemon. A port that the system chooses is known once the server listens. */
export class OwnAddress {
  readonly #config: Config;
  #server: Pick<Server, 'info'> | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  listensOn(server: Pick<Server, 'info'>): void {
    this.#server = server;
  }

  /** The `public-url` setting, or the server's address if the system chose the port; without a slash at its end. */
  get publicUrl(): string {
    const { port, publicUrl } = this.#config;
    return port === 0 && publicUrl.endsWith(':0') ? (this.#server?.info.uri ?? publicUrl) : publicUrl;
  }

  /** The `node-url` setting, or the server's address, with the host's name if it listens on all addresses. */
  get nodeUrl(): string {
    const { host, port, nodeUrl } = this.#config;
    if (nodeUrl) return nodeUrl.replace(/\/+$/, '');
    const isEverywhere = host === '0.0.0.0' || host === '::';
    const { port: listening = port, uri = `http://${host}:${port}` } = this.#server?.info ?? {};
    return isEverywhere ? `http://${hostname()}:${listening}` : uri;
  }
}
