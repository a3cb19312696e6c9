import { type Finding, fine, type SessionCheck, skipped, wrong } from '../check.js';
import type { SessionFacts, SessionHealth } from '../facts.js';
import type { Room } from '../room.js';

const MINUTE_MS = 60_000;
/** Milliseconds without a connection after which it does not come back by itself. */
const STUCK_MS = 10 * MINUTE_MS;
/** As many reconnects, more often than one in so many milliseconds, are a loop. */
const LOOP_RECONNECTS = 5;
const LOOP_EVERY_MS = 10 * MINUTE_MS;

const LOOK_AT_NETWORK = 'look at the network check above, and at what the daemon logs of this session';

/** Is the session of use, and if not, what would make it so? */
export const session: SessionCheck = {
  id: 'session',
  needs: [],
  async lookAt(session, room) {
    const { health, clientId, podName } = session;
    if (!health) return skipped(`held by the node ${podName}: ask that one`);
    const facts = factsOf(health);
    const said = health.reason ? `${health.status}: ${health.reason}` : health.status;
    const pairAgain = `pair it again: switchboard pair ${clientId}`;
    switch (health.status) {
      case 'connected':
        return ofConnected(session, health, await uptimeOf(room));
      case 'initializing':
      case 'qr':
        return ofPairing(health, `${said}${sinceText(health)}`, clientId, room);
      case 'reconnecting':
        return ofReconnecting(health, said, room);
      case 'logged_out':
        return wrong('session-logged-out', said, `the phone has unlinked it; ${pairAgain}`, facts);
      case 'replaced': {
        const advice = `something else uses the same link: stop it, a second daemon with a copy of the data for example, then ${pairAgain}`;
        return wrong('session-replaced', said, advice, facts);
      }
      case 'banned': {
        const advice = `the network has restricted the number: look at WhatsApp on the phone and ask for a review there; once it is free, ${pairAgain}`;
        return wrong('session-banned', said, advice, facts);
      }
      default: {
        const advice = 'this command does not know that status: use the version of the daemon';
        return wrong('session-status-unknown', said, advice, facts);
      }
    }
  },
};

function ofConnected({ jid }: SessionFacts, health: SessionHealth, uptimeMs: number): Finding {
  const facts = factsOf(health);
  if (!health.connected) {
    const detail = `connected, but the network has said nothing since ${health.lastStanzaAt || 'the start'}`;
    const advice =
      'it is given up and connected anew within a minute; if this comes again, look at firewall and NAT timeouts';
    return wrong('session-silent', detail, advice, facts);
  }
  return loopOf(health, uptimeMs) ?? fine(`connected as ${jid}`, facts);
}

async function ofReconnecting(health: SessionHealth, said: string, room: Room): Promise<Finding> {
  const facts = factsOf(health);
  if (ageOf(health, room) >= STUCK_MS) {
    return wrong('session-stuck', `${said}${sinceText(health)}`, LOOK_AT_NETWORK, facts);
  }
  const loop = loopOf(health, await uptimeOf(room));
  if (loop) return loop;
  const advice = 'it comes back by itself; if it does not, look at the network check above';
  return wrong('session-reconnecting', said, advice, facts);
}

function ofPairing(health: SessionHealth, said: string, clientId: string, room: Room): Finding {
  const facts = factsOf(health);
  if (health.loggedIn && ageOf(health, room) >= STUCK_MS) {
    return wrong('session-stuck', said, LOOK_AT_NETWORK, facts);
  }
  const advice = `finish the pairing: switchboard pair ${clientId}; or take it away: switchboard sessions disconnect ${clientId}`;
  return wrong('session-unpaired', said, advice, facts);
}

/** A connection that never lasts. */
function loopOf(health: SessionHealth, uptimeMs: number): Finding | undefined {
  const { reconnects, lastDisconnect } = health;
  if (reconnects < LOOP_RECONNECTS || uptimeMs / reconnects > LOOP_EVERY_MS) return undefined;
  const cause = lastDisconnect && `; the last one: ${lastDisconnect}`;
  const detail = `${reconnects} reconnects in ${Math.round(uptimeMs / MINUTE_MS)} min${cause}`;
  const advice =
    'see whether another client or a second daemon uses the same link, and whether the connection of this machine is stable';
  return wrong('session-looping', detail, advice, factsOf(health));
}

function factsOf(health: SessionHealth): Finding['facts'] {
  const { status, reason, since, reconnects, lastDisconnect, lastStanzaAt } = health;
  return { status, reason, since, reconnects, lastDisconnect, lastStanzaAt };
}

/** Milliseconds in this status; 0 where the daemon does not tell. */
function ageOf({ since }: SessionHealth, { options }: Room): number {
  return since ? options.clock.now() - Date.parse(since) : 0;
}

function sinceText({ since }: SessionHealth): string {
  return since ? `, since ${since}` : '';
}

/** Milliseconds that the daemon runs. */
async function uptimeOf(room: Room): Promise<number> {
  const { nodes } = await room.fleet();
  return (nodes[0]?.uptimeSeconds ?? Number.POSITIVE_INFINITY) * 1_000;
}
