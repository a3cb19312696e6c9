import { Flags } from '@oclif/core';
import type { KeptEvent, ReplayAnswer } from '../../contract/index.js';
import { systemClock } from '../../domain/clock.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';
import { parseAge } from './flags.js';

const AGE = /^[0-9]+[a-z]$/;
/** Events of one request. */
const PAGE = 1_000;

/** A time in RFC 3339, or an age before now. */
export const timeFlag = Flags.custom<string>({
  helpValue: 'TIME',
  parse: async (text) => readTime(text, systemClock.now()),
});

/** @throws CliError `usage` */
function readTime(text: string, now: number): string {
  const at = AGE.test(text) ? now - parseAge(text).ms : Date.parse(text);
  if (Number.isNaN(at)) {
    throw new CliError(
      'usage',
      `${text} is neither a time such as 2026-11-22T10:00:00Z nor an age such as 2h`,
    );
  }
  return new Date(at).toISOString();
}

export type ReplaySummary = Omit<ReplayAnswer, 'ok'>;

/** The kept events of a session, newest first. */
export async function keptOf(
  client: DaemonClient,
  query: { clientId: string; from: string | undefined; to: string | undefined },
  types: readonly string[],
): Promise<KeptEvent[]> {
  const found: KeptEvent[] = [];
  let before: string | undefined;
  do {
    const page = await client.listKeptEvents({ ...query, limit: PAGE, before });
    found.push(...page.keptEvents);
    before = page.next;
  } while (before !== undefined);
  return found.filter(({ type }) => types.length === 0 || types.includes(type));
}

/** Sends events again, page by page, until all are sent or the receiver refuses one. */
export async function replay(
  client: DaemonClient,
  wish: Parameters<DaemonClient['replay']>[0],
): Promise<ReplaySummary> {
  const { ok: _, ...summary }: ReplayAnswer = await client.replay({ limit: PAGE, ...wish });
  while (summary.next !== undefined && summary.reason === undefined) {
    const { replayed, filtered, damaged, reason, next } = await client.replay({
      ...{ limit: PAGE, ...wish },
      after: summary.next,
    });
    summary.replayed += replayed;
    summary.filtered += filtered;
    if (damaged) summary.damaged = (summary.damaged ?? 0) + damaged;
    delete summary.next;
    Object.assign(summary, { reason, next: next || undefined });
  }
  return summary;
}
