import type { FleetSession } from '../../../../contract/index.js';
import { errorMessage } from '../../../../domain/errors.js';
import type { SessionStatus } from '../../../../domain/session.js';
import { reasonText } from '../../reason-text.js';
import { lastDisconnectOf, proxyText } from '../../sessions.js';
import {
  type Finding,
  type GeneralCheck,
  passed,
  problem,
  type SessionCheck,
  skipped,
  type Trouble,
} from '../check.js';
import { type DoctorContext, ownNode, type SessionFacts } from '../context.js';

export const sessions: GeneralCheck = {
  id: 'sessions',
  needs: ['token'],
  async run(context) {
    const { session } = context.options;
    try {
      const found = await context.sessions();
      const facts = { count: found.length };
      if (session !== undefined && found.length === 0) {
        const advice = `list the sessions: switchboard sessions list; or pair it: switchboard pair ${session}`;
        return problem('session-unknown', `there is no session ${session}`, advice, facts);
      }
      if (found.length === 0) return passed('none yet; pair a number: switchboard pair CLIENTID', facts);
      return passed(found.length === 1 ? '1 session' : `${found.length} sessions`, facts);
    } catch (error) {
      const detail = errorMessage(error);
      return problem('sessions-unreadable', detail, "see the daemon's log");
    }
  },
};

const MINUTE_MS = 60_000;
/** Milliseconds without a connection after which help is needed. */
const STUCK_MS = 10 * MINUTE_MS;
/** This many reconnects, at less than this interval in milliseconds, are a loop. */
const LOOP_RECONNECTS = 5;
const LOOP_EVERY_MS = 10 * MINUTE_MS;

const LOOK_AT_NETWORK = "see the network check above, and the daemon's log of this session";

/** Terminal statuses. Only a number that was logged out must be paired again. */
const TERMINAL: Readonly<Partial<Record<SessionStatus, readonly [trouble: Trouble, advice: string]>>> = {
  logged_out: ['session-logged-out', 'the phone has unlinked the device'],
  replaced: [
    'session-replaced',
    'another client uses the same link, such as a second daemon with a copy of the data: stop it',
  ],
  banned: [
    'session-banned',
    'wait for the end of a temporary ban; otherwise open WhatsApp on the phone and request a review',
  ],
};

export const session: SessionCheck = {
  id: 'session',
  needs: [],
  async runFor(session, context) {
    const { health, podName } = session;
    if (!health) return skipped(`held by the node ${podName}: run doctor against it`);
    if (health.podName === '' && !TERMINAL[health.status]) return unheld(health);
    const { status } = health;
    if (status === 'connected') return ofConnected(session, health, await uptimeOf(health, context));
    if (health.reasonCode === 'client_outdated') return ofOutdated(health, context);
    if (health.reasonCode === 'proxy_failed') return ofProxy(health);
    if (health.reasonCode === 'data_damaged') return ofDamaged(health);
    if (status === 'reconnecting') return ofReconnecting(health, context);
    if (status === 'initializing' || status === 'qr') return ofPairing(health, context);
    return ofTerminal(health);
  },
};

function unheld(health: FleetSession): Finding {
  const advice =
    'try again in some seconds: a node should take it; if none does, check for a node that is not draining ' +
    '(switchboard nodes list), and see its log of this session';
  return problem(
    'session-unheld',
    `nothing is sent or received: ${reasonText(health, health.clientId)}`,
    advice,
    factsOf(health),
  );
}

function ofTerminal(health: FleetSession): Finding {
  const { status, clientId } = health;
  const facts = factsOf(health);
  const [trouble, advice] = TERMINAL[status] ?? [];
  if (!trouble) {
    const advice = 'unknown status: use the same version of this command as of the daemon';
    return problem('session-status-unknown', statusText(health), advice, facts);
  }
  if (health.exportedAt !== undefined) {
    const advice = `once another Switchboard uses it, delete it here: switchboard sessions export ${clientId} --delete; \
if none does, use it here again: switchboard sessions export ${clientId} --undo`;
    return problem(trouble, statusText(health), advice, facts);
  }
  const then =
    status === 'logged_out'
      ? `pair it again: switchboard pair ${clientId}`
      : `connect it again: switchboard sessions reconnect ${clientId}`;
  return problem(trouble, statusText(health), `${advice}; then ${then}`, facts);
}

