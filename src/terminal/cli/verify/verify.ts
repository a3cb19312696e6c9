import { CliError } from '../errors.js';
import { CALL_TIMEOUT_MS } from '../forward.js';
import { xmlText } from '../text.js';
import { CHECKS, type Check } from './checks.js';
import { CalledReceiver } from './receiver.js';

/** The result of a check. `warned`: the receiver fails a `should` check. */
export interface CheckResult extends Pick<Check, 'group' | 'name'> {
  outcome: 'passed' | 'warned' | 'failed';
  /** The problem; empty if there is none. */
  detail: string;
  ms: number;
}

/** Milliseconds beyond which an answer counts as slow, because network delay may then exceed the timeout. */
const SLOW_MS = 5_000;

/** Calls a receiver like the gateway, one check after another. @throws CliError `unreachable` if the first call gets no answer */
export async function* verifyReceiver(
  url: string,
  token: string,
  clientId: string,
): AsyncGenerator<CheckResult> {
  const receiver = new CalledReceiver(url, token);
  const first = await receiver.sendText('text', '');
  if (first.status === 0) throw new CliError('unreachable', first.problem);
  for (const { group, name, level, run } of CHECKS) {
    const startedAt = performance.now();
    const detail = await run(receiver, clientId);
    const failure = level === 'must' ? 'failed' : 'warned';
    const ms = Math.round(performance.now() - startedAt);
    yield { group, name, outcome: detail ? failure : 'passed', detail, ms };
  }
  const { slowestMs: ms } = receiver;
  const name = `answers each call within ${CALL_TIMEOUT_MS / 1000} s`;
  const detail = ms > SLOW_MS ? `the slowest answer took ${(ms / 1000).toFixed(1)} s` : '';
  yield { group: 'load', name, outcome: detail ? 'warned' : 'passed', detail, ms };
}

/** The results as a JUnit report, for continuous integration. */
export function junitReport(results: readonly CheckResult[]): string {
  const failed = results.filter(({ outcome }) => outcome === 'failed').length;
  const cases = results.map(({ group, name, outcome, detail, ms }) => {
    const start = `  <testcase classname="receiver.${group}" name="${xmlText(name)}" time="${ms / 1000}"`;
    if (outcome === 'passed') return `${start}/>`;
    const element = outcome === 'failed' ? 'failure' : 'system-out';
    const text = `<${element}>${xmlText(outcome === 'failed' ? detail : `warning: ${detail}`)}</${element}>`;
    return `${start}>${text}</testcase>`;
  });
  const head = `<testsuite name="receiver" tests="${results.length}" failures="${failed}">`;
  return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...cases, '</testsuite>', ''].join('\n');
}
