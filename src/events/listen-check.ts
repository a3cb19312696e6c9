/** The `X-SN-Event` of the call that asks whether somebody listens. */
export const LISTEN_CHECK = 'listen_check';

/** Not an event of the catalogue: it only asks a temporary receiver for a 2xx, before any event goes there. */
export interface ListenCheck {
  event: 'listen.check';
  type: typeof LISTEN_CHECK;
  clientId: string;
  /** RFC 3339, UTC. */
  timestamp: string;
}
