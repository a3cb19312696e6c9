import { confirmLine } from '../../components/confirm.js';
import { textInputLine } from '../../components/text-input.js';
import { columnsOf } from '../../text/graphemes.js';
import { fitLine, type Line } from '../../text/line.js';
import { EMOJIS, type EmojiChoice, type Form, type Overlay } from '../view-state.js';

/** What stands above the status line while something is asked, in at most so many rows. */
export function overlayLines(overlay: Overlay | undefined, columns: number, mostRows: number): Line[] {
  const lines = allLines(overlay, columns);
  if (lines.length <= mostRows) return lines;
  // where there is no room for more, what is being typed
  const typed = lines.findIndex((line) => line.some((span) => span.cursor));
  return typed === -1 ? lines.slice(-mostRows) : lines.slice(typed, typed + mostRows);
}

function allLines(overlay: Overlay | undefined, columns: number): Line[] {
  switch (overlay?.type) {
    case 'confirm':
      return [bar(columns), [{ text: ' ' }, ...confirmLine(overlay.question)]];
    case 'emoji':
      return [bar(columns), emojiLine(overlay), emojiInput(overlay, columns)];
    case 'search': {
      const label = overlay.where === 'rooms' ? ' Rooms with' : ' Messages with';
      return [bar(columns), textInputLine({ label, edit: overlay.edit, columns, placeholder: SEARCH_HINT })];
    }
    case 'form':
      return formLines(overlay, columns);
    default:
      return [];
  }
}

const SEARCH_HINT = 'a name, a number or words';

function bar(columns: number): Line {
  return [{ text: '─'.repeat(columns), color: 'cyan' }];
}

function emojiLine({ index, edit }: EmojiChoice): Line {
  return [
    { text: ' React ', bold: true },
    ...EMOJIS.flatMap((emoji, place): Line => {
      const isChosen = place === index && edit.text === '';
      return [{ text: isChosen ? '[' : ' ' }, { text: emoji }, { text: isChosen ? ']' : ' ' }];
    }),
    { text: '  Delete takes yours back', dim: true },
  ];
}

function emojiInput({ edit }: EmojiChoice, columns: number): Line {
  return textInputLine({ label: ' or type one', edit, columns, placeholder: '' });
}

function formLines({ title, fields, index, problem }: Form, columns: number): Line[] {
  const width = Math.max(...fields.map(({ label }) => columnsOf(label)));
  return [
    bar(columns),
    [
      { text: ` ${title}`, bold: true },
      { text: '  Enter goes on, Esc back', dim: true },
    ],
    ...fields.map((field, place): Line => {
      const label = ` ${field.label.padEnd(width)}`;
      if (place === index) {
        return textInputLine({ label, edit: field.edit, columns, placeholder: field.hint });
      }
      const shown = field.edit.text === '' ? { text: field.hint, dim: true } : { text: field.edit.text };
      return fitLine([{ text: `${label} `, dim: true }, shown], columns);
    }),
    ...(problem === '' ? [] : [[{ text: ` ✗ ${problem}`, color: 'red' as const }]]),
  ];
}
