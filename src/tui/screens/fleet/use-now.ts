import { useEffect, useState } from 'react';

/** Milliseconds between two looks at the clock. */
const TICK_MS = 1_000;

/** The time, anew every second, so that ages tick by themselves. */
export function useNow(now: () => number): number {
  const [time, setTime] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setTime(now()), TICK_MS);
    return () => clearInterval(timer);
  }, [now]);
  return time;
}
