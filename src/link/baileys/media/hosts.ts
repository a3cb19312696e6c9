import {
  type BinaryNode,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from '@whiskeysockets/baileys';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';

/** Where files go, and what to show there. */
export interface MediaHosts {
  /** In the order in which they are to be tried. */
  names: string[];
  auth: string;
}

/**
 * What the network says of its media hosts, asked for when it is first needed and when it has run out. The library's own
 * answer to this cannot be asked for again once it has failed.
 */
export class MediaHostList {
  readonly #sock: Pick<WASocket, 'query'>;
  readonly #clock: Clock;
  #known: (MediaHosts & { until: number }) | undefined;
  #asking: Promise<MediaHosts> | undefined;

  constructor(sock: Pick<WASocket, 'query'>, clock: Clock) {
    this.#sock = sock;
    this.#clock = clock;
  }

  /** @throws GatewayError `send_rejected` when the network does not say */
  async get(): Promise<MediaHosts> {
    return this.#known && this.#known.until > this.#clock.now() ? this.#known : this.renew();
  }

  /** Asks again, also if what is known has not run out. @throws GatewayError `send_rejected` */
  renew(): Promise<MediaHosts> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #ask(): Promise<MediaHosts> {
    const answer: BinaryNode | undefined = await this.#sock
      .query({
        tag: 'iq',
        attrs: { type: 'set', xmlns: 'w:m', to: '@s.whatsapp.net' },
        content: [{ tag: 'media_conn', attrs: {} }],
      })
      .catch(untold);
    const node = getBinaryNodeChild(answer, 'media_conn');
    const names = getBinaryNodeChildren(node, 'host').flatMap(({ attrs }) => attrs.hostname ?? []);
    const { auth, ttl } = node?.attrs ?? {};
    if (!auth || names.length === 0) return untold();
    this.#known = { names, auth, until: this.#clock.now() + Number(ttl) * 1000 };
    return this.#known;
  }
}

function untold(cause?: unknown): never {
  throw new GatewayError(
    'send_rejected',
    'The network did not say where files go, so nothing was sent. Try again.',
    { cause },
  );
}
