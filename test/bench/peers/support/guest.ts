import type { MakePeer } from '../peer.js';
import { peer as switchboard } from '../switchboard.js';

/** Switchboard with what a foreign gateway may need: the late start, and a database, for which the network's process stands. */
export const peer: MakePeer = async (place) => {
  const { lateStartWsUrl, ...network } = place.network;
  const guest = await switchboard({
    ...place,
    network: { ...network, wsUrl: lateStartWsUrl, lateStartWsUrl },
  });
  return { ...guest, databases: () => [network.wsUrl] };
};
