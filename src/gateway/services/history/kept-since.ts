import { DAY_MS, type EpochMs } from '../../../domain/clock.js';

/**
 * The time before which messages and files of a session are deleted; 0 if they are kept for ever.
 * @param defaultDays for a session without days of its own
 */
export function keptSince(
  { retentionDays }: { retentionDays?: number | null },
  defaultDays: number,
  now: EpochMs,
): EpochMs {
  const days = retentionDays ?? defaultDays;
  return days === 0 ? 0 : now - days * DAY_MS;
}
