import { wait } from '../../../domain/clock.js';
import { type DaemonClient, isRefusal, pauseOf } from '../client.js';
import { type InboxContext, report, say } from './context.js';
import type { Conversation, InboxState } from './model.js';

/** Milliseconds that a request waits at most until the session may ask again. */
const MAX_PAUSE_MS = 10_000;

/**
 * Asks the phone for the messages of the open conversation that are older than the stored ones, and shows the outcome.
 * @returns whether messages came; the conversation then has older ones to load
 */
export async function requestOlder(context: InboxContext, signal: AbortSignal): Promise<boolean> {
  const { box } = context;
  const { clientId, conversation } = box.state;
  if (!clientId || !conversation) return false;
  const { chatRoomId, onPhone } = conversation;
  if (onPhone === 'asking' || onPhone === 'none') return false;
  const become = (change: Partial<Conversation>) => box.update((state) => changed(state, change));
  become({ onPhone: 'asking' });
  try {
    const { messages, more } = await asked(context, { clientId, chatRoomId }, signal);
    if (signal.aborted) return false;
    const isSome = messages > 0;
    become({ onPhone: more === false ? 'none' : 'unknown', ...(isSome && { hasOlder: true }) });
    const came = messages === 1 ? '1 older message' : `${isSome ? messages : 'no'} older messages`;
    const goOn = !isSome && more ? ', but holds some: ask again' : '';
    say(context, { level: 'done', text: `the phone sent ${came}${goOn}`, suggestions: [] });
    return isSome;
  } catch (error) {
    if (signal.aborted) return false;
    become({ onPhone: isRefusal(error, 'history_phone_silent') ? 'silent' : 'unknown' });
    report(context, error);
    return false;
  }
}

/** The phone's answer. A request in the pause after another one waits until the pause is over. */
async function asked(
  { client, clock }: Pick<InboxContext, 'client' | 'clock'>,
  room: Parameters<DaemonClient['requestHistory']>[0],
  signal: AbortSignal,
): ReturnType<DaemonClient['requestHistory']> {
  for (let leftMs = MAX_PAUSE_MS; ; ) {
    try {
      return await client.requestHistory(room, { signal });
    } catch (error) {
      const pauseMs = pauseOf(error, 'history_requested');
      if (pauseMs === undefined || pauseMs > leftMs) throw error;
      leftMs -= pauseMs;
      await wait(clock, pauseMs, signal);
    }
  }
}

function changed(state: InboxState, change: Partial<Conversation>): InboxState {
  const { conversation } = state;
  return conversation ? { ...state, conversation: { ...conversation, ...change } } : state;
}
