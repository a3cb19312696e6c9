import type { Notice } from '../../../cli/inbox/model.js';
import { cleanLine } from '../../text/foreign.js';
import { type Color, type Line, wrapText } from '../../text/line.js';

const LOOKS: Readonly<Record<Notice['level'], { mark: string; color: Color }>> = {
  error: { mark: '✗', color: 'red' },
  warning: { mark: '!', color: 'yellow' },
  done: { mark: '✓', color: 'green' },
};
const INDENT = '   ';

/** A notice and its advice, in at most `mostRows` lines. */
export function noticeLines(notice: Notice | undefined, columns: number, mostRows: number): Line[] {
  if (!notice) return [];
  const { mark, color } = LOOKS[notice.level];
  const room = Math.max(2, columns - INDENT.length - 1);
  const text = wrapText(cleanLine(notice.text), room).map((line, row): Line => {
    return [
      { text: row === 0 ? ` ${mark} ` : INDENT, color, bold: true },
      { text: line, color, link: notice.link || undefined },
    ];
  });
  const suggestions = notice.suggestions
    .flatMap((suggestion) => wrapText(`→ ${cleanLine(suggestion)}`, room))
    .map((line): Line => [{ text: INDENT + line, dim: true }]);
  return [...text, ...suggestions].slice(0, mostRows);
}
