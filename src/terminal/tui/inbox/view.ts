import type { InboxModel, Notice } from '../../cli/inbox/model.js';
import type { PairItem } from '../../cli/pair.js';
import type { Press } from '../press.js';
import type { Store, TerminalSize } from '../screen.js';
import {
  type Draft,
  type Drawing,
  draftKey,
  initialView,
  type Shown,
  shownOf,
  type ViewState,
} from './view-state.js';

/** What the operator entered to pair a number. */
export interface PairRequest {
  clientId: string;
  /** Workspace; without one no history is stored. */
  orgId: string | undefined;
  /** Pairs by code instead of QR if given. */
  phone: string | undefined;
}

export interface InboxViewOptions {
  size: TerminalSize;
  /** The terminal's abilities, and the time. */
  drawing(): Drawing;
  pair(request: PairRequest, signal: AbortSignal): AsyncIterable<PairItem>;
  leave(): void;
}

/** Handles a press. @returns false if it is not bound here */
export type Keys = (view: InboxView, press: Press) => boolean;

/** The observable state of the screen; the functions in `keys/` change it. */
export class InboxView implements Store<ViewState> {
  readonly model: InboxModel;
  readonly options: InboxViewOptions;
  #state: ViewState;
  readonly #listeners = new Set<() => void>();

  constructor(model: InboxModel, options: InboxViewOptions) {
    this.model = model;
    this.options = options;
    this.#state = initialView(options.size);
  }

  get state(): ViewState {
    return this.#state;
  }

  get shown(): Shown {
    return shownOf(this.model, this.#state);
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  change(change: Partial<ViewState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }

  resize(size: TerminalSize): void {
    const { columns, rows } = this.#state.size;
    if (size.columns !== columns || size.rows !== rows) this.change({ size });
  }

  say(level: Notice['level'], text: string, suggestions: readonly string[] = []): void {
    this.change({ notice: { level, text, suggestions } });
  }

  /** Removes the notice, of the screen or of the model. */
  readonly dismissNotice = (): void => {
    this.change({ notice: undefined });
    this.model.dismissNotice();
  };

  /** Stores the unsent text of a room, by default of the open one. */
  keepDraft(draft: Draft, key = draftKey(this.model.state)): void {
    this.change({ drafts: new Map(this.#state.drafts).set(key, draft) });
  }

  /** Stops a running pairing. */
  close(): void {
    if (this.#state.overlay?.type === 'pairing') this.#state.overlay.stop();
  }
}
