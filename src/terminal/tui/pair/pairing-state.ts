import type { SessionStatus } from '../../../domain/session.js';
import { isPairEnd, type PairEnd, type PairItem } from '../../cli/pair.js';
import type { PasskeyItem } from '../../cli/pair-passkey.js';

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

export const NOTHING_YET: PairingState = {
  status: undefined,
  qr: '',
  code: '',
  link: '',
  waiting: '',
  passkey: undefined,
  history: undefined,
  end: undefined,
};

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
