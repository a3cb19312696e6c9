import type { SessionRow } from '../../../cli/fleet/wire.js';
import type { PairEnd } from '../../../cli/pair.js';
import type { FleetController } from './controller.js';
import { confirmation, deletionQuestion, pairedAlready, phoneQuestion } from './questions.js';

export function askToReconnect(fleet: FleetController, { clientId }: SessionRow): void {
  confirm(fleet, `Connect ${clientId} again, now?`, () => void fleet.model.reconnect(clientId));
}

/** With a QR, or by a code that is typed on the phone, where no QR can be scanned. */
export function askToPair(fleet: FleetController, row: SessionRow, { byCode }: { byCode: boolean }): void {
  const { clientId } = row;
  const why = pairedAlready(row);
  if (why) fleet.model.say({ level: 'warning', text: why, suggestions: [] });
  else if (byCode) fleet.change({ ask: phoneQuestion(row, (phone) => startPairing(fleet, clientId, phone)) });
  else confirm(fleet, `Pair ${clientId} with a phone?`, () => startPairing(fleet, clientId));
}

/** Pairs a number on a screen of its own. */
export function startPairing(fleet: FleetController, clientId: string, phone?: string): void {
  const before = fleet.state.page;
  fleet.change({ page: 'pairing', before, pairing: fleet.model.pair(clientId, phone), selected: clientId });
}

/** Goes back to where the pairing began, and says how it ended. */
export function endPairing(fleet: FleetController, end: PairEnd): void {
  const { pairing, before } = fleet.state;
  if (!pairing) return;
  fleet.change({ page: before, pairing: undefined });
  const { clientId } = pairing;
  if (end.type === 'connected') {
    fleet.model.say({ level: 'done', text: `${clientId} is connected as ${end.jid}`, suggestions: [] });
  } else if (end.code !== 'interrupted') {
    const { reason, suggestions } = end;
    fleet.model.say({ level: 'error', text: `${clientId} is not paired: ${reason}`, suggestions });
  }
}

/** Logs a number out and deletes its session, once its name was typed. */
export function askToDelete(fleet: FleetController, row: SessionRow): void {
  fleet.change({ ask: deletionQuestion(row, (typed) => disconnect(fleet, row, typed)) });
}

export function askToResend(fleet: FleetController, ids: readonly string[]): void {
  confirm(fleet, `Send ${ids.length} failed deliveries again?`, () => void fleet.model.resend(ids));
}

/** From one session to all. */
export function goBack(fleet: FleetController): void {
  fleet.model.leave();
  fleet.change({ page: 'table' });
}

function disconnect(fleet: FleetController, { clientId }: SessionRow, typed: string): void {
  if (typed !== clientId) {
    fleet.model.say({ level: 'warning', text: 'nothing was changed', suggestions: [] });
    return;
  }
  if (fleet.state.page === 'session') goBack(fleet);
  void fleet.model.disconnect(clientId);
}

function confirm(fleet: FleetController, question: string, yes: () => void): void {
  fleet.change({ ask: confirmation(question, yes) });
}
