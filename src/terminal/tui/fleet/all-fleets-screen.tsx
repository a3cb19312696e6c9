import { useContext, useEffect, useMemo } from 'react';
import type { EpochMs } from '../../../domain/clock.js';
import { DaemonClient } from '../../cli/client.js';
import { LiveFleet } from '../../cli/fleet/live-fleet.js';
import { fullScreen, Screen, usePresses, useStore, useTerminalSize } from '../screen.js';
import type { ScreenSettings } from '../settings.js';
import { TerminalContext } from '../terminal.js';
import { AllFleets, allFleetsLines, type ContextModel, pressKey, type Target } from './all-fleets.js';
import { showFleet, useNow } from './fleet-screen.js';

/** Shows the fleets of all contexts until the operator quits. The fleet of one context comes back to it. */
export async function renderAllFleets(
  daemons: readonly { context: string; url: string; token: string | undefined }[],
  settings: ScreenSettings,
): Promise<void> {
  const end = new AbortController();
  const contexts = daemons.map(({ context, url, token }) => {
    const client = new DaemonClient({ url, token, signal: end.signal });
    return { context, url, client, model: new LiveFleet({ client }) };
  });
  try {
    for (let selected: Target | undefined; ; ) {
      let wanted: Target | undefined;
      await fullScreen(
        (leave) => (
          <AllFleetsScreen
            contexts={contexts}
            {...(selected && { selected })}
            onOpen={(target) => {
              wanted = target;
              leave();
            }}
            onLeave={leave}
          />
        ),
        settings,
      );
      const daemon = contexts.find(({ context }) => context === wanted?.context);
      if (!wanted || !daemon) return;
      const where = `${daemon.context} · ${daemon.url}`;
      await showFleet(daemon.model, daemon.client, { selected: wanted.clientId, where, settings });
      daemon.model.leave();
      selected = wanted;
    }
  } finally {
    for (const { model } of contexts) model.close();
    // do not wait for calls in flight
    end.abort();
  }
}

/** The sessions of all contexts, live. */
export function AllFleetsScreen({
  contexts,
  selected,
  onOpen,
  onLeave,
  now = Date.now,
}: {
  contexts: readonly ContextModel[];
  /** The session that is selected first. */
  selected?: Target;
  /** Called when the operator opens a session. */
  onOpen(target: Target): void;
  onLeave(): void;
  now?(): EpochMs;
}) {
  const fleets = useMemo(() => new AllFleets(contexts, selected), [contexts, selected]);
  const { color } = useContext(TerminalContext);
  const state = useStore(fleets);
  const size = useTerminalSize();
  const time = useNow(now);
  usePresses((press) => pressKey(fleets, press, { now: now(), open: onOpen, leave: onLeave }));
  useEffect(() => () => fleets.close(), [fleets]);
  const lines = allFleetsLines(state, { now: time, size, color });
  return <Screen lines={lines} />;
}
