import { Box, render, Text, useStdout } from 'ink';
import { useEffect, useState } from 'react';
import { wantsColor } from '../../cli/output.js';
import {
  isPairEnd,
  localLinkWarning,
  type PairEnd,
  type PairItem,
  type PairRenderer,
} from '../../cli/pair.js';
import { type PasskeyItem, passkeyLines } from '../../cli/pair-passkey.js';
import { errorMessage } from '../../domain/errors.js';
import type { SessionStatus } from '../../domain/session.js';
import { usePresses, useTerminalSize } from '../screen.js';
import { cleanLine } from '../text/foreign.js';
import { QrCode } from './qr.js';

/** Draws a pairing on the terminal. At the end only the last line stays. @param qrFile where the QR stands too */
export function renderPairScreen(clientId: string, qrFile?: string): PairRenderer {
  return async (items) => {
    let end: PairEnd | undefined;
    const screen = render(
      <PairScreen
        clientId={clientId}
        items={items}
        color={wantsColor(process.stdout)}
        printsScript
        {...(qrFile !== undefined && { qrFile })}
        onInterrupt={() => process.kill(process.pid, 'SIGINT')}
        onEnd={(last) => {
          end = last;
          screen.unmount();
        }}
      />,
      { exitOnCtrlC: false },
    );
    await screen.waitUntilExit();
    if (!end) throw new Error('the pairing ended without its last item');
    return end;
  };
}

/** Lines below the QR. */
const FOOTER_ROWS = 1;

/** Draws a pairing: the current QR or the code, the state, and the outcome. */
export function PairScreen({
  clientId,
  items,
  color,
  hint,
  qrFile,
  printsScript,
  onInterrupt,
  onEnd,
}: {
  clientId: string;
  items: AsyncIterable<PairItem>;
  color: boolean;
  /** A line at the bottom, such as the key that goes back. */
  hint?: string;
  /** File with the QR. */
  qrFile?: string;
  /** Prints the script of a passkey demand above the screen, where it can be copied. */
  printsScript?: boolean;
  /** Called for Ctrl+C while the screen reads the keyboard. */
  onInterrupt?(): void;
  onEnd(end: PairEnd): void;
}) {
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
          instead={otherWays(clientId, qrFile)}
        />
      )}
      {state.code !== '' && !state.end && <PairingCode code={state.code} />}
      {state.link !== '' && !state.passkey && !state.end && <PairingLink url={state.link} />}
      {state.passkey && !state.end && (
        <PasskeyStep
          clientId={clientId}
          item={state.passkey}
          {...(printsScript && { printsScript })}
          {...(onInterrupt && { onInterrupt })}
        />
      )}
      <PairingLine clientId={clientId} state={state} />
      {hint && <Text dimColor>{hint}</Text>}
    </Box>
  );
}

/** How a number is linked where the QR does not fit. */
function otherWays(clientId: string, qrFile: string | undefined): string[] {
  if (qrFile !== undefined) return [`The QR is in ${cleanLine(qrFile)}: open it, and scan it there.`];
  return [
    'Or choose another way:',
    `  switchboard pair ${clientId} --qr-file qr.png`,
    `  switchboard pair ${clientId} --link`,
    `  switchboard pair ${clientId} --phone NUMBER`,
  ];
}

/** The code to type on the phone, and where. */
export function PairingCode({ code }: { code: string }) {
  return (
    <Box flexDirection="column">
      <Text>On the phone: Settings → Linked devices → Link a device → Link with phone number instead</Text>
      <Box paddingY={1} paddingX={4}>
        <Text bold>{cleanLine(code)}</Text>
      </Box>
    </Box>
  );
}

/** The one-time address for the owner of the number. */
function PairingLink({ url }: { url: string }) {
  const warning = localLinkWarning(url);
  return (
    <Box flexDirection="column">
      <Text>Give the owner of the number this one-time address. It is valid for 15 minutes:</Text>
      <Box paddingY={1} paddingX={2}>
        <Text bold>{cleanLine(url)}</Text>
      </Box>
      {warning && <Text color="yellow">{`Attention: ${warning}`}</Text>}
    </Box>
  );
}

