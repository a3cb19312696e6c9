import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';
import { parseObject } from '../json-api.js';
import type { HttpAnswer } from '../transport.js';
import type { ConfigAnswer, ReadyAnswer } from '../wire.js';
import { type CheckResult, fail, ok, warn } from './check.js';

const PROBE_TIMEOUT_MS = 5_000;
/** Signed timestamps of webhooks are worth nothing when clocks differ by minutes. */
const SKEW_WARN_MS = 5_000;
const SKEW_FAIL_MS = 60_000;

/** Is anything there, and is it a daemon? */
export async function checkDaemon(
  client: DaemonClient,
): Promise<{ result: CheckResult; live: HttpAnswer | undefined }> {
  try {
    const live = await client.probe('/health/live', PROBE_TIMEOUT_MS);
    if (live.status === 200) return { result: ok('daemon', `answers at ${client.url}`), live };
    const result = fail('daemon', `${client.url} answers ${live.status}`, 'check --url: is it this daemon?');
    return { result, live: undefined };
  } catch (error) {
    const { detail, advice } = explain(error);
    return { result: fail('daemon', detail, advice), live: undefined };
  }
}

/** Does it take our token? */
export async function checkToken(
  client: DaemonClient,
): Promise<{ result: CheckResult; config: ConfigAnswer | undefined }> {
  try {
    const config = await client.config();
    return { result: ok('token', `accepted by ${config.podName}, version ${config.version}`), config };
  } catch (error) {
    const { detail, advice } = explain(error);
    return { result: fail('token', detail, advice), config: undefined };
  }
}

/** Does its store answer? */
export async function checkStore(client: DaemonClient): Promise<CheckResult> {
  try {
    const answer = await client.probe('/health/ready', PROBE_TIMEOUT_MS);
    const ready = parseObject<ReadyAnswer>(answer.text);
    if (answer.status === 200 && ready?.database) return ok('store', 'answers');
    return fail('store', `the daemon cannot reach its store (${answer.status})`, "look at the daemon's log");
  } catch (error) {
    const { detail, advice } = explain(error);
    return fail('store', detail, advice);
  }
}

/**
 * Does the daemon's clock go with ours?
 * @param now milliseconds since the epoch
 */
export function checkClock(live: HttpAnswer, now: number): CheckResult {
  const theirs = Date.parse(live.headers.date ?? '');
  if (Number.isNaN(theirs))
    return warn('clock', 'the daemon does not tell its time', 'is a proxy in between?');
  // the header has whole seconds only
  const skew = Math.max(0, Math.abs(now - theirs) - 1_000);
  const detail = `the daemon's clock differs by ${Math.round(skew / 1000)} s`;
  const advice = 'set both clocks by NTP';
  if (skew >= SKEW_FAIL_MS) return fail('clock', detail, advice);
  if (skew >= SKEW_WARN_MS) return warn('clock', detail, advice);
  return ok('clock', 'goes with ours');
}

function explain(error: unknown): { detail: string; advice: string } {
  if (!(error instanceof CliError)) return { detail: String(error), advice: "look at the daemon's log" };
  return { detail: error.message, advice: error.suggestions.join('; ') || "look at the daemon's log" };
}
