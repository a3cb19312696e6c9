import { Box, useCursor } from 'ink';
import { useMemo } from 'react';
import { type Line, lineColumns } from '../text/line.js';
import { Lines } from './lines.js';

/** A whole screen of lines, with the terminal's own cursor where a span asks for it. */
export function Screen({ lines, rows }: { lines: readonly Line[]; rows: number }) {
  const { setCursorPosition } = useCursor();
  const { cursor, plain } = useMemo(() => takeCursor(lines), [lines]);
  setCursorPosition(cursor);
  return (
    <Box height={rows} flexDirection="column">
      <Lines lines={plain} />
    </Box>
  );
}

function takeCursor(lines: readonly Line[]) {
  const y = lines.findIndex((line) => line.some((span) => span.cursor));
  const line = lines[y];
  if (!line) return { cursor: undefined, plain: lines };
  const x = lineColumns(
    line.slice(
      0,
      line.findIndex((span) => span.cursor),
    ),
  );
  return {
    cursor: { x, y },
    plain: lines.with(
      y,
      line.map(({ cursor, ...span }) => span),
    ),
  };
}
