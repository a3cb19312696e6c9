import type { IncomingMessage } from 'node:http';
import type { VisitView } from '../../contract/sandbox/index.js';

/** Visits that are remembered; older ones are forgotten. */
const KEPT = 10_000;
const MEDIA_HOST = /(^|\.)whatsapp\.(net|com)(:\d+)?$/;

/** Which address each connection of a client came from: WebSockets, requests to media hosts, and version look-ups. */
export class Visits {
  readonly #seen = new Map<string, VisitView>();

  /** Notes a request; those of the control API are none of a client. */
  note(request: IncomingMessage): void {
    const purpose = purposeOf(request);
    if (!purpose) return;
    const address = addressOf(request);
    const key = `${purpose} ${address}`;
    const known = this.#seen.get(key);
    if (known) {
      known.requests += 1;
      return;
    }
    this.#seen.set(key, { purpose, address, requests: 1 });
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > KEPT && oldest) this.#seen.delete(oldest);
  }

  /** Oldest first. */
  list(): VisitView[] {
    return [...this.#seen.values()];
  }
}

/** The address at the other end of a request, as `ip:port`: that of the last proxy, if there is one. */
export function addressOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  const { remoteAddress = '', remotePort = 0 } = socket;
  return remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`;
}

function purposeOf({ headers, url = '' }: IncomingMessage): VisitView['purpose'] | undefined {
  if (headers.upgrade) return 'chat';
  if (MEDIA_HOST.test(headers.host ?? '')) return 'media';
  return url === '/sw.js' ? 'version' : undefined;
}
