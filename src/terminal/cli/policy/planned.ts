import type { PastSends } from '../../../contract/index.js';
import { formatJid, parseRecipient } from '../../../domain/address.js';
import type { PlannedOutcome, PlannedSend } from '../../../domain/policy/plan.js';
import type { ChatStanding, RuleName } from '../../../domain/policy/rules.js';
import type { DaemonClient } from '../client.js';
import { CliError } from '../errors.js';

const STANDINGS: readonly ChatStanding[] = ['new', 'unanswered', 'running'];

/** Reads the sends of a session's last days, page by page. */
export async function allPastSends(
  client: Pick<DaemonClient, 'getPastSends'>,
  asked: { clientId: string; days: number },
): Promise<PastSends> {
  const first = await client.getPastSends(asked);
  const sends = [...first.sends];
  for (let after = first.next; after !== undefined; ) {
    const page = await client.getPastSends({ ...asked, after });
    sends.push(...page.sends);
    after = page.next;
  }
  return { ...first, sends };
}

/** The past sends of a session, for a replay. */
export function pastSends({ sends }: Pick<PastSends, 'sends'>): PlannedSend[] {
  return sends.map(({ at, to, pn, standing }) => ({ at: Date.parse(at), to, standing, pn: pn || undefined }));
}

/**
 * Reads planned sends: a line for each, `time,recipient` or `time,recipient,standing`; the first line may name the columns.
 * @param path names the file in errors
 * @throws CliError `usage` with the line
 */
export function readPlannedSends(text: string, path: string): PlannedSend[] {
  const lines = text.split(/\r?\n/).map((line, index) => ({ line: line.trim(), number: index + 1 }));
  return lines.flatMap(({ line, number }) => {
    if (line === '' || (number === 1 && /^(at|time)\s*,/i.test(line))) return [];
    const [time = '', to = '', state = ''] = line.split(',').map((field) => field.trim());
    const at = Date.parse(time);
    const address = parseRecipient(to);
    const standing = STANDINGS.find((known) => known === state);
    const fail = (message: string): never => {
      throw new CliError('usage', `${path}:${number}: ${message}`);
    };
    if (Number.isNaN(at)) return fail(`${time || 'the time'} is not a time such as 2026-11-22T10:00:00Z`);
    if (!address) return fail(`${to || 'the recipient'} is not a phone number with +, a LID or a jid`);
    if (state && !standing) return fail(`${state} is not one of ${STANDINGS.join(', ')}`);
    return [{ at, to: formatJid(address), standing }];
  });
}

/** The outcome of sends under a policy. */
export interface PlanSummary {
  sends: number;
  /** Sends that leave at their planned time. */
  atOnce: number;
  /** Sends that leave later, if their callers respect `Retry-After`. */
  delayed: number;
  /** Sends that never leave. */
  refused: number;
  newChats: number;
  /** First messages that need a look-up at WhatsApp. */
  lookUps: number;
  /** Longest delay in seconds. */
  longestDelay: number;
  /** Time of the last send, RFC 3339; empty if none leaves. */
  lastLeavesAt: string;
  /** Sends that do not leave at their planned time, by the first rule that refuses them. */
  rules: { rule: RuleName; count: number }[];
}

export function summaryOf(outcomes: readonly PlannedOutcome[]): PlanSummary {
  const rules = new Map<RuleName, number>();
  for (const { refusals } of outcomes) {
    const rule = refusals[0]?.rule;
    if (rule) rules.set(rule, (rules.get(rule) ?? 0) + 1);
  }
  const left = outcomes.flatMap(({ send, leavesAt, isNewChat }) =>
    leavesAt === undefined ? [] : [{ leavesAt, delay: leavesAt - send.at, isNewChat }],
  );
  const last = left.reduce((latest, { leavesAt }) => Math.max(latest, leavesAt), 0);
  return {
    sends: outcomes.length,
    atOnce: left.filter(({ delay }) => delay === 0).length,
    delayed: left.filter(({ delay }) => delay > 0).length,
    refused: outcomes.length - left.length,
    newChats: left.filter(({ isNewChat }) => isNewChat).length,
    lookUps: outcomes.filter(({ isLookedUp }) => isLookedUp).length,
    longestDelay: Math.ceil(left.reduce((longest, { delay }) => Math.max(longest, delay), 0) / 1_000),
    lastLeavesAt: last > 0 ? new Date(last).toISOString() : '',
    rules: [...rules].map(([rule, count]) => ({ rule, count })).sort((one, other) => other.count - one.count),
  };
}
