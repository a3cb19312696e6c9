import { useContext, useEffect, useMemo, useState } from 'react';
import type { InboxModel } from '../../cli/inbox/model.js';
import { Screen } from '../components/screen.js';
import { useCountdown } from '../hooks/use-countdown.js';
import { usePassingNotice } from '../hooks/use-passing-notice.js';
import { usePresses } from '../hooks/use-presses.js';
import { useStore } from '../hooks/use-store.js';
import { useTerminalSize } from '../hooks/use-terminal-size.js';
import { endPairing } from '../inbox/pairing.js';
import { frame } from '../inbox/pictures/frame.js';
import { shownOf } from '../inbox/shown.js';
import { InboxView, type InboxViewOptions } from '../inbox/view.js';
import type { PairingView } from '../inbox/view-state.js';
import { LookContext } from '../look.js';
import { PairScreen } from './pair-screen.js';

export interface InboxScreenProps {
  model: InboxModel;
  pair: InboxViewOptions['pair'];
  onLeave(): void;
  /** The time; the system's by default. */
  now?(): Date;
}

/** The terminal inbox: sessions and rooms, a conversation, and where the next message is written. */
export function InboxScreen({ model, pair, onLeave, now = () => new Date() }: InboxScreenProps) {
  const look = useContext(LookContext);
  const size = useTerminalSize();
  const [view] = useState(
    () => new InboxView(model, { size, drawing: () => ({ look, now: now() }), pair, leave: onLeave }),
  );
  const inbox = useStore(model);
  const state = useStore(view);
  const { connection } = inbox;
  const left = useCountdown(connection, connection.state === 'reconnecting' ? connection.delayMs : undefined);
  usePassingNotice(state.notice ?? inbox.notice, view.dismissNotice);
  usePresses((press) => view.press(press));
  useEffect(() => view.resize(size), [view, size]);
  useEffect(() => () => view.close(), [view]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the picture changes with the states alone, and with the time left
  const lines = useMemo(
    () => frame(shownOf(model, state), { look, now: now() }, left),
    [model, inbox, state, look, left],
  );
  if (state.overlay?.type === 'pairing')
    return <Pairing view={view} pairing={state.overlay} color={look.color} />;
  return <Screen lines={lines} rows={Math.max(1, state.size.rows - 1)} />;
}

function Pairing({ view, pairing, color }: { view: InboxView; pairing: PairingView; color: boolean }) {
  const { clientId, items } = pairing;
  const [onEnd] = useState(() => endPairing.bind(undefined, view));
  return <PairScreen clientId={clientId} items={items} color={color} hint="Esc goes back" onEnd={onEnd} />;
}
