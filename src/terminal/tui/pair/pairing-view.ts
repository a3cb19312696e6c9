import { localLinkWarning } from '../../cli/pair.js';
import { type PasskeyItem, passkeyLines } from '../../cli/pair-passkey.js';
import type { TerminalSize } from '../screen.js';
import { cleanLine } from '../text/foreign.js';
import { type Line, type Span, wrapSpan, wrapText } from '../text/line.js';
import type { PairingState } from './pairing-state.js';
import { qrLines } from './qr.js';

export interface PairingView {
  clientId: string;
  state: PairingState;
  /** Why the code of a passkey could not be confirmed. */
  trouble: string;
  terminal: TerminalSize;
  /** On the whole screen, a key goes back; below a prompt, the script of a passkey demand stands above and can be copied. */
  isFullScreen: boolean;
  /** File with the QR. */
  qrFile?: string | undefined;
}

/** Lines below the QR. */
const FOOTER_ROWS = 1;
const HINT: Span = { text: 'Esc goes back', dim: true };

/** Draws a pairing: the current QR or the code, the state, and the outcome. */
export function pairingLines(view: PairingView): Line[] {
  const { clientId, state, terminal, isFullScreen, qrFile } = view;
  const { columns } = terminal;
  const isOpen = !state.end;
  const qr = {
    text: state.qr,
    terminal,
    taken: FOOTER_ROWS + (isFullScreen ? 1 : 0),
    instead: otherWays(clientId, qrFile),
  };
  return [
    ...(state.qr !== '' ? qrLines(qr) : []),
    ...(state.code !== '' && isOpen ? codeLines(state.code, columns) : []),
    ...(state.link !== '' && !state.passkey && isOpen ? linkLines(state.link, columns) : []),
    ...(state.passkey && isOpen ? passkeyStep(state.passkey, view) : []),
    ...stateLines(clientId, state, columns),
    ...(isFullScreen ? wrapSpan(HINT, columns) : []),
  ];
}

/** A text on rows of its own: an empty one above and below, and `indent` columns at its sides. */
function apart(text: string, columns: number, indent: number): Line[] {
  const lines = wrapText(text, Math.max(1, columns - 2 * indent));
  const side: Span = { text: ' '.repeat(indent) };
  return [[], ...lines.map((line): Line => [side, { text: line, bold: true }]), []];
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
function codeLines(code: string, columns: number): Line[] {
  const where = 'On the phone: Settings → Linked devices → Link a device → Link with phone number instead';
  return [...wrapSpan({ text: where }, columns), ...apart(cleanLine(code), columns, 4)];
}

/** The one-time address for the owner of the number. */
function linkLines(url: string, columns: number): Line[] {
  const warning = localLinkWarning(url);
  const what = 'Give the owner of the number this one-time address. It is valid for 15 minutes:';
  return [
    ...wrapSpan({ text: what }, columns),
    ...apart(cleanLine(url), columns, 2),
    ...(warning ? wrapSpan({ text: cleanLine(`Attention: ${warning}`), color: 'yellow' }, columns) : []),
  ];
}

/** The current step of the passkey ceremony. */
function passkeyStep(item: PasskeyItem, { clientId, trouble, terminal, isFullScreen }: PairingView): Line[] {
  const { columns } = terminal;
  const question = 'If the codes are the same, press Enter. If not, refuse on the phone.';
  return [
    ...passkeyLines(clientId, item, !isFullScreen).flatMap((line) =>
      wrapSpan({ text: cleanLine(line) }, columns),
    ),
    ...(item.confirm ? wrapSpan({ text: question, bold: true }, columns) : []),
    ...(trouble !== '' ? wrapSpan({ text: cleanLine(trouble), color: 'red' }, columns) : []),
    [],
  ];
}

/** The state of a pairing in one sentence. */
function stateLines(clientId: string, state: PairingState, columns: number): Line[] {
  const { end } = state;
  const span: Span =
    end?.type === 'connected'
      ? { text: `✓ ${clientId} is connected as ${cleanLine(end.jid)}`, color: 'green' }
      : end?.type === 'failed'
        ? { text: `✗ ${clientId} is not paired`, color: 'red' }
        : { text: `${clientId}: ${progress(state)}`, dim: true };
  return wrapSpan(span, columns);
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
