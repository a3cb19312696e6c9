import { shownUrl } from '../../../domain/shown-url.js';
import { type Finding, fine, type SessionCheck, skipped, wrong } from '../check.js';
import type { SessionFacts } from '../facts.js';
import { endpointOf, reach, shown } from '../reach.js';
import { receiverTrouble } from '../receiver-trouble.js';
import type { Room } from '../room.js';

const TEST_EVENT = 'text';
/** Four attempts of 15 s each, and the pauses between them. */
const TIMEOUT_MS = 75_000;

/** Does the session's receiver take what it is sent? */
export const webhook: SessionCheck = {
  id: 'webhook',
  needs: [],
  timeoutMs: TIMEOUT_MS,
  async lookAt(session, room) {
    const { webhookUrl, orgId, health, listener } = session;
    if (listener) return skipped(`${shownUrl(listener.url)} takes the events for a while`);
    if (!webhookUrl) return fine(orgId ? 'none; the history is kept' : 'none: what comes in is only counted');
    if (!health) return skipped('another node holds the session');
    if (room.options.sendsEvents) return sendOne(session, room);
    return (await ofLast(session, room)) ?? connect(session);
  },
};

async function sendOne(session: SessionFacts, room: Room): Promise<Finding> {
  const { clientId } = session;
  const url = shownUrl(session.webhookUrl);
  // what this check adds to the failed deliveries is not to be told as one of them
  await room.failedDeliveries(clientId).catch(() => []);
  const { delivered, reason, signed } = await room.options.client.sendTestEvent(clientId, TEST_EVENT);
  if (!delivered) return receiverTrouble(`${url} did not take a test event: ${reason}`, reason, { url });
  if (signed === false) {
    const detail = `${url} took a test event, but without token and signature anybody could send it one`;
    const advice = `give it a token: switchboard sessions webhook ${clientId} ${url} --webhook-token <token>`;
    return wrong('webhook-unsigned', detail, advice, { url });
  }
  return fine(`${url} took a test event`, { url });
}

/** What became of the last call, or, when there was none, of the last event that could not be delivered there. */
async function ofLast(session: SessionFacts, room: Room): Promise<Finding | undefined> {
  const url = shownUrl(session.webhookUrl);
  const last = session.health?.webhook.last ?? (await lastFailure(session.clientId, url, room));
  if (!last) return undefined;
  const { at, outcome, reason } = last;
  if (outcome === 'delivered') return fine(`${url} took an event at ${at}`, { url, at });
  return receiverTrouble(`${url} did not take an event at ${at}: ${reason}`, reason, { url, at });
}

async function lastFailure(clientId: string, to: string, room: Room) {
  const failed = (await room.failedDeliveries(clientId)).find(({ url }) => url === to);
  return failed && { at: failed.failedAt, outcome: 'failed', reason: failed.reason };
}

/** Opens a connection from this machine, and sends nothing. */
async function connect({ webhookUrl }: SessionFacts): Promise<Finding> {
  const endpoint = endpointOf(webhookUrl);
  const facts = { url: shownUrl(webhookUrl) };
  const found = await reach(endpoint);
  if (found.reached) return fine(`connected to ${shown(endpoint)} in ${found.ms} ms`, facts);
  return receiverTrouble(`${shown(endpoint)} cannot be reached: ${found.reason}`, found.reason, facts);
}
