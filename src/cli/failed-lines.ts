import type { FailedDetails, FailedRow } from './failed.js';
import { shorten, singleLine } from './plain-text.js';

/** Characters of a reason in a table. */
const REASON_LENGTH = 60;
/** Opens the file of a message: for the receiver alone. */
const SECRET = 'mediaKey';

export const FAILED_HEAD = ['ID', 'FAILED AT', 'SESSION', 'TYPE', 'ATTEMPTS', 'REASON'];

/** One failed delivery as a row of the table. */
export function failedRow({ id, clientId, type, reason, attempts, failedAt }: FailedRow): string[] {
  const why = shorten(singleLine(reason), REASON_LENGTH);
  return [id, localTime(failedAt), clientId, type, String(attempts), why];
}

/** One failed delivery as names and values. */
export function failedFields(delivery: FailedDetails): Record<string, string> {
  const { id, clientId, url, type, messageId, reason, attempts, failedAt } = delivery;
  return {
    id,
    session: clientId,
    type,
    message: singleLine(messageId),
    webhook: singleLine(url),
    'failed at': `${localTime(failedAt)} (${failedAt})`,
    attempts: String(attempts),
    reason: singleLine(reason),
  };
}

/** An event as indented JSON, in which nothing can move the cursor and no file's key is shown. */
export function eventText(event: unknown): string {
  const text = JSON.stringify(event, (name, value) => (name === SECRET ? '(not shown)' : value), 2);
  return text.split('\n').map(singleLine).join('\n');
}

/** `2026-11-21 10:33:48` */
function localTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