/** The current step of the passkey ceremony; Enter confirms the code. */
function PasskeyStep({
  clientId,
  item,
  printsScript = false,
  onInterrupt,
}: {
  clientId: string;
  item: PasskeyItem;
  printsScript?: boolean;
  onInterrupt?(): void;
}) {
  const [trouble, setTrouble] = useState('');
  const { write } = useStdout();
  const { snippet, confirm } = item;
  useEffect(() => {
    // a terminal keeps a long line whole when it is copied; Ink would break it
    if (printsScript && snippet) write(`${snippet}\n\n`);
  }, [snippet, printsScript, write]);
  usePresses(
    (press) => {
      if (press.type !== 'key') return;
      if (press.key === 'ctrl+c') onInterrupt?.();
      if (press.key === 'enter') confirm?.().catch((error: unknown) => setTrouble(errorMessage(error)));
    },
    { isActive: confirm !== undefined },
  );
  return (
    <Box flexDirection="column" paddingBottom={1}>
      {passkeyLines(clientId, item, printsScript).map((line) => (
        <Text key={line}>{cleanLine(line)}</Text>
      ))}
      {confirm && <Text bold>If the codes are the same, press Enter. If not, refuse on the phone.</Text>}
      {trouble !== '' && <Text color="red">{cleanLine(trouble)}</Text>}
    </Box>
  );
}

/** The state of a pairing in one line. */
export function PairingLine({ clientId, state }: { clientId: string; state: PairingState }) {
  const { end } = state;
  if (end?.type === 'connected')
    return <Text color="green">{`✓ ${clientId} is connected as ${cleanLine(end.jid)}`}</Text>;
  if (end?.type === 'failed') return <Text color="red">{`✗ ${clientId} is not paired`}</Text>;
  return <Text dimColor>{`${clientId}: ${progress(state)}`}</Text>;
}

function progress({ status, qr, code, link, waiting, passkey, history }: PairingState): string {
  if (history) {
    const taken = `${history.progress} % (${history.messages.toLocaleString('en')} messages)`;
    return `linked, importing the history: ${taken}. Ctrl+C quits; the daemon continues`;
  }
  if (passkey) return PASSKEY_PROGRESS[passkey.step];
  if (link) return 'waiting for the owner of the number';
  if (code) return 'type the code on the phone';
  if (qr) return 'scan the QR on the phone: Settings → Linked devices → Link a device';
  if (waiting) return cleanLine(waiting);
  if (status === 'reconnecting') return 'already paired, waiting for the network';
  return 'waiting for the network';
}

const PASSKEY_PROGRESS: Readonly<Record<PasskeyItem['step'], string>> = {
  assertion_needed: 'waiting for the passkey',
  sending: 'waiting for the phone',
  confirm_code: 'waiting until the codes are compared',
  finishing: 'finishing the link',
};

/** The state of a pairing. */
export interface PairingState {
  status: SessionStatus | undefined;
  qr: string;
  code: string;
  /** One-time address. */
  link: string;
  /** Why there is no QR yet. */
  waiting: string;
  passkey: PasskeyItem | undefined;
  /** Progress of the history import that follows the pairing. */
  history: { progress: number; messages: number } | undefined;
  end: PairEnd | undefined;
}

const NOTHING_YET: PairingState = {
  status: undefined,
  qr: '',
  code: '',
  link: '',
  waiting: '',
  passkey: undefined,
  history: undefined,
  end: undefined,
};

/**
 * Returns the state after the latest item.
 * @param onEnd called once, after the last item has been drawn
 */
export function usePairing(items: AsyncIterable<PairItem>, onEnd: (end: PairEnd) => void): PairingState {
  const [state, setState] = useState(NOTHING_YET);
  useEffect(() => {
    void follow();
    async function follow() {
      for await (const item of items) setState((current) => advance(current, item));
    }
  }, [items]);
  useEffect(() => {
    if (state.end) onEnd(state.end);
  }, [state.end, onEnd]);
  return state;
}

/** Returns the state after one more item. */
export function advance(state: PairingState, item: PairItem): PairingState {
  if (isPairEnd(item)) return { ...state, qr: '', end: item };
  if (item.type === 'qr') return { ...state, qr: item.qr, passkey: undefined };
  if (item.type === 'code') return { ...state, code: item.code };
  if (item.type === 'waiting') return { ...state, waiting: item.reason };
  if (item.type === 'link') return { ...state, link: item.url };
  // the QR was scanned, or the code was typed
  if (item.type === 'passkey') return { ...state, qr: '', code: '', passkey: item };
  if (item.type === 'history') return { ...state, qr: '', code: '', passkey: undefined, history: item };
  // a QR is valid only while the session has the status `qr`
  return { ...state, status: item.status, qr: item.status === 'qr' ? state.qr : '' };
}
