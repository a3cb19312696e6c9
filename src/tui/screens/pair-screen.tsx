import { Box, Text } from 'ink';
import type { PairEnd, PairItem } from '../../cli/pair.js';
import { PairingCode } from '../components/pairing-code.js';
import { PairingLine } from '../components/pairing-line.js';
import { QrCode } from '../components/qr-code.js';
import { usePairing } from '../hooks/use-pairing.js';
import { useTerminalSize } from '../hooks/use-terminal-size.js';

export interface PairScreenProps {
  clientId: string;
  items: AsyncIterable<PairItem>;
  color: boolean;
  /** A line below, such as which key goes back. */
  hint?: string;
  onEnd(end: PairEnd): void;
}

/** Lines below the QR. */
const FOOTER_ROWS = 1;

/** A pairing, live: the QR as it changes, or the code, and how it ends. */
export function PairScreen({ clientId, items, color, hint, onEnd }: PairScreenProps) {
  const state = usePairing(items, onEnd);
  const terminal = useTerminalSize();
  return (
    <Box flexDirection="column">
      {state.qr !== '' && (
        <QrCode
          text={state.qr}
          terminal={terminal}
          taken={FOOTER_ROWS + (hint ? 1 : 0)}
          color={color}
          instead={`Or pair with a code: switchboard pair ${clientId} --phone <number>`}
        />
      )}
      {state.code !== '' && !state.end && <PairingCode code={state.code} />}
      <PairingLine clientId={clientId} state={state} />
      {hint && <Text dimColor>{hint}</Text>}
    </Box>
  );
}
