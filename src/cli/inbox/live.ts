import type { RoomSignal, TailEntry } from '../../delivery/tail.js';
import { wait } from '../../domain/clock.js';
import { errorMessage } from '../../domain/error-message.js';
import type { SessionStatusEvent } from '../../events/session-status.js';
import { CliError } from '../cli-error.js';
import { plainLine } from '../plain-text.js';
import { type RoomChange, type TailItem, tailWithRooms } from '../tail.js';
import { type InboxContext, learnPhone, report } from './context.js';
import type { InboxConnection } from './model.js';

/** Milliseconds between attempts when the daemon was not there at first, or refuses. */
const AGAIN_AFTER_MS = 1_000;

type EventEntry = Extract<TailEntry, { kind: 'event' }>;

export interface LiveListener {
  /** The stream is open, perhaps again. */
  opened(): void;
  statusChanged(event: SessionStatusEvent): void;
  roomChanged(signal: RoomSignal): void;
}

/**
 * Follows the daemon's live stream until the inbox is closed, whatever becomes of the daemon. After every opening a signal
 * says that any room may have changed, so that a gap needs no looking after.
 */
export async function followLive(context: InboxContext, listener: LiveListener): Promise<void> {
  const { client, clock, signal } = context;
  while (!signal.aborted) {
    try {
      const items = tailWithRooms(client, { signal, clock });
      for await (const item of items) take(item, context, listener);
    } catch (error) {
      if (signal.aborted) return;
      connectionIs(context, {
        state: 'reconnecting',
        reason: plainLine(errorMessage(error)),
        delayMs: AGAIN_AFTER_MS,
      });
      if (!isAway(error)) report(context, error);
      await wait(clock, AGAIN_AFTER_MS, signal);
    }
  }
}

function take(item: TailItem | RoomChange, context: InboxContext, listener: LiveListener): void {
  if (item.type === 'room') {
    listener.roomChanged(item.signal);
  } else if (item.type === 'open') {
    connectionIs(context, { state: 'open' });
    context.box.update((state) => (state.notice?.untilBack ? { ...state, notice: undefined } : state));
    listener.opened();
  } else if (item.type === 'reconnecting') {
    const { reason, delayMs } = item;
    connectionIs(context, { state: 'reconnecting', reason: plainLine(reason), delayMs });
  } else if (item.entry.kind === 'event') {
    takeEvent(item.entry.event, context, listener);
  }
}

function takeEvent(event: EventEntry['event'], context: InboxContext, listener: LiveListener): void {
  if (event.event === 'session.status') listener.statusChanged(event);
  else if ('remotePhone' in event) learnPhone(context, event.remoteJid, event.remotePhone);
}

/** The state of the connection says as much. */
function isAway(error: unknown): boolean {
  return error instanceof CliError && error.failure === 'unreachable';
}

function connectionIs({ box }: InboxContext, connection: InboxConnection): void {
  box.update((state) => ({ ...state, connection }));
}
