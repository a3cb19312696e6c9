import type { Clock } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import type { SessionEffect } from '../../domain/session.js';
import { CLOSE_REACTIONS, isTerminal, type SessionInput, transition } from '../../domain/session.js';
import type { Link, LinkEvent, LinkFactory, OwnIdentity } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Admission } from './admission.js';
import { type BackoffOptions, backoffDelay, longestDelay, STABLE_AFTER_MS } from './backoff.js';
import { bindKeys } from './link-keys.js';
import { describeReason, requireReconnectable } from './reasons.js';
import { RecordWriter } from './record-writer.js';
import { isStep, type Step } from './steps.js';
import { Waiters } from './waiters.js';

/** What a session needs of the house. */
export interface SessionContext {
  store: Store;
  links: LinkFactory;
  admission: Admission;
  clock: Clock;
  backoff: BackoffOptions;
  log: Logger;
  /** Whether this node may serve the session at this instant. */
  holds(clientId: string): boolean;
  /** The same by the store's word. @throws GatewayError session_elsewhere, store_unavailable */
  confirm(clientId: string): Promise<void>;
  /** Told of every change of status, after it. */
  onStatus(session: Session, previous: SessionRecord['status']): void;
  /** Told of everything else that the link says, in order. */
  onLinkEvent(session: Session, event: LinkEvent): void;
}

/** Milliseconds that a link may take to end that was told to, at most; ending in good order takes less. */
const RENEW_MS = 5_000;

/** One linked number: the only writer of its status, and the owner of its link. */
export class Session {
  record: SessionRecord;
  qr = '';
  reconnects = 0;
  /** Milliseconds since the epoch; 0 while not connected. */
  connectedAt = 0;
  lastDisconnect = '';
  /** Milliseconds since the epoch: when the next connection is tried; 0 while none waits. */
  retryAt = 0;
  readonly #context: SessionContext;
  readonly #log: Logger;
  #link: Link | undefined;
  /** Set while a link is wanted but not open yet, so that it is not asked for twice. */
  #connecting = false;
  #failures = 0;
  #cancelTimer: (() => void) | undefined;
  #ended = false;
  /** Credentials are kept that must not be used any more. */
  #mustDrop = false;
  readonly #writer: RecordWriter;
  readonly #waiters: Waiters;
  /** Gives back the place among those that connect. */
  #leaveAdmission: () => void = () => undefined;
  #effects: Promise<void> = Promise.resolve();

  constructor(record: SessionRecord, context: SessionContext) {
    this.record = record;
    this.#context = context;
    this.#waiters = new Waiters(context.clock);
    this.#writer = new RecordWriter(record.clientId, context.store.sessions);
    this.#log = context.log.child({ clientId: record.clientId });
  }

  get clientId(): string {
    return this.record.clientId;
  }

  get link(): Link | undefined {
    return this.#link;
  }

  get me(): OwnIdentity {
    const { jid, lid, pn, name } = this.record;
    return { jid, lid, pn, name };
  }

  /** True once a pairing has finished and until it is thrown away. */
  get isPaired(): boolean {
    return this.record.jid !== '' && !isTerminal(this.record.status);
  }

  /** An operator's `/start`. */
  async start(): Promise<void> {
    await this.#apply('start', '');
  }

  /**
   * Connects again, now: ends a live link, and waits for nothing that a lost one would wait for.
   * @throws GatewayError session_terminal, session_unpaired
   */
  async reconnect(): Promise<void> {
    requireReconnectable(this.record);
    this.#failures = 0;
    const link = this.#link;
    if (!link) return this.#apply('start', '');
    link.renew();
    await this.#waiters.until(() => this.#link !== link, RENEW_MS);
  }

  /** Brings a paired session back after a restart of the daemon, when there is room. */
  resume(): void {
    if (this.isPaired) this.#connect({ urgent: false });
  }

  /**
   * The link, once the session is connected.
   * @param timeoutMs how long to wait for a connection that is coming back.
   * @param before a link that is of no use any more, whether its end has been told or not.
   * @returns undefined when it did not come in time.
   */
  async connected(timeoutMs: number, before?: Link): Promise<Link | undefined> {
    const isUp = () => this.#isUp() && this.#link !== before;
    await this.#waiters.until(() => isUp() || this.#ended || isTerminal(this.record.status), timeoutMs);
    return isUp() ? this.#link : undefined;
  }

