import { Box, Text } from 'ink';
import type { TerminalSize } from '../hooks/use-terminal-size.js';
import { qrText } from '../qr-text.js';

interface QrCodeProps {
  text: string;
  terminal: TerminalSize;
  /** Rows of the terminal that others use. */
  taken: number;
  /** Fixes light on dark, whatever the terminal's own colours are. */
  color: boolean;
  /** What to do where the QR does not fit. */
  instead: string;
}

/** A QR, or why it cannot be drawn here. */
export function QrCode({ text, terminal, taken, color, instead }: QrCodeProps) {
  const qr = qrText(text);
  if (terminal.columns < qr.columns || terminal.rows < qr.rows + taken) {
    const [have, need] = [`${terminal.columns}x${terminal.rows}`, `${qr.columns}x${qr.rows + taken}`];
    return (
      <Box flexDirection="column">
        <Text>{`The QR needs a terminal of ${need}, this one has ${have}: enlarge it or make its text smaller.`}</Text>
        <Text>{instead}</Text>
      </Box>
    );
  }
  const colors = color ? { color: 'whiteBright', backgroundColor: 'black' } : {};
  return (
    <Text {...colors} wrap="truncate">
      {qr.lines.join('\n')}
    </Text>
  );
}
