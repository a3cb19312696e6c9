import { useEffect } from 'react';
import type { Notice } from '../../cli/inbox/model.js';

/** Milliseconds for which good news are shown. */
const SHOWN_MS = 8_000;

/** Takes a notice away by itself when nobody needs to do anything about it. */
export function usePassingNotice(notice: Notice | undefined, dismiss: () => void): void {
  useEffect(() => {
    if (notice?.level !== 'done') return;
    const timer = setTimeout(dismiss, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, dismiss]);
}