  /** A link that can take a pairing code: open, unpaired and showing a QR. */
  async pairingLink(timeoutMs: number): Promise<Link> {
    if (this.isPaired) throw new GatewayError('session_already_paired', 'this session is already paired');
    const { record } = this;
    const settled = () => record.status === 'qr' || this.#isUp() || this.#ended || isTerminal(record.status);
    await this.#waiters.until(settled, timeoutMs);
    if (!this.#link || this.record.status !== 'qr') {
      throw new GatewayError(
        'pairing_code_refused',
        'the network did not open a pairing; call /start and retry',
      );
    }
    return this.#link;
  }

  /** Changes settings, in the store first. */
  async update(changes: Partial<Omit<SessionRecord, 'clientId'>>): Promise<void> {
    const updated = await this.#context.store.sessions.update(this.clientId, changes);
    if (!updated)
      throw new GatewayError('session_unknown', `unknown clientId ${this.clientId}; call /start first`);
    Object.assign(this.record, changes);
  }

  /** Unlinks the device; true when the network confirmed it. The session is not usable afterwards. */
  async logout(): Promise<boolean> {
    this.#end();
    const link = this.#takeLink();
    const confirmed = link ? await link.logout().catch(() => false) : false;
    await Promise.allSettled([this.#effects, this.#writer.idle()]);
    return confirmed;
  }

  /** Ends the link at this instant and writes nothing more: the session is another node's. */
  abandon(): void {
    this.#end();
    this.#takeLink()?.cut();
  }

  /** Closes the link and keeps everything for the next start of the daemon, or for another node. */
  async stop(): Promise<void> {
    this.#end();
    await this.#takeLink()?.close();
    await this.#writer.flush();
  }

  #end(): void {
    this.#ended = true;
    this.#cancelTimer?.();
    this.#waiters.notify();
  }

  #isUp(): boolean {
    return this.record.status === 'connected' && this.#link !== undefined;
  }

  async #apply(input: SessionInput, reason: string): Promise<void> {
    if (this.#ended) return;
    const previous = this.record.status;
    const { status, effects } = transition(previous, input);
    if (status !== 'qr') this.qr = '';
    if (status !== previous) this.record.statusSince = this.#context.clock.now();
    const changed = status !== previous || (reason !== '' && reason !== this.record.statusReason);
    Object.assign(this.record, {
      status,
      statusReason: status === 'connected' || input === 'start' ? '' : reason,
    });
    // one after another: a link must not open while the credentials of the former one are being dropped
    this.#effects = this.#effects.catch(() => undefined).then(() => this.#perform(effects));
    const work = this.#effects;
    const drops = effects.includes('drop_credentials');
    this.#mustDrop ||= drops;
    if (changed) {
      // a status that says "pair fresh" must not be found beside the old credentials after a crash
      if (drops) this.#settle(work.then(() => this.#persistStatus()));
      else this.#persistStatus();
      this.#context.onStatus(this, previous);
    }
    this.#waiters.notify();
    await work;
  }

  async #perform(effects: readonly SessionEffect[]): Promise<void> {
    for (const effect of effects) {
      if (effect === 'drop_link') await this.#dropLink();
      if (effect === 'drop_credentials') await this.#dropCredentials();
      // what a store that was away did not drop is dropped before anything is opened with it
      if (effect === 'connect' && this.#mustDrop) await this.#dropCredentials();
      if (effect === 'connect') this.#connect({ urgent: true });
      if (effect === 'connect_again') this.#connectAfter(this.#failures > 1 ? this.#nextDelay() : 0);
      if (effect === 'connect_after_backoff') this.#connectAfter(this.#nextDelay());
      if (effect === 'connect_after_longest_backoff') {
        this.#connectAfter(longestDelay(this.#context.backoff));
      }
    }
  }

  #nextDelay(): number {
    return backoffDelay(this.#failures, this.#context.backoff);
  }