function policyAdvice(policy: FleetSession['policy']): string {
  return {
    none: '; start the daemon with --policy gentle, which holds such messages back',
    observe: '; set `mode: enforce` in its policy, which then holds such messages back',
    enforce: '',
  }[policy && policy.mode !== 'off' ? policy.mode : 'none'];
}

function ofConnected({ jid }: SessionFacts, health: FleetSession, uptimeMs: number): Finding {
  const facts = factsOf(health);
  if (!health.connected) {
    const detail = `connected, but no traffic since ${health.lastStanzaAt || 'the start'}`;
    const advice =
      'the daemon reconnects within a minute; if this happens again, check firewall and NAT timeouts';
    return problem('session-silent', detail, advice, facts);
  }
  const { restriction, warning, policy } = health;
  if (restriction) {
    const { until, reason } = restriction;
    const detail = `connected, but restricted until ${until || 'an unknown time'}: ${reason}`;
    const advice =
      'write only to people who wrote first until then: messages to others are refused, and more of them make it worse';
    return problem('session-restricted', detail, `${advice}${policyAdvice(policy)}`, facts);
  }
  if (warning) {
    const detail = `connected, but WhatsApp warns of the limit of new chats (${warning})`;
    const advice =
      'begin no more chats until the next period: switchboard sessions restrictions ' +
      `${health.clientId} shows when it begins`;
    return problem('session-warned', detail, `${advice}${policyAdvice(policy)}`, facts);
  }
  const held = health.held
    ? `; ${health.held} of its messages ${health.held === 1 ? 'waits' : 'wait'} until the policy allows ${health.held === 1 ? 'it' : 'them'}`
    : '';
  return loopOf(health, uptimeMs) ?? passed(`connected as ${jid}${held}`, facts);
}

async function ofReconnecting(health: FleetSession, context: DoctorContext): Promise<Finding> {
  const facts = factsOf(health);
  const ofCause = CAUSE_ADVICE[health.lastDisconnectCode ?? ''];
  if (ageOf(health, context) >= STUCK_MS)
    return problem('session-stuck', statusText(health), ofCause ?? LOOK_AT_NETWORK, facts);
  const loop = loopOf(health, await uptimeOf(health, context));
  if (loop) return loop;
  const advice = 'reconnects automatically; if it does not, see the network check above';
  return problem('session-reconnecting', statusText(health), ofCause ?? advice, facts);
}

/** The network refuses the version of WhatsApp Web that the node reports. */
async function ofOutdated(health: FleetSession, context: DoctorContext): Promise<Finding> {
  const fleet = await context.fleet();
  const node = fleet.nodes.find(({ podName }) => podName === health.podName) ?? ownNode(fleet);
  const version = node?.waVersion;
  const shown = version ? ` (the node reports ${version.version}, ${version.source})` : '';
  const advice =
    version?.source === 'setting'
      ? 'remove --wa-version, or set it to a newer version, and restart the daemon'
      : 'give the daemon access to https://web.whatsapp.com, where it looks up the version, or set --wa-version 2.3000.N';
  const facts = { ...factsOf(health), ...(version && { waVersion: version.version }) };
  return problem('client-outdated', `${statusText(health)}${shown}`, advice, facts);
}

/** The session's proxy does not open connections; the session never connects around it. */
function ofProxy(health: FleetSession): Finding {
  const { clientId, proxy } = health;
  const shown = proxy ? ` (${proxyText(proxy)})` : '';
  const advice = `check that the proxy runs, and that the daemon's machine may reach it; or give another address \
to switchboard sessions proxy ${clientId}; nothing of the session goes around its proxy`;
  return problem('session-proxy', `${statusText(health)}${shown}`, advice, factsOf(health));
}

/** The stored data of the session were changed, or the disk has lost a part of them. */
function ofDamaged(health: FleetSession): Finding {
  const advice = `restore a backup of the database, and find out who changed it; or link the number anew: \
switchboard sessions disconnect ${health.clientId}, then switchboard pair ${health.clientId}`;
  return problem('session-damaged', statusText(health), advice, factsOf(health));
}

