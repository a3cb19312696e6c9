import type { FailedDelivery, FleetReceiver, FleetSession } from '../../../../contract/index.js';
import { waitingText } from '../../failed.js';
import { hasReceiverTrouble } from '../../fleet/standing.js';
import { type Finding, passed, problem, type SessionCheck } from '../check.js';

/** The receivers of a session: one finding for each kind of trouble, with all receivers that have it; the worst first. */
export const deliveries: SessionCheck = {
  id: 'deliveries',
  needs: [],
  async runFor({ clientId, health }, context) {
    const receivers = health?.receivers ?? [];
    const paused = receivers.filter((one) => one.paused);
    const behind = receivers.filter((one) => !one.paused && one.waiting && hasReceiverTrouble(one));
    const ofWebhook =
      health?.waiting && !health.webhookPaused ? whatWaits(health, health.waiting) : undefined;
    const findings = [
      ofFailed(await context.failedDeliveries(clientId), clientId),
      ofPausedBrokers(
        paused.filter(({ pauseCode }) => BROKER_PAUSES.has(pauseCode)),
        clientId,
      ),
      ofWebhook?.trouble && ofWebhook,
      ofBehind(behind, clientId),
      health?.webhookPaused ? ofPausedWebhook(health.webhookPaused, clientId) : undefined,
      ofPausedReceivers(
        paused.filter(({ pauseCode }) => !BROKER_PAUSES.has(pauseCode)),
        clientId,
      ),
    ];
    const troubles = findings.filter((one) => one !== undefined);
    return troubles.length > 0 ? troubles : [ofWebhook ?? passed('no failed deliveries', { count: 0 })];
  },
};

function ofFailed(failed: readonly FailedDelivery[], clientId: string): Finding | undefined {
  const [newest] = failed;
  if (!newest) return undefined;
  const { failedAt, reason } = newest;
  const count = failed.length;
  const advice =
    `fix the receiver, then deliver them again: switchboard failed resend --all --session ${clientId}; ` +
    `switchboard failed list --session ${clientId} shows them`;
  const detail = `${count} failed, the last one at ${failedAt}: ${reason}`;
  return problem('deliveries-failed', detail, advice, { count, failedAt, reason });
}

function ofPausedWebhook(reason: string, clientId: string): Finding {
  const advice = `once its receiver takes calls: switchboard sessions webhook ${clientId} --resume`;
  return problem('webhook-paused', `the webhook gets no calls: ${reason}`, advice, { reason });
}

/** Pauses for which the broker of the receiver is the cause. */
const BROKER_PAUSES: ReadonlySet<FleetReceiver['pauseCode']> = new Set(['broker_crash', 'broker_flood']);

function ofPausedBrokers(paused: readonly FleetReceiver[], clientId: string): Finding | undefined {
  const [first] = paused;
  if (!first) return undefined;
  const [it, they] = paused.length === 1 ? ['the receiver', 'it is'] : ['the receivers', 'they are'];
  const advice = `look for the cause at the broker, or remove ${it}; once ${they} mended: ${resumesOf(paused, clientId)}`;
  const detail = paused.map(({ id, paused }) => `receiver ${id} gets no events: ${paused}`).join('; ');
  return problem('broker-paused', detail, advice, pauseFacts(first, paused));
}

function ofPausedReceivers(paused: readonly FleetReceiver[], clientId: string): Finding | undefined {
  const [first] = paused;
  if (!first) return undefined;
  const advice = `once ${paused.length === 1 ? 'it takes' : 'they take'} calls: ${resumesOf(paused, clientId)}`;
  const detail = paused.map(({ id, paused }) => `receiver ${id} gets no calls: ${paused}`).join('; ');
  return problem('webhook-paused', detail, advice, pauseFacts(first, paused));
}

function pauseFacts({ id, pauseCode }: FleetReceiver, paused: readonly FleetReceiver[]): Finding['facts'] {
  return { receiver: id, receivers: idsOf(paused), ...(pauseCode && { pauseCode }) };
}

/** Receivers that do not accept what waits for them. */
function ofBehind(behind: readonly FleetReceiver[], clientId: string): Finding | undefined {
  const [first] = behind;
  if (!first) return undefined;
  const { id, waiting } = first;
  const mend =
    behind.length === 1
      ? 'mend the receiver: it gets them by itself'
      : 'mend the receivers: they get their events by themselves';
  const advice = `${mend}; at once after ${resumesOf(behind, clientId)}`;
  const facts = {
    ...{ receiver: id, receivers: idsOf(behind) },
    ...(waiting && { waiting: waiting.events, since: waiting.since }),
  };
  return problem('deliveries-waiting', behind.map(behindText).join('; '), advice, facts);
}

/** Such as `receiver 3: 2 events wait … (answered 500)`. */
function behindText({ id, waiting, last }: FleetReceiver): string {
  const why = last && last.outcome !== 'delivered' ? ` (${last.reason})` : '';
  return `receiver ${id}: ${waiting ? waitingText(waiting) : ''}${why}`;
}

/** Commands that can be typed as they are. */
function resumesOf(receivers: readonly FleetReceiver[], clientId: string): string {
  return receivers.map(({ id }) => `switchboard receivers resume ${clientId} ${id}`).join('; ');
}

function idsOf(receivers: readonly FleetReceiver[]): string {
  return receivers.map(({ id }) => id).join(', ');
}

/** Events that wait for the webhook need no operator, unless it is down or does not accept them. */
function whatWaits(
  { clientId, webhook }: FleetSession,
  waiting: NonNullable<FleetSession['waiting']>,
): Finding {
  const { events, since, circuit } = waiting;
  const facts = { waiting: events, since };
  const { last } = webhook;
  const isRefusing = last !== undefined && last.outcome !== 'delivered';
  const detail = `${waitingText(waiting)}; each is tried for 72 hours${isRefusing ? ` (${last.reason})` : ''}`;
  if (circuit === 'closed' && !isRefusing) return passed(detail, facts);
  const advice = `mend the receiver: it gets them by itself; at once after switchboard sessions webhook ${clientId} --resume`;
  return problem('deliveries-waiting', detail, advice, facts);
}
