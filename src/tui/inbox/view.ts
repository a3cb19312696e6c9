import type { InboxModel, Notice } from '../../cli/inbox/model.js';
import type { PairItem } from '../../cli/pair.js';
import type { Store } from '../hooks/use-store.js';
import type { TerminalSize } from '../hooks/use-terminal-size.js';
import type { Press } from '../press.js';
import { composerKeys } from './keys/composer.js';
import { conversationKeys } from './keys/conversation.js';
import { everywhereKeys } from './keys/everywhere.js';
import { roomKeys, sessionKeys } from './keys/lists.js';
import { overlayKeys } from './keys/overlay.js';
import type { Drawing } from './pictures/drawing.js';
import { draftKey, noticeOf, type Shown, shownOf } from './shown.js';
import { type Draft, initialView, type Pane, type ViewState } from './view-state.js';

/** What a pairing inside the inbox begins with. */
export interface PairRequest {
  clientId: string;
  /** Without a workspace nothing is kept. */
  orgId: string | undefined;
  /** With a number a code is asked for instead of a QR. */
  phone: string | undefined;
}

export interface InboxViewOptions {
  size: TerminalSize;
  /** What the terminal shows, and the time. */
  drawing(): Drawing;
  pair(request: PairRequest, signal: AbortSignal): AsyncIterable<PairItem>;
  leave(): void;
}

/** Takes a key, or not. */
export type Keys = (view: InboxView, press: Press) => boolean;

const KEYS: Readonly<Record<Pane, Keys>> = {
  sessions: sessionKeys,
  rooms: roomKeys,
  conversation: conversationKeys,
  composer: composerKeys,
};

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The operator's side of the inbox: what is highlighted, scrolled and written, and what each key does to it. */
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

  /** Takes away what is said, by the screen or by the model. */
  readonly dismissNotice = (): void => {
    this.change({ notice: undefined });
    this.model.dismissNotice();
  };

  /** Keeps what is written in the open conversation, or in another. */
  keepDraft(draft: Draft, key = draftKey(this.model.state)): void {
    this.change({ drafts: new Map(this.#state.drafts).set(key, draft) });
  }

  press(press: Press): void {
    if (press.type === 'text' || (press.type === 'paste' && press.guessed)) this.#type(press.text);
    else this.#pressOne(press);
  }

  /** Ends what goes on in the background. */
  close(): void {
    if (this.#state.overlay?.type === 'pairing') this.#state.overlay.stop();
  }

  /** Keys that were typed faster than they are read, one by one. Only a message can have several lines. */
  #type(text: string): void {
    for (const { segment, index } of SEGMENTER.segment(text)) {
      const rest = text.slice(index);
      if (this.#isAtMessage() && /\n./s.test(rest)) {
        this.#pressOne({ type: 'paste', text: rest, guessed: true });
        return;
      }
      this.#pressOne(segment === '\n' ? { type: 'key', key: 'enter' } : { type: 'text', text: segment });
      // a question is answered by somebody who has seen it
      if (this.#state.overlay?.type === 'confirm') return;
    }
  }

  #isAtMessage(): boolean {
    const { overlay, pane } = this.shown.view;
    return overlay === undefined && (pane === 'composer' || pane === 'conversation');
  }

  #pressOne(press: Press): void {
    if (press.type === 'key' && press.key === 'ctrl+c') {
      this.options.leave();
      return;
    }
    if (this.#state.overlay) return void overlayKeys(this, press);
    if (press.type === 'key' && press.key === 'escape' && this.#takeNoticeAway()) return;
    if (this.#state.notice) this.change({ notice: undefined });
    if (!KEYS[this.shown.view.pane](this, press)) everywhereKeys(this, press);
  }

  #takeNoticeAway(): boolean {
    if (!noticeOf(this.shown)) return false;
    this.dismissNotice();
    return true;
  }
}
