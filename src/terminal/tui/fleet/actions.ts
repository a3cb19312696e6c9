import type { FleetSession } from '../../../contract/index.js';
import type { PairEnd } from '../../cli/pair.js';
import { EMPTY_EDIT, editOf } from '../text/edit.js';
import type { FleetController } from './controller.js';
import type { Ask } from './view-state.js';

const UNCHANGED = { level: 'warning', text: 'nothing was changed', suggestions: [] } as const;

/** Typed in place of the URL to remove the proxy. */
const NO_PROXY = 'none';

/** Names of the marked sessions, in the table. */
function markedIn(fleet: FleetController): readonly string[] {
  const { page, marked } = fleet.state;
  return page === 'table' ? [...marked] : [];
}

/** Asks before the session connects again, or all marked ones. */
export function askToReconnect(fleet: FleetController, { clientId }: FleetSession): void {
  const marked = markedIn(fleet);
  const act = (name: string) => fleet.model.reconnect(name);
  if (marked.length === 0) confirm(fleet, `Reconnect ${clientId} now?`, () => void act(clientId));
  else {
    const done = `${marked.length} sessions connect again`;
    confirm(
      fleet,
      `Reconnect ${marked.length} marked sessions now?`,
      () => void forAll(fleet, marked, act, done),
    );
  }
}

/** Asks before all failed deliveries of the selected session, or of all marked ones, are sent again. */
export function askToResendAll(fleet: FleetController, { clientId }: FleetSession): void {
  const marked = markedIn(fleet);
  const act = (name: string) => fleet.model.resendAllOf(name);
  const of = marked.length === 0 ? clientId : `${marked.length} marked sessions`;
  const done = `the failed deliveries of ${marked.length} sessions are delivered`;
  confirm(fleet, `Send the failed deliveries of ${of} again?`, () => {
    if (marked.length === 0) void act(clientId);
    else void forAll(fleet, marked, act, done);
  });
}

/** Acts on one session after the other; stops at the first that fails, and keeps its mark and those of the rest. */
async function forAll(
  fleet: FleetController,
  names: readonly string[],
  act: (clientId: string) => Promise<void>,
  done: string,
): Promise<void> {
  for (const name of names) {
    await act(name);
    if (fleet.model.state.notice?.level === 'error') return;
    fleet.change({ marked: new Set([...fleet.state.marked].filter((other) => other !== name)) });
  }
  fleet.model.say({ level: 'done', text: done, suggestions: [] });
}

/** Asks before pairing. @param options.byCode with a code to type on the phone instead of a QR */
export function askToPair(fleet: FleetController, row: FleetSession, { byCode }: { byCode: boolean }): void {
  const { clientId } = row;
  const why = pairedAlready(row);
  if (why) fleet.model.say({ level: 'warning', text: why, suggestions: [] });
  else if (byCode)
    fleet.change({ ask: phoneQuestion(row, (phone) => startPairing(fleet, clientId, { phone })) });
  else {
    const loss = row.orgId ? '' : ' Without a workspace it keeps no messages.';
    confirm(fleet, `Pair ${clientId} with a phone?${loss}`, () => startPairing(fleet, clientId));
  }
}

/** Asks for the name of a new session, and for its workspace: the phone sends its past once, when it is linked. */
export function askForNewSession(fleet: FleetController): void {
  const named = (clientId: string) => {
    const done = (orgId: string) => startPairing(fleet, clientId, orgId ? { orgId } : {});
    fleet.change({ ask: workspaceQuestion(clientId, done) });
  };
  fleet.change({ ask: nameQuestion(named) });
}

/** Pairs a number on a separate screen. */
function startPairing(
  fleet: FleetController,
  clientId: string,
  how?: { phone?: string; orgId?: string },
): void {
  const before = fleet.state.page;
  fleet.change({ page: 'pairing', before, pairing: fleet.model.pair(clientId, how), selected: clientId });
}

/** Goes back to the page before, and shows the outcome of the pairing. */
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

