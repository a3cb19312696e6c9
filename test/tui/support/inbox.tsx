import type { InboxState } from '../../../src/cli/inbox/model.js';
import type { PairItem } from '../../../src/cli/pair.js';
import type { PairRequest } from '../../../src/tui/inbox/view.js';
import { LookContext, PLAIN_LOOK } from '../../../src/tui/look.js';
import { InboxScreen } from '../../../src/tui/screens/inbox-screen.js';
import { ItemFeed } from '../item-feed.js';
import { draw, type Rendered } from '../rendered.js';
import { conversationOf, messageOf, roomOf, ScriptedModel, sessionOf } from './scripted-model.js';

export const NOW = new Date(2026, 10, 21, 12, 0);
export const USUAL = { columns: 90, rows: 20 };

/** The inbox on a terminal of a test's own. */
export interface ShownInbox extends Rendered {
  model: ScriptedModel;
  /** The steps of the pairing, which a test gives. */
  pairing: ItemFeed<PairItem>;
  /** What a pairing was asked for. */
  pairRequests: { request: PairRequest; signal: AbortSignal }[];
  /** Resolves when the operator leaves. */
  left: Promise<void>;
}

export function showInbox(state: Partial<InboxState> = {}, size = USUAL, look = PLAIN_LOOK): ShownInbox {
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
  const screen = draw(
    <LookContext value={look}>
      <InboxScreen model={model} pair={pair} now={() => NOW} onLeave={leave} />
    </LookContext>,
    size,
  );
  return { ...screen, model, pairing, pairRequests, left };
}

/** One session, two rooms, none of them open. */
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

/** The inbox with the conversation with Ada open, and the keys going to it. */
export async function showConversation(
  messages = [messageOf('Hello')],
  more: Partial<InboxState> = {},
  size = USUAL,
): Promise<ShownInbox> {
  const inbox = showInbox({ conversation: conversationOf(messages), ...more }, size);
  await inbox.type('\r');
  return inbox;
}
