import { Text } from 'ink';
import type { PairingState } from '../hooks/use-pairing.js';

/** Where a pairing stands, in one line. */
export function PairingLine({ clientId, state }: { clientId: string; state: PairingState }) {
  const { end } = state;
  if (end?.type === 'connected')
    return <Text color="green">{`✓ ${clientId} is connected as ${end.jid}`}</Text>;
  if (end?.type === 'failed') return <Text color="red">{`✗ ${clientId} is not paired`}</Text>;
  return <Text dimColor>{`${clientId}: ${progress(state)}`}</Text>;
}

function progress({ status, qr, code, history }: PairingState): string {
  if (history) {
    const taken = `${history.progress} % (${history.messages.toLocaleString('en')} messages)`;
    return `linked, taking the history in: ${taken} – Ctrl+C leaves the rest to the daemon`;
  }
  if (code) return 'waiting for the code to be typed on the phone';
  if (qr) return 'scan it on the phone: Settings → Linked devices → Link a device';
  if (status === 'reconnecting') return 'paired already, waiting for the network';
  return 'waiting for the network';
}
