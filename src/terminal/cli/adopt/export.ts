import type { ExportKeysAnswer, ExportSessionAnswer } from '../../../contract/index.js';
import type { DaemonClient } from '../client.js';

/** A session as one JSON line that `readJsonLines` reads. */
export interface ExportedSession {
  line: string;
  jid: string;
  /** Number of keys. */
  keys: number;
  staying: ExportSessionAnswer['staying'];
}

/** Stops a session and reads all data that another Switchboard needs. */
export async function exportSession(client: DaemonClient, clientId: string): Promise<ExportedSession> {
  const { jid, credentials, settings, staying } = await client.exportSession({ clientId });
  const keys: Record<string, Record<string, unknown>> = {};
  let count = 0;
  let page: ExportKeysAnswer | undefined;
  do {
    page = await client.exportKeys({ clientId, after: page?.next });
    for (const { type, id, value } of page.keys) {
      const family = keys[type] ?? {};
      family[id] = value;
      keys[type] = family;
    }
    count += page.keys.length;
  } while (page.next);
  const { received = [] } = page;
  const line = JSON.stringify({ clientId, credentials, keys, received, settings });
  return { line, jid, keys: count, staying };
}

/** Describes the data that stays at the old daemon. */
export function stayingInWords({
  failedDeliveries,
  waitingDeliveries,
  unannounced,
  unacknowledgedSends,
  heldSends,
}: ExportSessionAnswer['staying']): string[] {
  const counted = [
    [failedDeliveries, 'failed deliveries: deliver them with switchboard failed resend'],
    [waitingDeliveries, 'events that wait for their receiver: this daemon goes on with them'],
    [unannounced, 'received messages: this daemon announces them'],
    [
      unacknowledgedSends,
      'sends without an acknowledgement: look at the chat, and send again what is missing',
    ],
    [
      heldSends,
      'messages that wait until the policy allows them: they are not sent; list them with switchboard outbox list',
    ],
  ] as const;
  return [
    'history, files, names of people, policies and the API secret',
    ...counted.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : [])),
  ];
}
