import { GatewayError, unknownSession } from '../../../domain/errors.js';
import { type Reason, readReason, reason, sameReason, textOf, writeReason } from '../../../domain/reasons.js';
import { longestPause } from '../../../domain/retry.js';
import {
  CLOSE_REACTIONS,
  isTerminal,
  type SessionEffect,
  type SessionInput,
  transition,
} from '../../../domain/session.js';
import type { Link, LinkEvent, OwnIdentity, PasskeyState, UnreadableMessage } from '../../link/link.js';
import type { WaVersion } from '../../link/wa-versions.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import { isStep, openLink, type Step } from './link-steps.js';
import { linkedAs, unlinked } from './linked-number.js';
import { NextAttempt, Setbacks } from './next-attempt.js';
import { notPairing, type RecordChanges, RecordWriter, shownCause } from './record.js';
import { type ConnectContext, type FactChange, RENEW_MS } from './session-context.js';
import { Waiters } from './waiting.js';

/** Something that happened to a session. */
export type SessionEvent =
  /** The status has changed, or its reason. */
  | { type: 'status'; session: Session; previous: SessionRecord['status'] }
  /** The link reports something that is not about the connection. These events keep their order. */
  | { type: 'link'; session: Session; event: LinkEvent }
  /** A message that could not be read will not become readable any more. */
  | { type: 'stays_unreadable'; session: Session; message: UnreadableMessage }
  | FactChange;

export type SessionContext = ConnectContext & { parts: { tell(event: SessionEvent): void } };

/** One linked number: writes its own status, and owns its link. */
export class Session {
  record: SessionRecord;
  qr = '';
  /** The passkey ceremony of the pairing under way. */
  passkey: PasskeyState | undefined;
  reconnects = 0;
  /** Milliseconds since the epoch; 0 while not connected. */
  connectedAt = 0;
  lastDisconnect: Reason | undefined;
  readonly #context: SessionContext;
  readonly #log: Logger;
  #link: Link | undefined;
  #version: WaVersion | undefined;
  /** A link is queued but not open yet. */
  #connecting = false;
  readonly #setbacks: Setbacks;
  /** Why the last attempt to pair failed; shown beside the next QR code. */
  #pairingTrouble: Reason | undefined;
  readonly #nextAttempt: NextAttempt;
  #ended = false;
  /** Stored credentials that must be deleted before the next connection. */
  #mustDrop = false;
  readonly #writer: RecordWriter;
  readonly #waiters: Waiters;
  /** Makes room for the next session that connects. */
  #leaveAdmission: () => void = () => undefined;
  #effects: Promise<void> = Promise.resolve();

  constructor(record: SessionRecord, context: SessionContext) {
    this.record = record;
    this.#context = context;
    this.#waiters = new Waiters(context.clock);
    this.#nextAttempt = new NextAttempt(context.clock);
    this.#setbacks = new Setbacks(context);
    this.#log = context.log.child({ clientId: record.clientId });
    this.#writer = new RecordWriter(record.clientId, context.store.sessions, this.#log);
  }

  get clientId(): string {
    return this.record.clientId;
  }

  /** The reason of the session's status. */
  get reason(): Reason | undefined {
    return readReason(this.record.statusReason);
  }

  /** Milliseconds since the epoch: when the next attempt to connect begins; 0 when none is planned. */
  get retryAt(): number {
    return this.#nextAttempt.at;
  }

  get link(): Link | undefined {
    return this.#link;
  }

  /** From the end of a pairing until it is dropped. */
  get isPaired(): boolean {
    return this.hasCredentials && !isTerminal(this.record.status);
  }

  /** The device is linked at the network, as far as is known; also while the session is replaced or banned. */
  get hasCredentials(): boolean {
    return this.record.jid !== '' && this.record.status !== 'logged_out';
  }

  /** Nobody has begun to link it: no connection, none planned, and no credentials. */
  get isUntouched(): boolean {
    const isIdle = !this.#link && !this.#connecting && this.retryAt === 0;
    return isIdle && this.record.status === 'initializing' && this.record.jid === '';
  }

  /** An operator's `/start`. */
  async start(): Promise<void> {
    this.#pairingTrouble = undefined;
    const isHeld = this.hasCredentials && isTerminal(this.record.status);
    await this.#apply(isHeld ? 'resume' : 'start');
  }

  /** Connects again at once: ends a live link, and skips the pause after a lost one. */
  async reconnect(): Promise<void> {
    this.#setbacks.forget();
    const link = this.#link;
    if (!link) return this.start();
    link.renew();
    await this.#waiters.until(() => this.#link !== link, RENEW_MS);
  }

  /** Connects a paired session after a restart of the daemon, when the limit allows it. */
  resume(): void {
    if (this.isPaired) this.#connect({ urgent: false });
    else this.#resumeAfterBan();
  }

  /**
   * The link, once the session is connected; undefined when it is not connected in time.
   * @param timeoutMs how long to wait for a connection that is coming back.
   * @param before a link that must not be returned, whether its end was reported or not
   */
  async connected(timeoutMs: number, before?: Link, gone?: AbortSignal): Promise<Link | undefined> {
    const isUp = () => this.#isUp() && this.#link !== before;
    const settled = () => isUp() || this.#ended || isTerminal(this.record.status);
    await this.#waiters.until(settled, timeoutMs, gone);
    return isUp() ? this.#link : undefined;
  }

