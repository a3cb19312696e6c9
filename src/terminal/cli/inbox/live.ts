import type { GatewayEvent, SessionStatusEvent } from '../../../contract/events/catalogue.js';
import type { RoomSignal } from '../../../contract/events/stream-entry.js';
import { wait } from '../../../domain/clock.js';
import { errorMessage } from '../../../domain/errors.js';
import { longestPause } from '../../../domain/retry.js';
import { plainLine } from '../../../domain/text.js';
import { CliError } from '../errors.js';
import { type RoomChange, type TailItem, tailWithRooms } from '../tail.js';
import { type InboxContext, learnPhone, report } from './context.js';
import type { InboxState } from './model.js';

/** Pause after a failed first connection, or a refusal of the stream. */
const REOPEN = { pausesMs: [1_000], endless: true } as const;

interface LiveListener {
  /** Called when the stream has been opened, for the first time or again. */
  opened(): void;
  statusChanged(event: SessionStatusEvent): void;
  roomChanged(signal: RoomSignal): void;
}

/**
 * Follows the live stream until the inbox is closed. After each connect the daemon signals that any room may have changed,
 * so a gap needs no handling.
 */
export async function followLive(context: InboxContext, listener: LiveListener): Promise<void> {
  const { client, clock, signal } = context;
  while (!signal.aborted) {
    try {
      const items = tailWithRooms(client, { signal, clock });
      for await (const item of items) take(item, context, listener);
    } catch (error) {
      if (signal.aborted) return;
      const delayMs = longestPause(REOPEN);
      connectionIs(context, { state: 'reconnecting', reason: plainLine(errorMessage(error)), delayMs });
      if (!isAway(error)) report(context, error);
      await wait(clock, delayMs, signal);
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

function takeEvent(event: GatewayEvent, context: InboxContext, listener: LiveListener): void {
  if (event.event === 'session.status') listener.statusChanged(event);
  else if ('remotePhone' in event) learnPhone(context, event.remoteJid, event.remotePhone);
}

function isAway(error: unknown): boolean {
  return error instanceof CliError && error.failure === 'unreachable';
}

function connectionIs({ box }: InboxContext, connection: InboxState['connection']): void {
  box.update((state) => ({ ...state, connection }));
}
