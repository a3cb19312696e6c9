import { CliError } from '../cli-error.js';
import type { DaemonClient } from '../client.js';
import type { SessionSummary } from '../sessions.js';
import { type CheckResult, fail, ok, warn } from './check.js';
import { endpointOf, reach } from './reach.js';

const TEST_EVENT = 'text';

/** Can the session's receiver be connected to from this machine? Sends it nothing. */
export async function checkWebhook(session: SessionSummary): Promise<CheckResult> {
  const { clientId, webhookUrl, orgId } = session;
  const name = `webhook ${clientId}`;
  if (!webhookUrl) {
    if (orgId) return ok(name, 'none; history is kept');
    const advice = `set one: switchboard sessions webhook ${clientId} <url>`;
    return warn(name, 'none: what comes in is only counted', advice);
  }
  if (!URL.canParse(webhookUrl)) return fail(name, `${webhookUrl} is no address`, 'set another');
  const endpoint = endpointOf(webhookUrl);
  const found = await reach(endpoint);
  const place = `${endpoint.host}:${endpoint.port}`;
  if (found.reached)
    return ok(name, `connected to ${place} in ${found.ms} ms (--send-test sends a real event)`);
  return fail(
    name,
    `${place} cannot be reached: ${found.reason}`,
    `start the receiver, or correct the address: switchboard sessions webhook ${clientId} <url>`,
  );
}

/** Does the receiver take an event that the daemon sends it? */
export async function checkDelivery(client: DaemonClient, session: SessionSummary): Promise<CheckResult> {
  const name = `webhook ${session.clientId}`;
  if (!session.webhookUrl) return checkWebhook(session);
  try {
    const { delivered, reason } = await client.sendTestEvent(session.clientId, TEST_EVENT);
    if (delivered) return ok(name, 'took a test event');
    return fail(
      name,
      `did not take a test event: ${reason}`,
      'look at what the receiver says: switchboard tail',
    );
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return fail(name, error.message, error.suggestions.join('; ') || "look at the daemon's log");
  }
}