  /** A link that accepts a pairing code: open, unpaired and showing a QR code. */
  async pairingLink(timeoutMs: number): Promise<Link> {
    if (this.isPaired) throw new GatewayError('session_already_paired', 'this session is already paired');
    const { record } = this;
    const settled = () => record.status === 'qr' || this.#isUp() || this.#ended || isTerminal(record.status);
    await this.#waiters.until(settled, timeoutMs);
    if (!this.#link || this.record.status !== 'qr') throw notPairing();
    return this.#link;
  }

  /** The link of a passkey ceremony. @throws GatewayError passkey_not_asked */
  ceremonyLink(): Link {
    if (this.#link && this.passkey) return this.#link;
    throw new GatewayError('passkey_not_asked', 'the network does not ask this session for a passkey');
  }

  /** Changes settings, in the store first. */
  async update(changes: RecordChanges): Promise<void> {
    if (!(await this.#context.store.sessions.update(this.clientId, changes)))
      throw unknownSession(this.clientId);
    Object.assign(this.record, changes);
  }

  /** Closes the link, as if another client had taken it; it stays closed until an operator takes it up again. */
  park(why: Reason): Promise<void> {
    return this.#apply('replace', why);
  }

  /** Unlinks the device; true when the network confirmed it. The session cannot be used afterwards. */
  async logout(): Promise<boolean> {
    this.#end();
    const link = this.#takeLink();
    const confirmed = link ? await link.logout().catch(() => false) : false;
    await Promise.allSettled([this.#effects, this.#writer.idle()]);
    return confirmed;
  }

  /** The session belongs to another node: cuts the link at once, and writes nothing more. */
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
    this.#nextAttempt.cancel();
    this.#waiters.notify();
  }

  #isUp(): boolean {
    return this.record.status === 'connected' && this.#link !== undefined;
  }

  async #apply(input: SessionInput, why?: Reason): Promise<void> {
    if (this.#ended) return;
    const previous = this.record.status;
    const { status, effects } = transition(previous, input);
    if (status !== 'qr') this.qr = '';
    if (status !== 'banned') this.record.bannedUntil = 0;
    if (status !== previous) this.record.statusSince = this.#context.clock.now();
    const changed = status !== previous || (why !== undefined && !sameReason(why, this.reason));
    const isSilent = status === 'connected' || input === 'start' || input === 'resume';
    const exportedAt = status === 'replaced' ? this.record.exportedAt : 0;
    Object.assign(this.record, { status, exportedAt, statusReason: isSilent ? '' : writeReason(why) });
    // one after another: a link must not open while the credentials of the previous one are being deleted
    this.#effects = this.#effects.catch(() => undefined).then(() => this.#perform(effects));
    const work = this.#effects;
    const drops = effects.includes('drop_credentials');
    this.#mustDrop ||= drops;
    if (changed) {
      // a status that says "pair fresh" must not be found beside the old credentials after a crash
      if (drops) this.#settle(work.then(() => this.#persistStatus()));
      else this.#persistStatus();
      this.#context.parts.tell({ type: 'status', session: this, previous });
    }
    this.#waiters.notify();
    await work;
  }

  async #perform(effects: readonly SessionEffect[]): Promise<void> {
    for (const effect of effects) {
      if (effect === 'drop_link') await this.#dropLink();
      if (effect === 'resume_after_ban') this.#resumeAfterBan();
      if (effect === 'drop_credentials') await this.#dropCredentials();
      // credentials that an outage kept from being deleted are deleted before a link opens with them
      if (effect === 'connect' && this.#mustDrop) await this.#dropCredentials();
      if (effect === 'connect') this.#connect({ urgent: true });
      if (effect === 'connect_again')
        this.#connectAfter(this.#setbacks.count > 1 ? this.#setbacks.pauseMs() : 0);
      if (effect === 'connect_after_backoff') this.#connectAfter(this.#setbacks.pauseMs());
      if (effect === 'connect_after_longest_backoff') this.#connectAfter(longestPause(this.#context.backoff));
    }
  }

  #resumeAfterBan(): void {
    const { status, bannedUntil } = this.record;
    if (status !== 'banned' || bannedUntil === 0 || !this.hasCredentials) return;
    this.#nextAttempt.plan(bannedUntil, () => this.#settle(this.#apply('resume')));
  }

  #connectAfter(delayMs: number): void {
    const at = this.#context.clock.now() + delayMs;
    if (delayMs === 0) this.#connect({ urgent: true });
    else this.#nextAttempt.plan(at, () => this.#connect({ urgent: this.#setbacks.failures === 0 }));
  }

  #connect(options: { urgent: boolean }): void {
    if (this.#link || this.#connecting || this.#ended) return;
    this.#nextAttempt.cancel();
    this.#connecting = true;
    this.#context.admission.enter(() => this.#open(), options);
  }

  /** Opens the link and resolves when its first outcome is known. */
  #open(): Promise<void> {
    this.#connecting = false;
    if (this.#ended || this.#link || isTerminal(this.record.status)) return Promise.resolve();
    this.#version = this.#context.versions?.current().version;
    return new Promise((resolve) => {
      this.#leaveAdmission = resolve;
      const link: Link = openLink(this.#context, this.record, this.#version, (event) =>
        // an event may come before `open` returns; the microtask makes sure that the link is in its place
        queueMicrotask(() => this.#hear(link, event)),
      );
      this.#link = link;
    });
  }

  /** An error in handling one event must not end the process and all other sessions with it. */
  #hear(link: Link, event: LinkEvent): void {
    try {
      // messages and receipts count also from a link that was just dropped
      if (!isStep(event)) this.#context.parts.tell({ type: 'link', session: this, event });
      else if (link === this.#link) this.#onStep(event);
    } catch (error) {
      this.#log.error({ err: error, event: event.type }, 'link event not handled');
    }
  }

  #onStep(event: Step): void {
    if (event.type !== 'paired') this.#leaveAdmission();
    switch (event.type) {
      case 'passkey':
        this.passkey = event.state;
        // the QR code was scanned: no other phone should scan it
        this.qr = '';
        this.#remark(reason('passkey', { kind: event.state.step }));
        return;
      case 'passkey-failed':
      case 'pairing-failed':
        this.#pairingTrouble = event.reason;
        this.#remark(event.reason);
        return;
      case 'closed':
        this.#onClosed(event);
        return;
      case 'qr':
        this.passkey = undefined;
        this.qr = event.qr;
        this.#settle(this.#apply('qr', this.#pairingTrouble));
        return;
      case 'open':
        this.connectedAt = this.#context.clock.now();
        break;
      case 'paired':
        this.#setbacks.forget();
    }
    this.passkey = undefined;
    this.#pairingTrouble = undefined;
    this.#adopt(event.me);
    this.#settle(this.#apply(event.type));
  }

  /** Shows a reason without a change of status. */
  #remark(why: Reason): void {
    if (sameReason(why, this.reason)) return;
    this.record.statusReason = writeReason(why);
    this.#persistStatus();
    this.#context.parts.tell({ type: 'status', session: this, previous: this.record.status });
    this.#waiters.notify();
  }

  #onClosed({ reason: cause, retryAfterMs = 0 }: Extract<LinkEvent, { type: 'closed' }>): void {
    const wasUp = this.connectedAt > 0;
    this.#setbacks.add(wasUp ? this.#context.clock.now() - this.connectedAt : undefined);
    if (wasUp) this.reconnects += 1;
    this.connectedAt = 0;
    this.#link = undefined;
    this.passkey = undefined;
    if (cause.code === 'pairing_refused') this.#pairingTrouble = cause;
    const { failures } = this.#setbacks;
    this.#log.info({ reason: cause.code, detail: textOf(cause), failures }, 'link closed');
    const reaction = CLOSE_REACTIONS[cause.code];
    this.record.bannedUntil = retryAfterMs > 0 ? this.#context.clock.now() + retryAfterMs : 0;
    // a reconnect that the network asks for, as after each pairing, is not reported
    const isUsual = reaction === 'reconnect_now' && this.#setbacks.count === 1;
    const trouble = isUsual ? undefined : shownCause(cause, this.record);
    if (trouble) this.lastDisconnect = trouble;
    this.#settle(this.#apply(reaction, trouble));
    if (cause.code === 'client_outdated') this.#settle(this.#onOutdated());
  }

