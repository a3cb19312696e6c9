import { Box, Text } from 'ink';
import { useContext } from 'react';
import { type Look, LookContext } from '../look.js';
import { isolate } from '../text/foreign.js';
import type { Line, Span } from '../text/line.js';

/**
 * Lines as they are, one below the other. A line is one `Text`, and should be the only one on its row: marks without
 * columns of their own would shift what Ink puts beside it.
 */
export function Lines({ lines }: { lines: readonly Line[] }) {
  return (
    <Box flexDirection="column" flexShrink={0}>
      {lines.map((line, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is known by its place alone
        <OneLine key={row} line={line} />
      ))}
    </Box>
  );
}

function OneLine({ line }: { line: Line }) {
  const look = useContext(LookContext);
  return (
    <Text wrap="truncate">
      {line.map((span, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: as above
        <OneSpan key={place} span={span} look={look} />
      ))}
      {/* an empty text would take no row */ line.every((span) => span.text === '') ? ' ' : ''}
    </Text>
  );
}

function OneSpan({ span, look }: { span: Span; look: Look }) {
  const { text, foreign, link, cursor, color, dim, ...style } = span;
  const isolated = foreign && look.bidi ? isolate(text) : text;
  return (
    <Text {...style} inverse={style.inverse || cursor} {...(look.color && { color, dimColor: dim })}>
      {link && look.links ? linked(isolated, link) : isolated}
    </Text>
  );
}

function linked(text: string, address: string): string {
  const url = URL.canParse(address) ? new URL(address).href : undefined;
  return url ? `\u001b]8;;${url}\u0007${text}\u001b]8;;\u0007` : text;
}
