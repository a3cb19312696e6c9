import { CONNECTION_FAULTS, type ConnectionFault } from '../../../../domain/connection-fault.js';
import { reasonFrom } from '../../../../domain/reasons.js';
import { shownUrl } from '../../../../domain/text.js';
import type { GivenReason } from '../../reason-text.js';
import {
  type Finding,
  passed,
  problem,
  type SessionCheck,
  skipped,
  type Trouble,
  type Troubles,
} from '../check.js';
import type { DoctorContext, SessionFacts } from '../context.js';
import { endpointOf, faultFact, reach, shown } from '../reach.js';

const TEST_EVENT = 'text';
/** Four attempts of 15 s each, and the pauses between them. */
const TIMEOUT_MS = 75_000;

export const webhook: SessionCheck = {
  id: 'webhook',
  needs: [],
  timeoutMs: TIMEOUT_MS,
  async runFor(session, context) {
    const { webhookUrl, orgId, health, listener } = session;
    if (listener) return skipped(`a listener at ${shownUrl(listener.url)} receives the events`);
    if (!webhookUrl) return passed(orgId ? 'none; the history is kept' : 'none; events are not delivered');
    if (!health) return skipped('another node holds the session');
    if (context.options.sendsEvents) return sendOne(session, context);
    const last = await ofLast(session, context);
    if (last) return last;
    // from elsewhere, this machine may not reach what the daemon reaches
    return context.isLocal ? connect(session) : skipped('no event was sent to it yet; --send sends a sample');
  },
};

async function sendOne(session: SessionFacts, context: DoctorContext): Promise<Finding> {
  const { clientId } = session;
  const url = shownUrl(session.webhookUrl);
  // read them first: a daemon of an earlier release counts the failure of a test event
  await context.failedDeliveries(clientId).catch(() => []);
  const { client } = context.options;
  const answer = await client.sendTestEvent({ clientId, type: TEST_EVENT });
  const { delivered, reason, signed } = answer;
  if (!delivered) return receiverProblem(`${url} did not accept a test event: ${reason}`, answer, { url });
  if (signed === false) {
    const detail = `${url} accepted a test event without token and signature: anyone could send it events`;
    const advice = `set a token: switchboard sessions webhook ${clientId} ${url} --webhook-token a-long-random-text`;
    return problem('webhook-unsigned', detail, advice, { url });
  }
  return passed(`${url} accepted a test event`, { url });
}

/** Judges the last call, or if there was none, the last failed delivery. */
async function ofLast(session: SessionFacts, context: DoctorContext): Promise<Finding | undefined> {
  const url = shownUrl(session.webhookUrl);
  const last = session.health?.webhook.last ?? (await lastFailure(session.clientId, url, context));
  if (!last) return undefined;
  const { at, outcome, reason } = last;
  if (outcome === 'delivered') return passed(`${url} accepted an event at ${at}`, { url, at });
  return receiverProblem(`${url} did not accept an event at ${at}: ${reason}`, last, { url, at });
}

async function lastFailure(clientId: string, to: string, context: DoctorContext) {
  const failed = (await context.failedDeliveries(clientId)).find(({ url }) => url === to);
  return failed && { ...failed, at: failed.failedAt, outcome: 'failed' };
}

/** Opens a connection from this machine; sends no data. */
async function connect({ webhookUrl }: SessionFacts): Promise<Finding> {
  const endpoint = endpointOf(webhookUrl);
  const facts = { url: shownUrl(webhookUrl) };
  const found = await reach(endpoint);
  if (found.reached) return passed(`connected to ${shown(endpoint)} in ${found.ms} ms`, facts);
  return byFault(`${shown(endpoint)} cannot be reached: ${found.reason}`, found.fault, {
    ...facts,
    reason: found.reason,
  });
}

const SEE = 'switchboard tail';

const BY_FAULT: Troubles<ConnectionFault> = {
  refused: ['webhook-refused', 'start the receiver, or correct host and port'],
  timeout: ['webhook-slow', 'reply with 200 at once and process the event afterwards: the limit is 15 s'],
  unknown_host: [
    'webhook-unknown-host',
    "correct the host, or fix name resolution (DNS) on the daemon's machine",
  ],
  tls: [
    'webhook-certificate',
    'install a certificate that is valid for the host name, with its chain; for a self-signed one, run the ' +
      'daemon with NODE_EXTRA_CA_CERTS',
  ],
  unreachable: [
    'webhook-unreachable',
    `see the receiver's log, and check proxies and firewalls; see also ${SEE}`,
  ],
};

type Meaning = readonly [trouble: Trouble, advice: string];

const BY_STATUS: readonly (readonly [statuses: RegExp, meaning: Meaning])[] = [
  [
    /^40[13]$/,
    [
      'webhook-unauthorized',
      'use one token on both sides: set it with switchboard sessions webhook, flag --webhook-token',
    ],
  ],
  [/^(404|410)$/, ['webhook-not-found', 'correct the path of the URL: the receiver does not know it']],
  [
    /^3/,
    ['webhook-redirect', 'set the final URL: redirects are not followed (http instead of https? a slash?)'],
  ],
  [/^(5|429)/, ['webhook-error', "see the receiver's log: the error is on its side"]],
];
const REJECTS: Meaning = ['webhook-rejects', 'let the receiver reply with 2xx to a POST of JSON'];

const PRIVATE_ADVICE = 'give the receiver a public address, or allow private addresses: --allow-private-urls';

/** The problem of a receiver, by the daemon's reason for a failed delivery. */
function receiverProblem(detail: string, given: GivenReason, facts: Finding['facts'] = {}): Finding {
  const { reason = '' } = given;
  const why = reasonFrom(given.reasonCode, given.reasonValues);
  const last = why?.code === 'after_attempt' ? why.values.last : undefined;
  const { code, values = {} } = (typeof last === 'object' ? last : why) ?? {};
  const all = { ...facts, reason };
  if (code === 'address_private') return problem('webhook-private', detail, PRIVATE_ADVICE, all);
  if (code === 'answered' || code === 'redirected') return byStatus(detail, String(values.status), all);
  const fault = code === 'call_failed' ? CONNECTION_FAULTS.find((one) => one === values.kind) : undefined;
  return byFault(detail, fault ?? 'unreachable', all);
}

function byFault(detail: string, fault: ConnectionFault, facts: Finding['facts']): Finding {
  const [trouble, advice] = BY_FAULT[fault];
  return problem(trouble, detail, advice, { ...facts, fault: faultFact(fault) });
}

function byStatus(detail: string, status: string, facts: Finding['facts']): Finding {
  const rule = BY_STATUS.find(([statuses]) => statuses.test(status));
  const [trouble, advice] = rule?.[1] ?? REJECTS;
  return problem(trouble, detail, advice, { ...facts, status: Number(status) });
}
