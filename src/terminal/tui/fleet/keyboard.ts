import { SORTS } from '../../cli/fleet/standing.js';
import type { Press } from '../press.js';
import { type Edit, insert, pressed } from '../text/edit.js';
import { moved, STEPS } from '../widgets.js';
import {
  askForNewSession,
  askForProxy,
  askToDelete,
  askToPair,
  askToReconnect,
  askToResend,
  askToResendAll,
  filterQuestion,
  goBack,
} from './actions.js';
import type { FleetController } from './controller.js';
import type { Ask, FleetView } from './view-state.js';

/** Handles a press. */
export function pressKey(fleet: FleetController, press: Press): void {
  if (press.type === 'key' && press.key === 'ctrl+c') {
    fleet.leave();
    return;
  }
  if (fleet.model.state.notice) fleet.model.say(undefined);
  if (press.type === 'mouse') wheel(fleet, press.action);
  else if (press.type === 'key') pressOne(fleet, press.key);
  else if (press.type === 'text') typeText(fleet, press.text);
  else if (press.type === 'paste') typeAnswer(fleet, press.text);
}

function pressOne(fleet: FleetController, key: string): void {
  const { ask, page, before, pairing } = fleet.state;
  if (ask) answer(fleet, ask, key);
  else if (page === 'help') fleet.change({ page: before });
  else if (page === 'pairing') {
    if (key === 'escape' || key === 'q') pairing?.stop();
  } else if (!commonKey(fleet, key)) {
    if (page === 'table') tableKey(fleet, key);
    else sessionKey(fleet, key);
  }
}

function commonKey(fleet: FleetController, key: string): boolean {
  const row = fleet.current();
  if (key === 'q') fleet.leave();
  else if (key === '?') fleet.change({ page: 'help', before: fleet.state.page });
  else if (key === 'r' && row) askToReconnect(fleet, row);
  else if (key === 'i' && row) fleet.openInbox(row);
  else if (/^p$/i.test(key) && row) askToPair(fleet, row, { byCode: key === 'P' });
  else if (key === 'x' && row) askForProxy(fleet, row);
  else if (key === 'D' && row) askToDelete(fleet, row);
  else return false;
  return true;
}

function tableKey(fleet: FleetController, key: string): void {
  const steps = STEPS[key];
  if (steps !== undefined) select(fleet, steps);
  else if (key === 'enter' || key === 'right') open(fleet);
  else if (key === 's') fleet.change({ sort: nextSort(fleet.state) });
  else if (key === '/')
    fleet.change({ ask: filterQuestion(fleet.state.filter, (filter) => fleet.change({ filter })) });
  else if (key === 'n') askForNewSession(fleet);
  else if (key === 'S') resendAll(fleet);
  else if (key === ' ') mark(fleet);
  else if (key === 'A') fleet.change({ marked: new Set(fleet.rows().map(({ clientId }) => clientId)) });
  else if (key === 'escape') fleet.change({ filter: '', marked: new Set() });
}

function sessionKey(fleet: FleetController, key: string): void {
  const failed = fleet.model.state.opened?.failed ?? [];
  const steps = STEPS[key];
  const chosen = failed[Math.min(fleet.state.failed, failed.length - 1)];
  if (steps !== undefined) fleet.change({ failed: moved(fleet.state.failed, steps, failed.length) });
  else if (key === 'escape' || key === 'left') goBack(fleet);
  else if ((key === 's' || key === 'enter') && chosen) void fleet.model.resend([chosen.id]);
  else if (key === 'S' && failed.length > 0) {
    askToResend(
      fleet,
      failed.map(({ id }) => id),
    );
  }
}

function resendAll(fleet: FleetController): void {
  const row = fleet.current();
  if (row) askToResendAll(fleet, row);
}

function wheel(fleet: FleetController, action: 'click' | 'up' | 'down'): void {
  if (action !== 'click' && !fleet.state.ask) pressOne(fleet, action);
}

function select(fleet: FleetController, steps: number): void {
  const rows = fleet.rows();
  const index = rows.findIndex(({ clientId }) => clientId === fleet.current()?.clientId);
  fleet.change({ selected: rows[moved(Math.max(0, index), steps, rows.length)]?.clientId });
}

/** Marks the selected session, or removes its mark, and goes to the next one. */
function mark(fleet: FleetController): void {
  const row = fleet.current();
  if (!row) return;
  const marked = new Set(fleet.state.marked);
  if (!marked.delete(row.clientId)) marked.add(row.clientId);
  fleet.change({ marked });
  select(fleet, 1);
}

function open(fleet: FleetController): void {
  const row = fleet.current();
  if (!row) return;
  fleet.model.open(row.clientId);
  fleet.change({ page: 'session', selected: row.clientId, failed: 0 });
}

function answer(fleet: FleetController, ask: Ask, key: string): void {
  if (ask.type === 'confirm') {
    fleet.change({ ask: undefined });
    if (/^y$/i.test(key)) ask.yes();
  } else if (key === 'enter') {
    fleet.change({ ask: undefined });
    ask.done(ask.edit.text.trim());
  } else if (key === 'escape') {
    fleet.change({ ask: undefined });
    ask.cancel?.();
  } else {
    edit(fleet, ask, pressed(ask.edit, key) ?? ask.edit);
  }
}

/** Handles the keys of one chunk. If a key opens an input field, the rest goes into the field. */
function typeText(fleet: FleetController, text: string): void {
  let rest = text;
  while (rest !== '' && fleet.state.ask?.type !== 'input') {
    const [key = ''] = rest;
    pressOne(fleet, key);
    rest = rest.slice(key.length);
  }
  if (rest !== '') typeAnswer(fleet, rest);
}

function typeAnswer(fleet: FleetController, text: string): void {
  const { ask } = fleet.state;
  if (ask?.type === 'input') edit(fleet, ask, insert(ask.edit, text.replaceAll('\n', ' ')));
}

function edit(fleet: FleetController, ask: Extract<Ask, { type: 'input' }>, changed: Edit): void {
  fleet.change({ ask: { ...ask, edit: changed } });
  ask.typed?.(changed.text);
}

function nextSort({ sort }: FleetView): FleetView['sort'] {
  return SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'trouble';
}
