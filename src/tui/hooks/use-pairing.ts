import { useEffect, useState } from 'react';
import { isPairEnd, type PairEnd, type PairItem } from '../../cli/pair.js';
import type { SessionStatus } from '../../domain/session.js';

/** What is known of a pairing at a moment. */
export interface PairingState {
  status: SessionStatus | undefined;
  qr: string;
  code: string;
  /** Of the past that comes in once the number is linked. */
  history: { progress: number; messages: number } | undefined;
  end: PairEnd | undefined;
}

const NOTHING_YET: PairingState = {
  status: undefined,
  qr: '',
  code: '',
  history: undefined,
  end: undefined,
};

/**
 * Follows a pairing's items.
 * @param onEnd called once, after the last item has been drawn.
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

/** The state after one more item. */
export function advance(state: PairingState, item: PairItem): PairingState {
  if (isPairEnd(item)) return { ...state, qr: '', end: item };
  if (item.type === 'qr') return { ...state, qr: item.qr };
  if (item.type === 'code') return { ...state, code: item.code };
  if (item.type === 'history') return { ...state, qr: '', code: '', history: item };
  // a QR is only good while the session shows one
  return { ...state, status: item.status, qr: item.status === 'qr' ? state.qr : '' };
}
