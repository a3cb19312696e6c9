import type { FleetModel } from '../../../cli/fleet/model.js';
import { arranged, SORTS } from '../../../cli/fleet/order.js';
import type { SessionRow } from '../../../cli/fleet/wire.js';
import type { PairEnd } from '../../../cli/pair.js';
import { StateBox } from '../../../cli/state-box.js';
import type { Press } from '../../press.js';
import { insert, pressed } from '../../text/edit.js';
import { moved, STEPS } from '../../text/window.js';
import {
  askToDelete,
  askToPair,
  askToReconnect,
  askToResend,
  endPairing,
  goBack,
  startPairing,
} from './acts.js';
import { filterQuestion, nameQuestion } from './questions.js';
import { type Ask, FIRST_VIEW, type FleetPage, type FleetView } from './view.js';

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
  readonly model: FleetModel;
  readonly #box = new StateBox<FleetView>(FIRST_VIEW);

  constructor(options: FleetControllerOptions) {
    this.#options = options;
    this.model = options.model;
  }

  get state(): FleetView {
    return this.#box.state;
  }

  subscribe(listener: () => void): () => void {
    return this.#box.subscribe(listener);
  }

  /** The sessions that are shown, in their order. */
  rows(): SessionRow[] {
    const { sessions, clockAheadMs } = this.model.state;
    const { sort, filter } = this.state;
    return arranged(sessions, { sort, filter, now: this.#options.now() + clockAheadMs });
  }

  /** Looks at it another way. */
  change(changes: Partial<FleetView>): void {
    this.#box.update((view) => ({ ...view, ...changes }));
  }

  press(press: Press): void {
    if (press.type === 'key' && press.key === 'ctrl+c') {
      this.#leave();
      return;
    }
    if (this.model.state.notice) this.model.say(undefined);
    if (press.type === 'key') this.#key(press.key);
    else if (press.type === 'text') this.#text(press.text);
    else this.#type(press.text);
  }

  /** The pairing on the screen has ended. */
  paired(end: PairEnd): void {
    endPairing(this, end);
  }

  #key(key: string): void {
    const { ask, page } = this.state;
    if (ask) this.#answer(ask, key);
    else if (page === 'help') this.change({ page: this.state.before });
    else if (page === 'pairing') this.#pairingKey(key);
    else if (!this.#commonKey(key, page)) this.#pageKey(key, page);
  }

  #pairingKey(key: string): void {
    if (key === 'escape' || key === 'q') this.state.pairing?.stop();
  }

  #commonKey(key: string, page: FleetPage): boolean {
    const row = this.#current();
    if (key === 'q') this.#leave();
    else if (key === '?') this.change({ page: 'help', before: page });
    else if (key === 'r' && row) askToReconnect(this, row);
    else if (/^p$/i.test(key) && row) askToPair(this, row, { byCode: key === 'P' });
    else if (key === 'D' && row) askToDelete(this, row);
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
    else if (key === 's') this.change({ sort: nextSort(this.state) });
    else if (key === '/') this.#ask(filterQuestion(this.state.filter, (filter) => this.change({ filter })));
    else if (key === 'n') this.#ask(nameQuestion((clientId) => startPairing(this, clientId)));
    else if (key === 'escape') this.change({ filter: '' });
  }

  #sessionKey(key: string): void {
    const failed = this.model.state.opened?.failed ?? [];
    const steps = STEPS[key];
    const chosen = failed[Math.min(this.state.failed, failed.length - 1)];
    if (steps !== undefined) this.change({ failed: moved(this.state.failed, steps, failed.length) });
    else if (key === 'escape' || key === 'left') goBack(this);
    else if ((key === 's' || key === 'enter') && chosen) void this.model.resend([chosen.id]);
    else if (key === 'S' && failed.length > 0)
      askToResend(
        this,
        failed.map(({ id }) => id),
      );
  }

  #select(steps: number): void {
    const rows = this.rows();
    const index = rows.findIndex(({ clientId }) => clientId === this.state.selected);
    this.change({ selected: rows[moved(Math.max(0, index), steps, rows.length)]?.clientId });
  }

  #open(): void {
    const row = this.#current();
    if (!row) return;
    this.model.open(row.clientId);
    this.change({ page: 'session', selected: row.clientId, failed: 0 });
  }

  /** The session that keys are about. */
  #current(): SessionRow | undefined {
    const { opened, sessions } = this.model.state;
    if (opened) return sessions.find(({ clientId }) => clientId === opened.clientId);
    const rows = this.rows();
    return rows.find(({ clientId }) => clientId === this.state.selected) ?? rows[0];
  }

  #answer(ask: Ask, key: string): void {
    if (ask.type === 'confirm') {
      this.change({ ask: undefined });
      if (/^y$/i.test(key)) ask.yes();
    } else if (key === 'enter') {
      this.change({ ask: undefined });
      ask.done(ask.edit.text.trim());
    } else if (key === 'escape') {
      this.change({ ask: undefined });
      ask.cancel?.();
    } else {
      this.#edit(ask, pressed(ask.edit, key) ?? ask.edit);
    }
  }

  /** Keys that were typed fast come as one text; one of them may open a question that the rest answers. */
  #text(text: string): void {
    let rest = text;
    while (rest !== '' && this.state.ask?.type !== 'input') {
      const [key = ''] = rest;
      this.#key(key);
      rest = rest.slice(key.length);
    }
    if (rest !== '') this.#type(rest);
  }

  #type(text: string): void {
    const { ask } = this.state;
    if (ask?.type === 'input') this.#edit(ask, insert(ask.edit, text.replaceAll('\n', ' ')));
  }

  #edit(ask: Extract<Ask, { type: 'input' }>, edit: typeof ask.edit): void {
    this.change({ ask: { ...ask, edit } });
    ask.typed?.(edit.text);
  }

  #ask(ask: Ask): void {
    this.change({ ask });
  }

  #leave(): void {
    this.state.pairing?.stop();
    this.#options.leave();
  }
}

function nextSort({ sort }: FleetView): FleetView['sort'] {
  return SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] ?? 'trouble';
}
