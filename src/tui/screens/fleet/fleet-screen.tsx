import { useContext, useMemo } from 'react';
import type { FleetModel } from '../../../cli/fleet/model.js';
import { Screen } from '../../components/screen.js';
import { usePresses } from '../../hooks/use-presses.js';
import { useStore } from '../../hooks/use-store.js';
import { useTerminalSize } from '../../hooks/use-terminal-size.js';
import { LookContext } from '../../look.js';
import { PairScreen } from '../pair-screen.js';
import { FleetController } from './controller.js';
import { fleetLines } from './fleet-picture.js';
import { useNow } from './use-now.js';

export interface FleetScreenProps {
  model: FleetModel;
  /** Address of the daemon. */
  url: string;
  onLeave(): void;
  /** Milliseconds since the epoch. */
  now?(): number;
}

/** All sessions and nodes, live: a table, one session closely, help, and pairings. */
export function FleetScreen({ model, url, onLeave, now = Date.now }: FleetScreenProps) {
  const controller = useMemo(() => {
    return new FleetController({ model, now, leave: onLeave });
  }, [model, now, onLeave]);
  const { color } = useContext(LookContext);
  const fleet = useStore(model);
  const view = useStore(controller);
  const size = useTerminalSize();
  const time = useNow(now) + fleet.clockAheadMs;
  usePresses((press) => controller.press(press));
  if (view.pairing) {
    const { clientId, items } = view.pairing;
    return (
      <PairScreen
        clientId={clientId}
        items={items}
        color={color}
        hint="Esc goes back"
        onEnd={(end) => controller.paired(end)}
      />
    );
  }
  const lines = fleetLines({ fleet, view, rows: controller.rows(), now: time, size, url });
  return <Screen lines={lines} rows={lines.length} />;
}