  #connectAfter(delayMs: number): void {
    this.#cancelTimer?.();
    if (delayMs === 0) {
      this.#connect({ urgent: true });
      return;
    }
    this.retryAt = this.#context.clock.now() + delayMs;
    this.#cancelTimer = this.#context.clock.after(delayMs, () => this.#connect({ urgent: false }));
  }

  #connect(options: { urgent: boolean }): void {
    if (this.#link || this.#connecting || this.#ended) return;
    this.#cancelTimer?.();
    this.retryAt = 0;
    this.#connecting = true;
    this.#context.admission.enter(() => this.#open(), options);
  }

  /** Opens the link and resolves when its first outcome is known. */
  #open(): Promise<void> {
    this.#connecting = false;
    if (this.#ended || this.#link || isTerminal(this.record.status)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#leaveAdmission = resolve;
      const link: Link = this.#context.links.open({
        clientId: this.clientId,
        keys: bindKeys(this.#context.store, this.clientId, this.#context.confirm),
        mayAct: () => this.#context.holds(this.clientId),
        wantsHistory: () => this.record.orgId !== '',
        findSent: async (id) => (await this.#context.store.sends.get(this.clientId, id))?.content,
        // an event may come before `open` returns; the microtask makes sure that the link is in its place
        emit: (event) => queueMicrotask(() => this.#hear(link, event)),
      });
      this.#link = link;
    });
  }

  /** Nothing that a link says may end the process: nobody else is to suffer for one stanza. */
  #hear(link: Link, event: LinkEvent): void {
    try {
      this.#onLinkEvent(link, event);
    } catch (error) {
      this.#log.error({ err: error, event: event.type }, 'what the link told could not be worked off');
    }
  }

  #onLinkEvent(link: Link, event: LinkEvent): void {
    // news count also from a link that was just dropped
    if (!isStep(event)) this.#context.onLinkEvent(this, event);
    else if (link === this.#link) this.#onStep(event);
  }

  #onStep(event: Step): void {
    if (event.type !== 'paired') this.#leaveAdmission();
    if (event.type === 'closed') {
      this.#onClosed(event.reason, event.detail);
      return;
    }
    if (event.type === 'qr') this.qr = event.qr;
    else this.#adopt(event.me);
    if (event.type === 'open') this.connectedAt = this.#context.clock.now();
    if (event.type === 'paired') this.#failures = 0;
    this.#settle(this.#apply(event.type, ''));
  }

  #onClosed(reason: keyof typeof CLOSE_REACTIONS, detail: string): void {
    const heldMs = this.connectedAt ? this.#context.clock.now() - this.connectedAt : 0;
    this.#failures = heldMs >= STABLE_AFTER_MS ? 1 : this.#failures + 1;
    if (this.connectedAt) this.reconnects += 1;
    this.connectedAt = 0;
    this.#link = undefined;
    this.#log.info({ reason, detail, failures: this.#failures }, 'link closed');
    const reaction = CLOSE_REACTIONS[reason];
    // a connection that the network wants anew, as after each pairing, is no trouble to tell of
    const trouble =
      reaction === 'reconnect_now' && this.#failures === 1 ? '' : describeReason(reason, detail);
    if (trouble) this.lastDisconnect = trouble;
    this.#settle(this.#apply(reaction, trouble));
  }

  #adopt(me: OwnIdentity): void {
    const { jid, lid, pn, name } = this.record;
    if (me.jid === jid && me.lid === lid && me.pn === pn && me.name === name) return;
    Object.assign(this.record, me);
    this.#write({ ...me });
  }

  async #dropLink(): Promise<void> {
    this.#cancelTimer?.();
    this.retryAt = 0;
    await this.#takeLink()?.close();
  }

  /** Takes the link out of its place, so that nothing it still says moves the status. */
  #takeLink(): Link | undefined {
    const link = this.#link;
    this.#link = undefined;
    this.connectedAt = 0;
    this.#leaveAdmission();
    return link;
  }

  async #dropCredentials(): Promise<void> {
    Object.assign(this.record, { jid: '', lid: '', pn: '', name: '' });
    await this.#context.store.keys.clear(this.clientId);
    this.#mustDrop = false;
    this.#write({ jid: '', lid: '', pn: '', name: '' });
  }

  #persistStatus(): void {
    const { status, statusReason, statusSince } = this.record;
    this.#write({ status, statusReason, statusSince });
  }

  #write(changes: Partial<Omit<SessionRecord, 'clientId'>>): void {
    this.#settle(this.#writer.write(changes));
  }

  #settle(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log.error({ err: error }, 'session step failed'));
  }
}