function ofPairing(health: FleetSession, context: DoctorContext): Finding {
  const { clientId, loggedIn } = health;
  const facts = factsOf(health);
  if (loggedIn && ageOf(health, context) >= STUCK_MS) {
    return problem('session-stuck', statusText(health), LOOK_AT_NETWORK, facts);
  }
  if (health.reasonCode === 'passkey') {
    const advice = `the owner of the number has to confirm with a passkey: switchboard pair ${clientId} --link, and see docs/linking.md`;
    return problem('session-passkey', statusText(health), advice, facts);
  }
  const advice = `finish the pairing: switchboard pair ${clientId}; or delete the session: switchboard sessions disconnect ${clientId}`;
  return problem('session-unpaired', statusText(health), advice, facts);
}

const STEADY =
  'check whether another client or a second daemon uses the same link, and whether the connection of this machine is stable';
/** By the code of the last end of the link, where that says more than the status. */
const CAUSE_ADVICE: Readonly<Record<string, string>> = {
  store_unavailable:
    "the daemon cannot write to its store, so it accepts no messages: see the disk and store checks above, and the daemon's log",
};

/** The connection drops again and again. */
function loopOf(health: FleetSession, uptimeMs: number): Finding | undefined {
  const { clientId, reconnects, lastDisconnectCode } = health;
  const lastDisconnect = reasonText(lastDisconnectOf(health), clientId);
  if (reconnects < LOOP_RECONNECTS || uptimeMs / reconnects > LOOP_EVERY_MS) return undefined;
  const cause = lastDisconnect && `; last cause: ${lastDisconnect}`;
  const detail = `${reconnects} reconnects in ${Math.round(uptimeMs / MINUTE_MS)} min${cause}`;
  return problem(
    'session-looping',
    detail,
    CAUSE_ADVICE[lastDisconnectCode ?? ''] ?? STEADY,
    factsOf(health),
  );
}

function factsOf(health: FleetSession): Finding['facts'] {
  const { status, reason, since, reconnects, lastDisconnect, lastDisconnectCode, lastStanzaAt } = health;
  const facts = { status, reason, since, reconnects, lastDisconnect, lastStanzaAt };
  return { ...facts, ...(lastDisconnectCode && { lastDisconnectCode }) };
}

/** Milliseconds in this status; 0 if unknown. */
function ageOf({ since }: FleetSession, { options }: DoctorContext): number {
  return since ? options.clock.now() - Date.parse(since) : 0;
}

function statusText(health: FleetSession): string {
  const { clientId, status, since } = health;
  const reason = reasonText(health, clientId);
  return `${status}${since && ` since ${since}`}${reason && `: ${reason}`}`;
}

/** Uptime in milliseconds of the node that holds the session. */
async function uptimeOf({ podName }: FleetSession, context: DoctorContext): Promise<number> {
  const fleet = await context.fleet();
  const node = fleet.nodes.find((one) => one.podName === podName) ?? ownNode(fleet);
  return (node?.uptimeSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
}

/** Milliseconds within which a phone in use sends its history. */
const LONG_MS = 60 * 60_000;

export const history: SessionCheck = {
  id: 'history',
  needs: [],
  async runFor({ health, orgId }, { options }) {
    const past = health?.history;
    if (!health || !past)
      return skipped(orgId ? 'no import since the daemon started' : 'the session keeps no history');
    const { progress, messages } = past;
    const facts = { progress, messages };
    if (progress >= 100) return passed(`import complete: ${messages} messages`, facts);
    const detail = `import at ${progress} %, ${messages} messages`;
    const connectedMs = options.clock.now() - Date.parse(health.connectedAt);
    if (!(connectedMs >= LONG_MS)) return passed(`${detail}, in progress`, facts);
    const advice =
      'open WhatsApp on the phone and keep it open, on power and Wi-Fi, until the import completes';
    return problem('history-stuck', `${detail}, without progress for an hour`, advice, facts);
  },
};
