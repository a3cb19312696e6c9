/** What a check found. */
export interface CheckResult {
  /** What was looked at, in a word or two; with the session's name where it is about one. */
  name: string;
  status: 'ok' | 'warn' | 'fail';
  /** One line for people. */
  detail: string;
  /** What to do about it; not there when all is well. */
  advice?: string;
}

export function ok(name: string, detail: string): CheckResult {
  return { name, status: 'ok', detail };
}

/** Works, but somebody should look at it. */
export function warn(name: string, detail: string, advice: string): CheckResult {
  return { name, status: 'warn', detail, advice };
}

/** Does not work. */
export function fail(name: string, detail: string, advice: string): CheckResult {
  return { name, status: 'fail', detail, advice };
}
