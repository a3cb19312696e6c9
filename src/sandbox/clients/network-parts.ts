import type { Pairing } from '../pairing/pairing.js';
import type { Phones } from '../phone/phone.js';
import type { Network } from '../state/network.js';

/** The parts of a running sandbox, as its edges (client sockets and the control API) use them. */
export interface NetworkParts {
  network: Network;
  phones: Phones;
  pairing: Pairing;
}
