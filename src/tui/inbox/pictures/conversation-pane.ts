import type { OutgoingItem, RoomItem } from '../../../cli/inbox/model.js';
import { cleanLine } from '../../text/foreign.js';
import { fitLines, type Line, spread } from '../../text/line.js';
import { seen, totalRows } from '../scroll.js';
import { currentSession, highlighted, openRoom, type Shown } from '../shown.js';
import { composerLines, composerRows } from './composer.js';
import { layoutConversation, seenLines } from './conversation.js';
import type { Drawing } from './drawing.js';

/** With fewer rows than these there is no bar below the name. */
const ROWS_FOR_BAR = 8;

/** Where the messages go: what is not taken by the heading, by what is on its way, and by the composer. */
export function conversationRows(shown: Shown, columns: number, rows: number): number {
  return Math.max(
    1,
    rows - headingRows(rows) - outgoingRows(shown, rows) - composerRows(shown, columns, rows),
  );
}

/** The open conversation, the newest at the bottom, and the composer. */
export function conversationPane(shown: Shown, columns: number, rows: number, drawing: Drawing): Line[] {
  const { conversation } = shown.inbox;
  if (!conversation) return fitLines(invitation(shown), columns, rows);
  const area = conversationRows(shown, columns, rows);
  const blocks = layoutConversation(conversation.messages, columns, drawing);
  const part = seen(blocks, shown.view.bottom, area);
  const isChosen = shown.view.pane === 'conversation';
  const messages = seenLines(blocks, part, isChosen ? highlighted(shown)?.messageId : undefined);
  const beginning =
    part.first === 0 && messages.length < area ? [[{ text: beginningText(shown), dim: true }]] : [];
  const space = Array.from({ length: Math.max(0, area - messages.length - beginning.length) }, () => []);
  return fitLines(
    [
      ...heading(shown, columns, totalRows(blocks) - part.end).slice(0, headingRows(rows)),
      ...space,
      ...beginning,
      ...messages,
      ...outgoingLines(shown, columns, rows),
      ...composerLines(shown, columns, rows),
    ],
    columns,
    rows,
  );
}

/** The name, and the bar below it. */
function headingRows(rows: number): number {
  return rows < ROWS_FOR_BAR ? 1 : 2;
}

function beginningText({ inbox }: Shown): string {
  const { conversation } = inbox;
  if (conversation?.loading) return ' Loading…';
  if (conversation?.hasOlder) return ' PgUp loads older messages';
  return conversation?.messages.length ? ' The beginning of what is kept' : ' No messages yet';
}

function heading(shown: Shown, columns: number, below: number): Line[] {
  const room = openRoom(shown);
  const name =
    cleanLine(room?.name ?? '') || cleanLine(room?.to ?? shown.inbox.conversation?.chatRoomId ?? '');
  const kind = room?.isGroup ? ' · group' : '';
  const isFocused = shown.view.pane === 'conversation';
  const state = shown.inbox.conversation?.loading ? 'loading…' : below > 0 ? `↓ ${below} more lines` : '';
  return [
    spread(
      [
        { text: ' ' },
        { text: name, bold: true, underline: isFocused, foreign: true },
        { text: kind + addressText(room, name), dim: true },
      ],
      [{ text: state, color: 'yellow' }],
      columns,
    ),
    [{ text: '─'.repeat(columns), dim: true }],
  ];
}

/** What the network calls somebody; to people the number says more than a LID. */
function addressText(room: RoomItem | undefined, name: string): string {
  const address = cleanLine(room?.phone || room?.to || '');
  return address === '' || address === name ? '' : ` · ${address}`;
}

function invitation(shown: Shown): Line[] {
  const session = currentSession(shown);
  if (!session || session.orgId === '') return [];
  return [[], [{ text: '  Enter opens a conversation, ? shows all keys.', dim: true }]];
}

function outgoingOf({ inbox }: Shown): OutgoingItem[] {
  return inbox.outgoing.filter(({ chatRoomId }) => chatRoomId === inbox.conversation?.chatRoomId);
}

function outgoingRows(shown: Shown, rows: number): number {
  return Math.min(outgoingOf(shown).length, Math.max(1, Math.floor(rows / 5)));
}

function outgoingLines(shown: Shown, columns: number, rows: number): Line[] {
  return outgoingOf(shown)
    .slice(-outgoingRows(shown, rows) || undefined)
    .map(({ label, progress }) =>
      spread(
        [
          { text: ' ↑ ', color: 'yellow' },
          { text: cleanLine(label), dim: true, foreign: true },
        ],
        [{ text: progress ? progressText(progress) : 'sending…', color: 'yellow' }],
        columns,
      ),
    );
}

const BAR = 10;

function progressText({ sent, total }: { sent: number; total: number }): string {
  const share = total > 0 ? Math.min(1, sent / total) : 0;
  const done = Math.floor(share * BAR);
  return `${'█'.repeat(done)}${'░'.repeat(BAR - done)} ${Math.floor(share * 100)} %`;
}
