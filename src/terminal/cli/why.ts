import type { MessageTrace } from '../../contract/index.js';
import type { DaemonClient } from './client.js';
import { CliError } from './errors.js';

/** Sessions that are asked at the same time. */
const AT_ONCE = 8;

/** Finds the session that knows the message. @param session limits the search to this session @throws CliError `not_found` */
export async function findTrace(
  client: DaemonClient,
  messageId: string,
  session: string | undefined,
): Promise<MessageTrace> {
  if (session !== undefined) return client.messageTrace({ clientId: session, messageId });
  const { clients } = await client.listClients();
  const waiting = clients.map(({ clientId }) => clientId);
  while (waiting.length > 0) {
    const asked = waiting.splice(0, AT_ONCE).map((clientId) => known(client, clientId, messageId));
    const found = (await Promise.all(asked)).find((trace) => trace !== undefined);
    if (found) return found;
  }
  throw new CliError('not_found', `no session knows a message ${messageId}`, {
    suggestions: [
      'check the id: switchboard messages list prints the ids of a room',
      'it may never have arrived here, or be older than what is kept: 14 days for sends, 90 for other messages',
      'look whether the session was connected then: switchboard doctor',
    ],
  });
}

/** The trace of a message; undefined if the session does not know it, or cannot be asked now. */
async function known(
  client: DaemonClient,
  clientId: string,
  messageId: string,
): Promise<MessageTrace | undefined> {
  try {
    return await client.messageTrace({ clientId, messageId });
  } catch (error) {
    if (error instanceof CliError && (error.failure === 'not_found' || error.isTemporary)) return undefined;
    throw error;
  }
}

export function traceLines({
  clientId,
  messageId,
  direction,
  chat,
  steps,
  conclusion,
  traceId,
}: MessageTrace): string[] {
  const way = direction === 'out' ? 'sent to' : 'received in';
  const times = steps.map(({ at }) => at || '-');
  const width = Math.max(...times.map((time) => time.length));
  const names = Math.max(...steps.map(({ step }) => step.length));
  return [
    `${messageId} of ${clientId}, ${way} ${chat || 'an unknown chat'}`,
    ...steps.map(
      ({ step, detail }, at) => `${(times[at] ?? '').padEnd(width)}  ${step.padEnd(names)}  ${detail}`,
    ),
    conclusion,
    ...(traceId ? [`trace ${traceId}`] : []),
  ];
}
