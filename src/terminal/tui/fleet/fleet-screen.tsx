import { useContext, useEffect, useMemo, useState } from 'react';
import type { EpochMs } from '../../../domain/clock.js';
import type { DaemonClient } from '../../cli/client.js';
import { LiveFleet } from '../../cli/fleet/live-fleet.js';
import type { FleetModel } from '../../cli/fleet/model.js';
import { createInboxModel } from '../../cli/inbox/inbox.js';
import { renderInbox } from '../inbox/inbox-screen.js';
import { PairScreen } from '../pair/pair-screen.js';
import { fullScreen, Screen, usePresses, useStore, useTerminalSize } from '../screen.js';
import type { ScreenSettings } from '../settings.js';
import { TerminalContext } from '../terminal.js';
import { endPairing } from './actions.js';
import { FleetController } from './controller.js';
import { fleetLines } from './fleet-view.js';
import { pressKey } from './keyboard.js';

/**
 * Shows the fleet on the whole terminal until the operator quits. The inbox of a session comes back to it.
 * @param options.where how the header names the daemon
 */
export async function renderFleet(
  client: DaemonClient,
  { where = client.url, settings }: { where?: string; settings: ScreenSettings },
): Promise<void> {
  const model = new LiveFleet({ client });
  try {
    await showFleet(model, client, { where, settings });
  } finally {
    model.close();
  }
}

/**
 * The same for a fleet that stays open afterwards.
 * @param options.selected the session that is selected first
 */
export async function showFleet(
  model: FleetModel,
  client: DaemonClient,
  { selected, where, settings }: { selected?: string; where: string; settings: ScreenSettings },
): Promise<void> {
  for (let first = selected; ; ) {
    let wanted: string | undefined;
    await fullScreen(
      (leave) => (
        <FleetScreen
          model={model}
          url={where}
          {...(first !== undefined && { selected: first })}
          onInbox={(clientId) => {
            wanted = clientId;
            leave();
          }}
          onLeave={leave}
        />
      ),
      settings,
    );
    if (wanted === undefined) return;
    await showInbox(client, wanted, { where, settings });
    first = wanted;
  }
}

async function showInbox(
  client: DaemonClient,
  clientId: string,
  options: { where: string; settings: ScreenSettings },
): Promise<void> {
  const inbox = createInboxModel(client, { clientId });
  try {
    await renderInbox(inbox, { client, ...options });
  } finally {
    inbox.close();
  }
}

/** All sessions and nodes, live: the table, one session, the help page, or a pairing. */
export function FleetScreen({
  model,
  url,
  selected,
  onInbox,
  onLeave,
  now = Date.now,
}: {
  model: FleetModel;
  /** URL of the daemon. */
  url: string;
  /** The session that is selected first. */
  selected?: string;
  /** Called when the operator goes to the inbox of a session. */
  onInbox(clientId: string): void;
  onLeave(): void;
  now?(): EpochMs;
}) {
  const controller = useMemo(() => {
    const first = selected === undefined ? {} : { selected };
    return new FleetController({ model, now, ...first, leave: onLeave, openInbox: onInbox });
  }, [model, now, selected, onLeave, onInbox]);
  const look = useContext(TerminalContext);
  const fleet = useStore(model);
  const view = useStore(controller);
  const size = useTerminalSize();
  const time = useNow(now) + fleet.clockAheadMs;
  usePresses((press) => pressKey(controller, press));
  if (view.pairing) {
    const { clientId, items } = view.pairing;
    return <PairScreen clientId={clientId} items={items} onEnd={(end) => endPairing(controller, end)} />;
  }
  const lines = fleetLines({ fleet, view, rows: controller.rows(), now: time, size, url, look });
  return <Screen lines={lines} />;
}

/** Milliseconds between two updates of the ages. */
const TICK_MS = 1_000;

/** Returns the time, and renders again every second, so that ages stay current. */
export function useNow(now: () => number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), TICK_MS);
    return () => clearInterval(timer);
  }, [now]);
  return time;
}
