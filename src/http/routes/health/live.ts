import { route } from '../../route.js';
import { probeQuery } from './ready.js';

export const live = route({
  method: 'GET',
  path: '/health/live',
  owner: 'none',
  open: true,
  description: 'This process answers',
  query: probeQuery,
  handler: (_request, { facts, now }) => ({
    status: 'ok',
    podName: facts.podName,
    uptime: duration(now() - facts.startedAt),
  }),
});

/** Milliseconds as `1h2m3s`; units that are zero at the front are left out. */
export function duration(ms: number): string {
  const total = Math.max(0, Math.floor(ms / 1_000));
  const [hours, minutes, seconds] = [Math.floor(total / 3_600), Math.floor(total / 60) % 60, total % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
