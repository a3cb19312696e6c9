import { Box, render, Text, useStdout } from 'ink';
import { useContext, useEffect, useState } from 'react';
import { errorMessage } from '../../../domain/errors.js';
import type { PairEnd, PairItem, PairRenderer } from '../../cli/pair.js';
import { Screen, usePresses, useTerminalSize } from '../screen.js';
import { TerminalContext, type TerminalStreams, terminalAbilities } from '../terminal.js';
import { fitLines, type Line, painted } from '../text/line.js';
import { advance, NOTHING_YET, type PairingState } from './pairing-state.js';
import { pairingLines } from './pairing-view.js';

/**
 * Draws a pairing below the prompt of the shell. At the end only the last line stays.
 * @param qrFile where the QR stands too
 */
export function renderPairScreen(
  clientId: string,
  qrFile?: string,
  { stdin, stdout, env }: TerminalStreams = process,
): PairRenderer {
  // below the prompt, text has the terminal's own colours
  const look = { ...terminalAbilities(stdout, env), depth: 16 } as const;
  return async (items) => {
    let end: PairEnd | undefined;
    const screen = render(
      <TerminalContext value={look}>
        <PairingBelowPrompt
          clientId={clientId}
          items={items}
          qrFile={qrFile}
          onEnd={(last) => {
            end = last;
            screen.unmount();
          }}
        />
      </TerminalContext>,
      { stdin, stdout, exitOnCtrlC: false },
    );
    await screen.waitUntilExit();
    if (!end) throw new Error('the pairing ended without its last item');
    return end;
  };
}

interface PairingProps {
  clientId: string;
  items: AsyncIterable<PairItem>;
  /** Called once, after the last item has been drawn. */
  onEnd(end: PairEnd): void;
}

/** A pairing on the whole screen. */
export function PairScreen({ clientId, items, onEnd }: PairingProps) {
  const { state, trouble } = usePairing(items, { onEnd });
  const terminal = useTerminalSize();
  const { columns, rows } = terminal;
  const lines = pairingLines({ clientId, state, trouble, terminal, isFullScreen: true });
  // where not all fit, the last ones say what to do
  return <Screen lines={fitLines(lines.slice(-rows), columns, rows)} />;
}

/** A pairing below the prompt, for `switchboard pair`. Prints the script of a passkey demand above, where it can be copied. */
function PairingBelowPrompt({
  clientId,
  items,
  qrFile,
  onEnd,
}: PairingProps & { qrFile: string | undefined }) {
  const { state, trouble } = usePairing(items, { onEnd, onInterrupt: interrupt });
  const terminal = useTerminalSize();
  const { write } = useStdout();
  const snippet = state.passkey?.snippet;
  useEffect(() => {
    // a terminal keeps a long line whole when it is copied; Ink would break it
    if (snippet) write(`${snippet}\n\n`);
  }, [snippet, write]);
  const lines = pairingLines({ clientId, state, trouble, terminal, qrFile, isFullScreen: false });
  return <LinesBelowPrompt lines={lines} />;
}

/** Ctrl+C makes no signal while the screen reads the keyboard. */
function interrupt(): void {
  process.kill(process.pid, 'SIGINT');
}

/** Lines drawn by Ink, so that they scroll with what the shell shows above. */
function LinesBelowPrompt({ lines }: { lines: readonly Line[] }) {
  const look = useContext(TerminalContext);
  return (
    <Box flexDirection="column">
      {lines.map((line, row) => (
        // an empty text has no height
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their index
        <Text key={row} wrap="truncate">
          {painted(line, look) || ' '}
        </Text>
      ))}
    </Box>
  );
}

/** Follows a pairing, and confirms the code of a passkey with Enter. */
function usePairing(
  items: AsyncIterable<PairItem>,
  { onEnd, onInterrupt }: { onEnd: (end: PairEnd) => void; onInterrupt?: () => void },
): { state: PairingState; trouble: string } {
  const [state, setState] = useState(NOTHING_YET);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    void follow();
    async function follow() {
      for await (const item of items) setState((current) => advance(current, item));
    }
  }, [items]);
  const { end, passkey } = state;
  useEffect(() => {
    if (end) onEnd(end);
  }, [end, onEnd]);
  useEffect(() => {
    if (!passkey) setTrouble('');
  }, [passkey]);
  const confirm = end ? undefined : passkey?.confirm;
  usePresses(
    (press) => {
      if (press.type !== 'key') return;
      if (press.key === 'ctrl+c') onInterrupt?.();
      if (press.key === 'enter') confirm?.().catch((error: unknown) => setTrouble(errorMessage(error)));
    },
    { isActive: confirm !== undefined },
  );
  return { state, trouble };
}
