import { isRefusal } from '../client.js';
import { type InboxContext, report, say } from './context.js';
import type { Conversation, InboxState } from './model.js';

/**
 * Asks the phone for the messages of the open conversation that are older than the stored ones, and shows the outcome.
 * @returns whether messages came; the conversation then has older ones to load
 */
export async function requestOlder(context: InboxContext, signal: AbortSignal): Promise<boolean> {
  const { client, box } = context;
  const { clientId, conversation } = box.state;
  if (!clientId || !conversation) return false;
  const { chatRoomId, onPhone } = conversation;
  if (onPhone === 'asking' || onPhone === 'none') return false;
  const become = (change: Partial<Conversation>) => box.update((state) => changed(state, change));
  become({ onPhone: 'asking' });
  try {
    const { messages, more } = await client.requestHistory({ clientId, chatRoomId });
    if (signal.aborted) return false;
    const isSome = messages > 0;
    become({ onPhone: more === false ? 'none' : 'unknown', ...(isSome && { hasOlder: true }) });
    const came = messages === 1 ? '1 older message' : `${isSome ? messages : 'no'} older messages`;
    say(context, { level: 'done', text: `the phone sent ${came}`, suggestions: [] });
    return isSome;
  } catch (error) {
    if (signal.aborted) return false;
    become({ onPhone: isRefusal(error, 'history_phone_silent') ? 'silent' : 'unknown' });
    report(context, error);
    return false;
  }
}

function changed(state: InboxState, change: Partial<Conversation>): InboxState {
  const { conversation } = state;
  return conversation ? { ...state, conversation: { ...conversation, ...change } } : state;
}
