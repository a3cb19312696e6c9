import type { Request } from '@hapi/hapi';
import { GatewayError } from '../../domain/errors.js';
import { LIMITS } from '../../domain/limits.js';

declare module '@hapi/hapi' {
  interface PluginsStates {
    /** The counters that include the request until it is answered. */
    counted?: string[];
  }
}

type Counted = Pick<Request, 'plugins' | 'info'>;

/** Bounds the requests in flight of each per-session secret and of each session. */
export class RequestLimits {
  readonly #counts = new Map<string, number>();

  /** @param clientIds the sessions that the secret opens @throws GatewayError too_many_requests */
  enterSecret(request: Counted, clientIds: readonly string[]): void {
    this.#enter(request, `secret ${clientIds.toSorted().join(' ')}`, LIMITS.requestsOfSecret, 'secret');
  }

  /** @throws GatewayError too_many_requests */
  enterSession(request: Counted, clientId: string): void {
    this.#enter(request, `session ${clientId}`, LIMITS.requestsOfSession, 'session');
  }

  /** Removes a request from its counters, because it is answered or its caller has gone. */
  leave({ plugins }: Pick<Request, 'plugins'>): void {
    for (const key of plugins.counted?.splice(0) ?? []) {
      const count = (this.#counts.get(key) ?? 0) - 1;
      if (count > 0) this.#counts.set(key, count);
      else this.#counts.delete(key);
    }
  }

  #enter({ plugins, info }: Counted, key: string, limit: number, owner: string): void {
    // do not count a caller that has gone already, because no event will report the end of the request
    if (info.completed > 0) return;
    const count = this.#counts.get(key) ?? 0;
    if (count >= limit) {
      const message = `this ${owner} has ${limit} requests in flight; wait for their answers`;
      throw new GatewayError('too_many_requests', message);
    }
    this.#counts.set(key, count + 1);
    plugins.counted = [...(plugins.counted ?? []), key];
  }
}