/** Asks for the URL of a proxy, or for the word that removes it: an empty answer must not open a direct connection. */
export function askForProxy(fleet: FleetController, { clientId }: FleetSession): void {
  const done = (typed: string) => {
    if (typed === '') fleet.model.say(UNCHANGED);
    else void fleet.model.setProxy(clientId, typed === NO_PROXY ? null : typed);
  };
  const label = `URL of a proxy for ${clientId}, or ${NO_PROXY}:`;
  const placeholder = 'socks5://user:password@proxy.example.com:1080';
  fleet.change({ ask: { type: 'input', label, placeholder, edit: EMPTY_EDIT, done } });
}

/** Asks for the session's name, then logs the number out and deletes the session; of marked ones, for their number. */
export function askToDelete(fleet: FleetController, row: FleetSession): void {
  const marked = markedIn(fleet);
  if (marked.length === 0) {
    const { clientId } = row;
    const done = (typed: string) => disconnect(fleet, row, typed);
    fleet.change({ ask: deletionQuestion(`${clientId} to log it out and delete it:`, done) });
    return;
  }
  const word = `delete ${marked.length}`;
  const label = `${word} to log out and delete ${marked.join(', ')}:`;
  fleet.change({ ask: deletionQuestion(label, (typed) => disconnectAll(fleet, marked, typed === word)) });
}

function disconnectAll(fleet: FleetController, names: readonly string[], isSure: boolean): void {
  if (!isSure) fleet.model.say(UNCHANGED);
  else {
    const act = (name: string) => fleet.model.disconnect(name);
    void forAll(fleet, names, act, `${names.length} sessions are logged out and deleted`);
  }
}

export function askToResend(fleet: FleetController, ids: readonly string[]): void {
  confirm(fleet, `Send ${ids.length} failed deliveries again?`, () => void fleet.model.resend(ids));
}

/** Goes back from one session to the table. */
export function goBack(fleet: FleetController): void {
  fleet.model.leave();
  fleet.change({ page: 'table' });
}

function disconnect(fleet: FleetController, { clientId }: FleetSession, typed: string): void {
  if (typed !== clientId) {
    fleet.model.say(UNCHANGED);
    return;
  }
  if (fleet.state.page === 'session') goBack(fleet);
  void fleet.model.disconnect(clientId);
}

function confirm(fleet: FleetController, question: string, yes: () => void): void {
  fleet.change({ ask: confirmation(question, yes) });
}

function confirmation(question: string, yes: () => void): Ask {
  return { type: 'confirm', question, yes };
}

/** Filters while typing. */
export function filterQuestion(filter: string, change: (filter: string) => void): Ask {
  return {
    type: 'input',
    label: 'Filter:',
    placeholder: 'words of the name, state, reason, receiver …',
    edit: editOf(filter),
    typed: change,
    done: change,
    cancel: () => change(''),
  };
}

function nameQuestion(done: (clientId: string) => void): Ask {
  return {
    type: 'input',
    label: 'Name of the new session:',
    placeholder: 'letters and digits',
    edit: EMPTY_EDIT,
    done: (clientId) => clientId && done(clientId),
  };
}

function workspaceQuestion(clientId: string, done: (orgId: string) => void): Ask {
  return {
    type: 'input',
    label: `Workspace that keeps the history of ${clientId}:`,
    placeholder: 'empty: it keeps no messages',
    edit: EMPTY_EDIT,
    done,
  };
}

function phoneQuestion({ clientId }: FleetSession, done: (phone: string) => void): Ask {
  return {
    type: 'input',
    label: `Phone number of ${clientId}:`,
    placeholder: '+15550000001',
    edit: EMPTY_EDIT,
    done: (phone) => phone && done(phone),
  };
}

/** The operator must type a word, because a deletion cannot be undone. */
function deletionQuestion(label: string, done: (typed: string) => void): Ask {
  return {
    type: 'input',
    label: `Type ${label}`,
    placeholder: '',
    edit: EMPTY_EDIT,
    done,
  };
}

/** Returns why the session need not be paired, or undefined. */
function pairedAlready({ clientId, status, loggedIn }: FleetSession): string | undefined {
  if (!loggedIn) return undefined;
  const why = status === 'connected' ? 'is already connected' : 'is already paired; press r to reconnect';
  return `${clientId} ${why}`;
}
