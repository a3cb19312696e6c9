import { wordsOf } from '../../../cli/inbox/search.js';
import { drawOver, paneLines } from '../../pane.js';
import { cleanLine } from '../../text/foreign.js';
import { columnsOf } from '../../text/graphemes.js';
import { fitLine, type Line, spread, wrapText } from '../../text/line.js';
import { withMatches } from '../../text/match.js';
import { listLines, textInputLine } from '../../widgets.js';
import { switchTargets, type Target } from '../switcher.js';
import { type Drawing, EMOJIS, type Overlay, type OverlayOf, type Shown } from '../view-state.js';
import { onBack } from './lists.js';
import { shortMoment } from './moment.js';

/** Columns of a window, at most. */
const WIDEST = 72;
/** Rows of a list in a window, at most. */
const MOST_ROWS = 14;

/** What a window shows. */
interface Content {
  title: string;
  lines: Line[];
  /** At the lower edge instead of the middle, so that the lists above stay visible. */
  isLow?: boolean;
}

/** Draws a question, a form or a list as a window over the panes. */
export function withOverlay(screen: readonly Line[], shown: Shown, drawing: Drawing): Line[] {
  const { size, overlay } = shown.view;
  const columns = Math.min(size.columns, Math.max(20, Math.min(WIDEST, size.columns - 4)));
  const most = Math.max(1, Math.min(MOST_ROWS, size.rows - 8));
  const content = overlay && contentOf(overlay, shown, drawing, columns - 2, most);
  if (!content) return [...screen];
  const room = Math.max(1, size.rows - 3);
  const rows = Math.min(content.lines.length, room) + 2;
  const window = paneLines(
    {
      title: [{ text: content.title }],
      isFocused: true,
      color: drawing.look.color,
      columns,
      rows,
    },
    withinRows(content.lines, rows - 2),
  );
  const left = Math.floor((size.columns - columns) / 2);
  const middle = Math.max(0, Math.floor((size.rows - rows) / 2) - 1);
  const top = content.isLow ? Math.max(0, size.rows - rows - 1) : middle;
  return drawOver(screen, window, { top, left });
}

/** If not all lines fit, keeps the one with the cursor. */
function withinRows(lines: readonly Line[], rows: number): readonly Line[] {
  if (lines.length <= rows) return lines;
  const typed = Math.max(
    0,
    lines.findIndex((line) => line.some((span) => span.cursor)),
  );
  return lines.slice(Math.min(typed, lines.length - rows), Math.min(typed, lines.length - rows) + rows);
}

function contentOf(
  overlay: Overlay,
  shown: Shown,
  drawing: Drawing,
  columns: number,
  mostRows: number,
): Content | undefined {
  switch (overlay.type) {
    case 'confirm':
      return { title: 'Please confirm', lines: confirmLines(overlay, columns) };
    case 'emoji':
      return { title: 'React', lines: emojiLines(overlay, columns) };
    case 'search': {
      const label = overlay.where === 'rooms' ? ' Rooms with' : ' Messages with';
      const line = textInputLine({ label, edit: overlay.edit, columns, placeholder: SEARCH_HINT });
      return { title: 'Search', lines: [line], isLow: true };
    }
    case 'form':
      return { title: overlay.title, lines: formLines(overlay, columns) };
    case 'switcher':
      return { title: 'Go to', lines: switcherLines(overlay, shown, columns, mostRows) };
    case 'found':
      return { title: 'Search all rooms', lines: foundLines(overlay, drawing, columns, mostRows) };
    default:
      return undefined;
  }
}

const SEARCH_HINT = 'a name, a number or words';

function confirmLines({ question }: OverlayOf<'confirm'>, columns: number): Line[] {
  return [
    ...wrapText(question, Math.max(2, columns - 2)).map(
      (text): Line => [{ text: ` ${text}`, bold: true, color: 'yellow' }],
    ),
    [],
    [
      { text: ' y', bold: true, color: 'accent' },
      { text: ' yes, any other key no', dim: true },
    ],
  ];
}

function emojiLines({ index, edit }: OverlayOf<'emoji'>, columns: number): Line[] {
  const choices = EMOJIS.flatMap((emoji, place): Line => {
    const isChosen = place === index && edit.text === '';
    const back = isChosen ? ({ back: 'selected' } as const) : {};
    return [
      { text: isChosen ? '[' : ' ', ...back },
      { text: emoji, ...back },
      { text: isChosen ? ']' : ' ', ...back },
    ];
  });
  return [
    [{ text: ' ' }, ...choices],
    textInputLine({ label: ' or type one', edit, columns, placeholder: '' }),
    [{ text: ' Backspace removes yours', dim: true }],
  ];
}

