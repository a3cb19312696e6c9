import { Box, Text } from 'ink';
import { memo, useContext } from 'react';
import { LookContext } from '../look.js';
import type { Line } from '../text/line.js';
import { painted } from '../text/painted.js';

/**
 * Lines as they are, one below the other. A line is one `Text`, and should be the only one on its row: marks without
 * columns of their own would shift what Ink puts beside it.
 */
export function Lines({ lines }: { lines: readonly Line[] }) {
  const look = useContext(LookContext);
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is known by its place alone
        <Row key={row} text={painted(line, look)} />
      ))}
    </Box>
  );
}

/** Rows that did not change are not drawn again. */
const Row = memo(function Row({ text }: { text: string }) {
  // an empty text would take no row
  return <Text wrap="truncate">{text || ' '}</Text>;
});
