import { useContext, useEffect, useMemo, useState } from 'react';
import type { DaemonClient } from '../../cli/client.js';
import type { InboxModel, Notice } from '../../cli/inbox/model.js';
import { pair } from '../../cli/pair.js';
import { PairScreen } from '../pair/pair-screen.js';
import { fullScreen, Screen, usePresses, useStore, useTerminalSize } from '../screen.js';
import type { ScreenSettings } from '../settings.js';
import { TerminalContext } from '../terminal.js';
import { endPairing } from './actions.js';
import type { ChosenKeys } from './keys/bindings.js';
import { revealHighlight } from './keys/find.js';
import { pressKey } from './keys/keyboard.js';
import { InboxView, type InboxViewOptions } from './view.js';
import { type OverlayOf, shownOf } from './view-state.js';
import { frame } from './views/screen.js';

/**
 * Shows the inbox on the whole terminal until the operator quits. Does not close the model.
 * @param options.where the daemon, for the header; by default its URL
 */
export function renderInbox(
  model: InboxModel,
  {
    client,
    where = client.url,
    settings,
  }: { client: DaemonClient; where?: string; settings: ScreenSettings },
): Promise<void> {
  return fullScreen(
    (leave) => (
      <InboxScreen
        model={model}
        pair={(request, signal) => pair(client, { ...request, signal })}
        where={where}
        keys={settings.keys}
        onLeave={leave}
      />
    ),
    settings,
  );
}

const NO_KEYS: ChosenKeys = {};

/** The terminal inbox: sessions, rooms, a conversation and the composer. */
export function InboxScreen({
  model,
  pair,
  where = '',
  keys = NO_KEYS,
  onLeave,
  now = () => new Date(),
}: {
  model: InboxModel;
  pair: InboxViewOptions['pair'];
  /** The daemon, for the header. */
  where?: string;
  /** Keys that the operator has chosen. */
  keys?: ChosenKeys;
  onLeave(): void;
  /** By default the system's time. */
  now?(): Date;
}) {
  const look = useContext(TerminalContext);
  const size = useTerminalSize();
  const [view] = useState(
    () =>
      new InboxView(model, {
        size,
        drawing: () => ({ look, now: now(), where, keys }),
        pair,
        leave: onLeave,
      }),
  );
  const inbox = useStore(model);
  const state = useStore(view);
  const { connection } = inbox;
  const left = useCountdown(connection, connection.state === 'reconnecting' ? connection.delayMs : undefined);
  usePassingNotice(state.notice ?? inbox.notice, view.dismissNotice);
  usePresses((press) => pressKey(view, press));
  useEffect(() => {
    view.resize(size);
    revealHighlight(view);
  }, [view, size]);
  useEffect(() => () => view.close(), [view]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines depend only on these states and on the time left
  const lines = useMemo(
    () => frame(shownOf(model, state), { look, now: now(), where, keys }, left),
    [model, inbox, state, look, left],
  );
  if (state.overlay?.type === 'pairing') return <Pairing view={view} pairing={state.overlay} />;
  return <Screen lines={lines} />;
}

function Pairing({ view, pairing }: { view: InboxView; pairing: OverlayOf<'pairing'> }) {
  const { clientId, items } = pairing;
  const [onEnd] = useState(() => endPairing.bind(undefined, view));
  return <PairScreen clientId={clientId} items={items} onEnd={onEnd} />;
}

const SECOND_MS = 1_000;

/**
 * Counts down in whole seconds. Starts again when `since` changes.
 * @param ms the time to count down; undefined: always 0
 */
export function useCountdown(since: object, ms: number | undefined): number {
  const [seconds, setSeconds] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `since` restarts the countdown
  useEffect(() => {
    setSeconds(Math.ceil((ms ?? 0) / SECOND_MS));
    if (ms === undefined || ms <= 0) return;
    const end = performance.now() + ms;
    const timer = setInterval(() => {
      const left = Math.ceil((end - performance.now()) / SECOND_MS);
      setSeconds(Math.max(0, left));
      if (left <= 0) clearInterval(timer);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [since, ms]);
  return seconds;
}

/** Milliseconds for which a notice of success is shown. */
const SHOWN_MS = 8_000;

/** Dismisses a notice of success after a while. */
export function usePassingNotice(notice: Notice | undefined, dismiss: () => void): void {
  useEffect(() => {
    if (notice?.level !== 'done') return;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, dismiss]);
}
