import type { SessionStatus } from '../../../domain/session.js';
import type { SessionRow } from '../../fleet/wire.js';
import { type Finding, fine, type SessionCheck, skipped, wrong } from '../check.js';
import type { SessionFacts } from '../facts.js';
import { ownNode, type Room } from '../room.js';
import type { Trouble } from '../troubles.js';

const MINUTE_MS = 60_000;
/** Milliseconds without a connection after which it does not come back by itself. */
const STUCK_MS = 10 * MINUTE_MS;
/** As many reconnects, more often than one in so many milliseconds, are a loop. */
const LOOP_RECONNECTS = 5;
const LOOP_EVERY_MS = 10 * MINUTE_MS;

const LOOK_AT_NETWORK = 'look at the network check above, and at what the daemon logs of this session';

/** Statuses that wait for an operator; once done, the number is paired again. */
const TERMINAL: Readonly<Partial<Record<SessionStatus, readonly [trouble: Trouble, advice: string]>>> = {
  logged_out: ['session-logged-out', 'the phone has unlinked it'],
  replaced: [
    'session-replaced',
    'something else uses the same link: stop it, a second daemon with a copy of the data for example',
  ],
  banned: [
    'session-banned',
    'the network has restricted the number: look at WhatsApp on the phone, and ask for a review there',
  ],
};

/** Is the session of use, and if not, what would make it so? */
export const session: SessionCheck = {
  id: 'session',
  needs: [],
  async lookAt(session, room) {
    const { health, podName } = session;
    if (!health) return skipped(`held by the node ${podName}: ask that one`);
    if (health.podName === '' && !TERMINAL[health.status]) return unheld(health);
    const { status } = health;
    if (status === 'connected') return ofConnected(session, health, await uptimeOf(health, room));
    if (status === 'reconnecting') return ofReconnecting(health, room);
    if (status === 'initializing' || status === 'qr') return ofPairing(health, room);
    return ofTerminal(health);
  },
};

function unheld(health: SessionRow): Finding {
  const advice =
    'look again in some seconds: one takes it by then; if none does, see whether there is one that is not draining ' +
    '(switchboard nodes list), and what it logs of this session';
  return wrong('session-unheld', `nothing is sent or received: ${health.reason}`, advice, factsOf(health));
}

function ofTerminal(health: SessionRow): Finding {
  const { status, clientId } = health;
  const facts = factsOf(health);
  const [trouble, advice] = TERMINAL[status] ?? [];
  if (!trouble) {
    const advice = 'this command does not know that status: use the version of the daemon';
    return wrong('session-status-unknown', said(health), advice, facts);
  }
  return wrong(trouble, said(health), `${advice}; then pair it again: switchboard pair ${clientId}`, facts);
}

function ofConnected({ jid }: SessionFacts, health: SessionRow, uptimeMs: number): Finding {
  const facts = factsOf(health);
  if (!health.connected) {
    const detail = `connected, but the network has said nothing since ${health.lastStanzaAt || 'the start'}`;
    const advice =
      'it is given up and connected anew within a minute; if this comes again, look at firewall and NAT timeouts';
    return wrong('session-silent', detail, advice, facts);
  }
  return loopOf(health, uptimeMs) ?? fine(`connected as ${jid}`, facts);
}

async function ofReconnecting(health: SessionRow, room: Room): Promise<Finding> {
  const facts = factsOf(health);
  if (ageOf(health, room) >= STUCK_MS) return wrong('session-stuck', said(health), LOOK_AT_NETWORK, facts);
  const loop = loopOf(health, await uptimeOf(health, room));
  if (loop) return loop;
  const advice = 'it comes back by itself; if it does not, look at the network check above';
  return wrong('session-reconnecting', said(health), advice, facts);
}

function ofPairing(health: SessionRow, room: Room): Finding {
  const { clientId, loggedIn } = health;
  const facts = factsOf(health);
  if (loggedIn && ageOf(health, room) >= STUCK_MS) {
    return wrong('session-stuck', said(health), LOOK_AT_NETWORK, facts);
  }
  const advice = `finish the pairing: switchboard pair ${clientId}; or take it away: switchboard sessions disconnect ${clientId}`;
  return wrong('session-unpaired', said(health), advice, facts);
}

/** A connection that never lasts. */
function loopOf(health: SessionRow, uptimeMs: number): Finding | undefined {
  const { reconnects, lastDisconnect } = health;
  if (reconnects < LOOP_RECONNECTS || uptimeMs / reconnects > LOOP_EVERY_MS) return undefined;
  const cause = lastDisconnect && `; the last one: ${lastDisconnect}`;
  const detail = `${reconnects} reconnects in ${Math.round(uptimeMs / MINUTE_MS)} min${cause}`;
  const advice =
    'see whether another client or a second daemon uses the same link, and whether the connection of this machine is stable';
  return wrong('session-looping', detail, advice, factsOf(health));
}

function factsOf(health: SessionRow): Finding['facts'] {
  const { status, reason, since, reconnects, lastDisconnect, lastStanzaAt } = health;
  return { status, reason, since, reconnects, lastDisconnect, lastStanzaAt };
}

/** Milliseconds in this status; 0 where the daemon does not tell. */
function ageOf({ since }: SessionRow, { options }: Room): number {
  return since ? options.clock.now() - Date.parse(since) : 0;
}

/** Status, reason and since when, for people. */
function said({ status, reason, since }: SessionRow): string {
  return `${status}${reason && `: ${reason}`}${since && `, since ${since}`}`;
}

/** Milliseconds that the daemon runs which holds the session. */
async function uptimeOf({ podName }: SessionRow, room: Room): Promise<number> {
  const fleet = await room.fleet();
  const node = fleet.nodes.find((one) => one.podName === podName) ?? ownNode(fleet);
  return (node?.uptimeSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
}