function formLines({ fields, index, problem }: OverlayOf<'form'>, columns: number): Line[] {
  const width = Math.max(...fields.map(({ label }) => columnsOf(label)));
  return [
    ...fields.map((field, place): Line => {
      const label = ` ${field.label.padEnd(width)}`;
      if (place === index) {
        return textInputLine({ label, edit: field.edit, columns, placeholder: field.hint });
      }
      const shown = field.edit.text === '' ? { text: field.hint, dim: true } : { text: field.edit.text };
      return fitLine([{ text: `${label} `, dim: true }, shown], columns);
    }),
    ...(problem === '' ? [] : [[{ text: ` ✗ ${problem}`, color: 'red' as const }]]),
    [],
    [{ text: ' Enter next, Esc back', dim: true }],
  ];
}

function switcherLines(
  { edit, index, others }: OverlayOf<'switcher'>,
  shown: Shown,
  columns: number,
  mostRows: number,
): Line[] {
  const targets = switchTargets(shown.inbox, others, edit.text);
  const words = wordsOf(edit.text);
  return [
    textInputLine({ label: ' >', edit, columns, placeholder: 'a room or a session' }),
    [{ text: '─'.repeat(columns), color: 'border' }],
    ...listLines({
      items: targets,
      selected: index,
      columns,
      rows: Math.max(1, Math.min(mostRows, targets.length)),
      picture: (target, isSelected) => [targetLine(target, words, isSelected, columns)],
      empty: [[{ text: ' nothing has these words', dim: true }]],
    }),
  ];
}

function targetLine(target: Target, words: readonly string[], isSelected: boolean, columns: number): Line {
  const name = withMatches({ text: cleanLine(target.name), foreign: true, bold: isSelected }, words);
  const unread: Line = target.unread > 0 ? [{ text: `(${target.unread}) `, color: 'green', bold: true }] : [];
  const line = spread(
    [{ text: isSelected ? '▌' : ' ', color: 'accent' }, { text: `${target.mark} `, color: 'cyan' }, ...name],
    [...unread, { text: `${cleanLine(target.about)} `, dim: true }],
    columns,
  );
  return onBack(line, isSelected ? 'selected' : undefined);
}

function foundLines(
  { edit, index, hits, state }: OverlayOf<'found'>,
  { now }: Drawing,
  columns: number,
  mostRows: number,
): Line[] {
  const words = wordsOf(edit.text);
  const lines = listLines({
    items: hits,
    selected: index,
    columns,
    rows: Math.max(1, Math.min(mostRows, hits.length * 2)),
    rowsPerItem: 2,
    picture: ({ room, message }, isSelected) => {
      const back = isSelected ? 'selected' : undefined;
      const mark = { text: isSelected ? '▌' : ' ', color: 'accent' } as const;
      const who = message.fromMe ? 'You: ' : room.isGroup ? `${cleanLine(message.author)}: ` : '';
      return [
        onBack(
          spread(
            [mark, { text: cleanLine(room.name), bold: true, foreign: true }],
            [{ text: `${shortMoment(message.sentAt, now)} `, dim: true }],
            columns,
          ),
          back,
        ),
        onBack(
          fitLine(
            [
              mark,
              { text: ` ${who}`, dim: true, foreign: true },
              ...withMatches({ text: cleanLine(excerpt(message.body, words)), foreign: true }, words),
            ],
            columns,
          ),
          back,
        ),
      ];
    },
    empty: [[{ text: ` ${STATES[state]}`, dim: true }]],
  });
  const rule: Line = [{ text: '─'.repeat(columns), color: 'border' }];
  return [textInputLine({ label: ' Words', edit, columns, placeholder: 'then Enter' }), rule, ...lines];
}

const STATES: Readonly<Record<OverlayOf<'found'>['state'], string>> = {
  typing: 'Enter searches the newest messages of all rooms',
  searching: 'searching …',
  done: 'no message has these words',
};

/** Characters before the first match. */
const BEFORE = 20;

/** The part of a text that begins shortly before the first of the words. */
function excerpt(text: string, words: readonly string[]): string {
  const at = text.toLowerCase().indexOf(words[0] ?? '');
  return at > BEFORE * 2 ? `…${text.slice(at - BEFORE)}` : text;
}