  /** Connects at once when a newer version is found; otherwise says what was tried. */
  async #onOutdated(): Promise<void> {
    const { versions } = this.#context;
    const refused = this.#version;
    if (!versions || !refused) return;
    const found = await versions.outdated(refused, this.record.proxy);
    if (this.#ended || this.#link || isTerminal(this.record.status)) return;
    if (found === 'newer') this.#connect({ urgent: false });
    else this.#remark(found);
  }

  #adopt(me: OwnIdentity): void {
    const changes = linkedAs(this.record, me, this.#context.clock.now());
    if (!changes) return;
    Object.assign(this.record, changes);
    this.#writer.note(changes);
  }

  async #dropLink(): Promise<void> {
    this.#nextAttempt.cancel();
    await this.#takeLink()?.close();
  }

  /** Detaches the link, so that its later events do not change the status. */
  #takeLink(): Link | undefined {
    const link = this.#link;
    this.#link = undefined;
    this.passkey = undefined;
    this.connectedAt = 0;
    this.#leaveAdmission();
    return link;
  }

  async #dropCredentials(): Promise<void> {
    const changes = unlinked(this.record);
    Object.assign(this.record, changes);
    await this.#context.store.keys.clear(this.clientId);
    this.#mustDrop = false;
    this.#writer.note(changes);
  }

  #persistStatus(): void {
    const { status, statusReason, statusSince, bannedUntil, exportedAt } = this.record;
    this.#writer.note({ status, statusReason, statusSince, bannedUntil, exportedAt });
  }

  #settle(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.#log.error({ err: error }, 'session step failed'));
  }
}
