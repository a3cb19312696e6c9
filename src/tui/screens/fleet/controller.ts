import type { FleetModel } from '../../../cli/fleet/model.js';
import { arranged, SORTS } from '../../../cli/fleet/order.js';
import type { SessionRow } from '../../../cli/fleet/wire.js';
import type { PairEnd } from '../../../cli/pair.js';
import type { Press } from '../../press.js';
import { insert, pressed } from '../../text/edit.js';
import { moved } from '../../text/window.js';
import {
  confirmation,
  deletionQuestion,
  filterQuestion,
  nameQuestion,
  pairedAlready,
  phoneQuestion,
} from './questions.js';
import { type Ask, FIRST_VIEW, type FleetPage, type FleetView } from './view.js';

/** Rows that a page key moves by. */
const PAGE = 10;

export interface FleetControllerOptions {
  model: FleetModel;
  /** Milliseconds since the epoch, by this machine's clock. */
  now(): number;
  /** Told when the operator has seen enough. */
  leave(): void;
}

/** What the keys do: it holds what is looked at, and acts through the model. */
export class FleetController {
  readonly #options: FleetControllerOptions;
  readonly #model: FleetModel;
  readonly #listeners = new Set<() => void>();
  #view = FIRST_VIEW;

  constructor(options: FleetControllerOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  get state(): FleetView {
    return this.#view;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The sessions that are shown, in their order. */
  rows(): SessionRow[] {
    const { sessions, clockAheadMs } = this.#model.state;
    const { sort, filter } = this.#view;
    return arranged(sessions, { sort, filter, now: this.#options.now() + clockAheadMs });
  }

  press(press: Press): void {
    if (press.type === 'key' && press.key === 'ctrl+c') {
      this.#leave();
      return;
    }
    if (this.#model.state.notice) this.#model.say(undefined);
    if (press.type === 'key') this.#key(press.key);
    else if (press.type === 'text') this.#text(press.text);
    else this.#type(press.text);
  }

  /** The pairing on the screen has ended. */
  paired(end: PairEnd): void {
    const { pairing, before } = this.#view;
    if (!pairing) return;
    this.#change({ page: before, pairing: undefined });
    if (end.type === 'connected') {
      this.#model.say({
        level: 'done',
        text: `${pairing.clientId} is connected as ${end.jid}`,
        suggestions: [],
      });
    } else if (end.code !== 'interrupted') {
      const { reason, suggestions } = end;
      this.#model.say({ level: 'error', text: `${pairing.clientId} is not paired: ${reason}`, suggestions });
    }
  }

  #key(key: string): void {
    const { ask, page } = this.#view;
    if (ask) this.#answer(ask, key);
    else if (page === 'help') this.#change({ page: this.#view.before });
    else if (page === 'pairing') this.#pairingKey(key);
    else if (!this.#commonKey(key, page)) this.#pageKey(key, page);
  }

  #pairingKey(key: string): void {
    if (key === 'escape' || key === 'q') this.#view.pairing?.stop();
  }

  #commonKey(key: string, page: FleetPage): boolean {
    const row = this.#current();
    if (key === 'q') this.#leave();
    else if (key === '?') this.#change({ page: 'help', before: page });
    else if (key === 'r' && row) this.#askToReconnect(row);
    else if (/^p$/i.test(key) && row) this.#askToPair(row, key === 'P');
    else if (key === 'D' && row) this.#ask(deletionQuestion(row, (typed) => this.#disconnect(row, typed)));
    else return false;
    return true;
  }

  #pageKey(key: string, page: FleetPage): void {
    if (page === 'table') this.#tableKey(key);
    else this.#sessionKey(key);
  }

