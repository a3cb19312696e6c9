import type { DaemonClient } from '../cli/client.js';
import { LiveFleet } from '../cli/fleet/live-fleet.js';
import { fullScreen } from './full-screen.js';
import { FleetScreen } from './screens/fleet/fleet-screen.js';

/** The fleet on the whole terminal, until the operator leaves. */
export async function renderFleet(client: DaemonClient): Promise<void> {
  const model = new LiveFleet({ client });
  try {
    await fullScreen((leave) => <FleetScreen model={model} url={client.url} onLeave={leave} />);
  } finally {
    model.close();
  }
}
