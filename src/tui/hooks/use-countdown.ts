import { useEffect, useState } from 'react';

const SECOND_MS = 1_000;

/**
 * The whole seconds that are left of a time that begins when `since` changes.
 * @param ms undefined counts nothing.
 */
export function useCountdown(since: object, ms: number | undefined): number {
  const [seconds, setSeconds] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `since` is what begins the time anew
  useEffect(() => {
    setSeconds(Math.ceil((ms ?? 0) / SECOND_MS));
    if (ms === undefined || ms <= 0) return;
    const end = performance.now() + ms;
    const timer = setInterval(() => {
      const left = Math.ceil((end - performance.now()) / SECOND_MS);
      setSeconds(Math.max(0, left));
      if (left <= 0) clearInterval(timer);
    }, SECOND_MS);
    return () => clearInterval(timer);
  }, [since, ms]);
  return seconds;
}