  #tableKey(key: string): void {
    const steps = STEPS[key];
    if (steps !== undefined) this.#select(steps);
    else if (key === 'enter' || key === 'right') this.#open();
    else if (key === 's') this.#change({ sort: nextSort(this.#view) });
    else if (key === '/') this.#ask(filterQuestion(this.#view.filter, (filter) => this.#change({ filter })));
    else if (key === 'n') this.#ask(nameQuestion((clientId) => this.#pair(clientId)));
    else if (key === 'escape') this.#change({ filter: '' });
  }

  #sessionKey(key: string): void {
    const failed = this.#model.state.opened?.failed ?? [];
    const steps = STEPS[key];
    const chosen = failed[Math.min(this.#view.failed, failed.length - 1)];
    if (steps !== undefined) this.#change({ failed: moved(this.#view.failed, steps, failed.length) });
    else if (key === 'escape' || key === 'left') this.#back();
    else if ((key === 's' || key === 'enter') && chosen) void this.#model.resend([chosen.id]);
    else if (key === 'S' && failed.length > 0) this.#askToResend(failed.map(({ id }) => id));
  }

  #select(steps: number): void {
    const rows = this.rows();
    const index = rows.findIndex(({ clientId }) => clientId === this.#view.selected);
    this.#change({ selected: rows[moved(Math.max(0, index), steps, rows.length)]?.clientId });
  }

  #open(): void {
    const row = this.#current();
    if (!row) return;
    this.#model.open(row.clientId);
    this.#change({ page: 'session', selected: row.clientId, failed: 0 });
  }

  #back(): void {
    this.#model.leave();
    this.#change({ page: 'table' });
  }

  /** The session that keys are about. */
  #current(): SessionRow | undefined {
    const { opened, sessions } = this.#model.state;
    if (opened) return sessions.find(({ clientId }) => clientId === opened.clientId);
    const rows = this.rows();
    return rows.find(({ clientId }) => clientId === this.#view.selected) ?? rows[0];
  }

  #answer(ask: Ask, key: string): void {
    if (ask.type === 'confirm') {
      this.#change({ ask: undefined });
      if (/^y$/i.test(key)) ask.yes();
    } else if (key === 'enter') {
      this.#change({ ask: undefined });
      ask.done(ask.edit.text.trim());
    } else if (key === 'escape') {
      this.#change({ ask: undefined });
      ask.cancel?.();
    } else {
      this.#edit(ask, pressed(ask.edit, key) ?? ask.edit);
    }
  }

  /** Keys that were typed fast come as one text; one of them may open a question that the rest answers. */
  #text(text: string): void {
    let rest = text;
    while (rest !== '' && this.#view.ask?.type !== 'input') {
      const [key = ''] = rest;
      this.#key(key);
      rest = rest.slice(key.length);
    }
    if (rest !== '') this.#type(rest);
  }

  #type(text: string): void {
    const { ask } = this.#view;
    if (ask?.type === 'input') this.#edit(ask, insert(ask.edit, text.replaceAll('\n', ' ')));
  }

  #edit(ask: Extract<Ask, { type: 'input' }>, edit: typeof ask.edit): void {
    this.#change({ ask: { ...ask, edit } });
    ask.typed?.(edit.text);
  }

  #askToReconnect({ clientId }: SessionRow): void {
    this.#confirm(`Connect ${clientId} again, now?`, () => void this.#model.reconnect(clientId));
  }

  /** @param byCode a code that is typed on the phone, where no QR can be scanned */
  #askToPair(row: SessionRow, byCode: boolean): void {
    const { clientId } = row;
    const why = pairedAlready(row);
    if (why) this.#model.say({ level: 'warning', text: why, suggestions: [] });
    else if (byCode) this.#ask(phoneQuestion(row, (phone) => this.#pair(clientId, phone)));
    else this.#confirm(`Pair ${clientId} with a phone?`, () => this.#pair(clientId));
  }

  #disconnect({ clientId }: SessionRow, typed: string): void {
    if (typed !== clientId) {
      this.#model.say({ level: 'warning', text: 'nothing was changed', suggestions: [] });
      return;
    }
    if (this.#view.page === 'session') this.#back();
    void this.#model.disconnect(clientId);
  }

  #askToResend(ids: readonly string[]): void {
    this.#confirm(`Send ${ids.length} failed deliveries again?`, () => void this.#model.resend(ids));
  }

  #ask(ask: Ask): void {
    this.#change({ ask });
  }

  #confirm(question: string, yes: () => void): void {
    this.#change({ ask: confirmation(question, yes) });
  }

  #pair(clientId: string, phone?: string): void {
    const before = this.#view.page;
    this.#change({ page: 'pairing', before, pairing: this.#model.pair(clientId, phone), selected: clientId });
  }

  #leave(): void {
    this.#view.pairing?.stop();
    this.#options.leave();
  }

  #change(changes: Partial<FleetView>): void {
    this.#view = { ...this.#view, ...changes };
    for (const listener of this.#listeners) listener();
  }
}

/** How far keys move through a list. */
const STEPS: Readonly<Record<string, number>> = {
  up: -1,
  k: -1,
  down: 1,
  j: 1,
  pageup: -PAGE,
  pagedown: PAGE,
  home: Number.MIN_SAFE_INTEGER,
  g: Number.MIN_SAFE_INTEGER,
  end: Number.MAX_SAFE_INTEGER,
  G: Number.MAX_SAFE_INTEGER,
};

function nextSort({ sort }: FleetView): FleetView['sort'] {
  return SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'trouble';
}
