import type { InboxState } from '../../../../src/terminal/cli/inbox/model.js';
import type { PairItem } from '../../../../src/terminal/cli/pair.js';
import { InboxScreen } from '../../../../src/terminal/tui/inbox/inbox-screen.js';
import type { PairRequest } from '../../../../src/terminal/tui/inbox/view.js';
import { sliceLine } from '../../../../src/terminal/tui/text/line.js';
import { ItemFeed } from '../item-feed.js';
import { draw, type Look, type Rendered } from './rendered.js';
import { conversationOf, messageOf, roomOf, ScriptedModel, sessionOf } from './scripted-model.js';

export const NOW = new Date(2026, 10, 21, 12, 0);
export const USUAL = { columns: 90, rows: 20 };

/** The inbox on a simulated terminal. */
export interface ShownInbox extends Rendered {
  model: ScriptedModel;
  /** The steps of the pairing, added by the test. */
  pairing: ItemFeed<PairItem>;
  /** The requests for pairings. */
  pairRequests: { request: PairRequest; signal: AbortSignal }[];
  /** Resolves when the operator quits. */
  left: Promise<void>;
}

export async function showInbox(
  state: Partial<InboxState> = {},
  size = USUAL,
  look: Look = {},
): Promise<ShownInbox> {
  const model = new ScriptedModel({ ...someInbox(), ...state });
  const pairing = new ItemFeed<PairItem>();
  const pairRequests: ShownInbox['pairRequests'] = [];
  let leave: () => void = () => undefined;
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  const pair = (request: PairRequest, signal: AbortSignal) => {
    pairRequests.push({ request, signal });
    return pairing;
  };
  const app = <InboxScreen model={model} pair={pair} now={() => NOW} onLeave={leave} />;
  const screen = await draw(app, size, look);
  return { ...screen, model, pairing, pairRequests, left };
}

/** Columns of the lists on a terminal of the usual size. */
const LISTS = 30;

/** The rows of the conversation on a terminal of the usual size, without its frame. */
export function conversationRows(frame: string): string[] {
  return frame.split('\n').map((line) => {
    const [right] = sliceLine([{ text: line }], LISTS + 1, USUAL.columns - 1);
    return right?.text ?? '';
  });
}

/** One session and two rooms, no room open. */
function someInbox(): Partial<InboxState> {
  return {
    sessions: [sessionOf('acme')],
    clientId: 'acme',
    rooms: [
      roomOf('Ada', { lastMessage: 'Hello', lastMessageAt: NOW, unreadCount: 3 }),
      roomOf('Bob', { lastMessage: 'See you', lastMessageFromMe: true }),
    ],
  };
}

/** The inbox with the conversation with Ada open and focused. */
export async function showConversation(
  messages = [messageOf('Hello')],
  more: Partial<InboxState> = {},
  size = USUAL,
  look: Look = {},
): Promise<ShownInbox> {
  const inbox = await showInbox({ conversation: conversationOf(messages), ...more }, size, look);
  await inbox.type('\r');
  return inbox;
}
