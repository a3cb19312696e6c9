import { isTerminal } from '../../../domain/session.js';
import type { FleetSession } from '../../../services/services.js';

/** What the links of a node say of the network. */
export interface NetworkHealth {
  name: string;
  /** `unknown` while no linked number could tell. */
  state: 'ok' | 'down' | 'unknown';
  /** RFC 3339, or empty. */
  lastStanzaAt: string;
}

/** The network is there when one link proves it, and is not when none of those that should be up does. */
export function networkHealth(name: string, sessions: readonly FleetSession[]): NetworkHealth {
  const wanted = sessions.filter(({ loggedIn, status }) => loggedIn && !isTerminal(status));
  const isUp = wanted.some(({ connected }) => connected);
  const lastStanzaAt = sessions.reduce((last, session) => {
    return session.lastStanzaAt > last ? session.lastStanzaAt : last;
  }, '');
  return { name, state: isUp ? 'ok' : wanted.length > 0 ? 'down' : 'unknown', lastStanzaAt };
}
