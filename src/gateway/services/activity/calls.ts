import type { CallEvent, CallStatus } from '../../../contract/events/catalogue.js';
import type { GroupSender } from '../../../contract/events/envelope.js';
import { type Address, parseJid, personOf } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import type { Clock } from '../../../domain/clock.js';
import type { CallStep, LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import type { Recorder } from '../history/recorder.js';
import type { Contacts } from '../identities/contacts.js';
import type { KnownGroups } from '../identities/known-groups.js';
import { jidsOf } from '../identities/parties.js';
import type { Announcements } from '../receivers/announce.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import type { StoreRetry } from '../store-retry.js';
import { conversationOf, isOwn, viewOf } from './conversation.js';
import { SessionQueue } from './queue.js';

/** Calls of all sessions whose statuses are remembered. */
const MAX_CALLS = 5_000;
/** Milliseconds after which a call no longer rings: phones give up after a minute. */
const RINGS_MS = 60_000;
/** Milliseconds after which a call counts as missed when the network never says how it ended. */
const FORGOTTEN_MS = 120_000;
/** Milliseconds that an old call from the offline queue waits for its end, which is in the same queue. */
const SETTLE_MS = 1_500;

/** Final statuses. */
const LAST: ReadonlySet<CallStatus> = new Set(['reject', 'missed', 'ended']);

/** A call that rings, or that ended a short time ago. */
interface Call {
  first: CallStep;
  statuses: Set<CallStatus>;
  /** True from the moment in which the gateway declines the call. */
  rejected: boolean;
  cancel(): void;
}

/**
 * Announces the statuses of calls, writes missed calls to the history, and declines calls if the session asks for that.
 * The link has acknowledged a step to the network before it arrives here.
 */
export class Calls implements SessionPart {
  readonly #options;
  readonly #calls = boundedCache<Call>(MAX_CALLS, { dispose: (call) => call.cancel() });
  readonly #queue: SessionQueue;

  constructor(options: {
    contacts: Contacts;
    groups: Pick<KnownGroups, 'find'>;
    recorder: Pick<Recorder, 'add'>;
    links: Pick<LinkFactory, 'encode'>;
    announcements: Pick<Announcements, 'optIn'>;
    retry: StoreRetry;
    observer: { called(status: CallStatus): void };
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#queue = new SessionQueue('a call', options.log);
  }

  hear(heard: SessionEvent): void {
    if (heard.type === 'link' && heard.event.type === 'call') this.take(heard.session, heard.event.call);
  }

  /** Handles a step of a call that the network reported. */
  take(session: Session, step: CallStep): void {
    const { record } = session;
    if (isOwn(record, personOf(step.from, step.fromAlt))) return;
    const key = keyOf(record.clientId, step.callId);
    const known = this.#calls.get(key);
    if (step.step === 'offer' && known) return;
    const call = known ?? this.#keep(key, step);
    if (step.step === 'offer') this.#ring(session, call);
    else if (step.step === 'end')
      this.#tell(record, call, step, call.statuses.has('accept') ? 'ended' : 'missed');
    else this.#tell(record, call, step, step.step);
  }

  idle(clientId?: string): Promise<void> {
    return this.#queue.idle(clientId);
  }

  abort(clientId: string): void {
    this.forget(clientId);
  }

  async end(clientId: string): Promise<void> {
    this.forget(clientId);
    await this.#queue.idle(clientId);
  }

  forget(clientId: string): void {
    for (const key of this.#calls.keys()) if (key.startsWith(keyOf(clientId, ''))) this.#calls.delete(key);
  }

  /** Drops the calls that ring now: after the next start the network reports how they ended. */
  async stop(): Promise<void> {
    this.#calls.clear();
    await this.#queue.idle();
  }

  #keep(key: string, first: CallStep): Call {
    const call: Call = { first, statuses: new Set(), rejected: false, cancel: () => undefined };
    this.#calls.set(key, call);
    return call;
  }

  #ring(session: Session, call: Call): void {
    const { clock } = this.#options;
    const { first } = call;
    const isOver = first.offline && clock.now() - first.timestamp > RINGS_MS;
    if (!isOver) {
      this.#tell(session.record, call, first, 'offer');
      if (session.record.rejectCalls) void this.#reject(session, call);
    }
    call.cancel = clock.after(isOver ? SETTLE_MS : FORGOTTEN_MS, () =>
      this.#tell(session.record, call, first, 'missed'),
    );
  }

  async #reject(session: Session, call: Call): Promise<void> {
    const { callId, from } = call.first;
    const { clientId, link } = session;
    if (!link) return;
    // set before the rejection is sent: the caller's phone may end the call before the network acknowledges it
    call.rejected = true;
    try {
      await link.rejectCall(callId, from);
      this.#tell(session.record, call, call.first, 'reject');
    } catch (err) {
      call.rejected = false;
      this.#options.log.warn({ err, clientId, callId }, 'call not rejected');
    }
  }

  /** Announces a status once, and none after a final status. */
  #tell(record: SessionRecord, call: Call, step: CallStep, told: CallStatus): void {
    const status = told === 'missed' && call.rejected ? 'reject' : told;
    const isOver = [...call.statuses].some((earlier) => LAST.has(earlier));
    const isLate = call.statuses.has('accept') && status !== 'ended';
    if (isOver || isLate || call.statuses.has(status)) return;
    call.statuses.add(status);
    if (status !== 'offer') call.cancel();
    // a copy: a pairing that begins meanwhile does not concern this call
    const session = { ...record };
    this.#queue.add(session.clientId, () => this.#announce(session, call, step, status));
  }

  async #announce(session: SessionRecord, call: Call, step: CallStep, status: CallStatus): Promise<void> {
    const { contacts, announcements, observer, retry } = this.#options;
    const { first } = call;
    const caller = personOf(first.from, first.fromAlt);
    const pushName = step.pushName || first.pushName;
    const learnt = { ...caller, ...(pushName && { pushName }), source: 'call' };
    const contact =
      caller.lid || caller.pn ? await retry.run(() => contacts.learn(session.clientId, learnt)) : undefined;
    const view = viewOf(caller, contact);
    const remote = remoteOf(first, contact);
    // a call that ended while the session was offline keeps the time at which it rang
    const at = first.offline ? first.timestamp : step.timestamp;
    const event: CallEvent = {
      event: 'call',
      type: 'call',
      ...conversationOf(session, remote, at),
      callId: first.callId,
      status,
      from: view.user,
      fromPhone: view.phone,
      fromName: view.name,
      isVideo: first.isVideo ?? false,
      rejected: status === 'reject' && call.rejected,
      offline: first.offline,
    };
    if (!(await this.#record(session, event, at, contact))) return;
    observer.called(status);
    announcements.optIn(session, event);
  }

  /** Writes a call to the history. @returns false if the history already has the call, because it was announced before a restart */
  async #record(
    session: SessionRecord,
    event: CallEvent,
    sentAt: number,
    contact: Contact | undefined,
  ): Promise<boolean> {
    const { status, callId, isVideo, isGroup, rejected, chatRoomId, myLid, clientLid, remoteJid } = event;
    if (!session.orgId || !(status === 'missed' || rejected)) return true;
    const { recorder, links, retry, groups } = this.#options;
    const subject = isGroup ? ((await groups.find(session.clientId, remoteJid))?.subject ?? '') : '';
    const body = `${status === 'missed' ? 'Missed' : 'Rejected'} ${isVideo ? 'video' : 'voice'} call`;
    const author = contact ? { fromMe: false, lid: contact.lid, pn: contact.pn } : { fromMe: false };
    const name = isGroup ? subject : event.fromName || event.fromPhone;
    const room = { chatRoomId, name, myLid, clientLid, isGroup, remoteJid, lastMessage: body, unread: true };
    const row = {
      messageId: callId,
      chatRoomId,
      body,
      messageType: 'call',
      fromMe: false,
      author: jidsOf(author)[0] ?? '',
      pushname: contact?.pushName ?? '',
      sentAt,
      deleted: false,
      fromAi: false,
      media: undefined,
      fileId: '',
      extras: { call: { status, isVideo, isGroup }, ...(isGroup && { group: groupOf(event, subject) }) },
      content: links.encode({}),
    };
    return retry.run(() => recorder.add(session.clientId, room, row));
  }
}

/** The group of a call and its caller, in the form of messages. */
function groupOf({ remoteJid, from, fromPhone }: CallEvent, subject: string): GroupSender {
  return { jid: remoteJid, subject, participant: from, ...(fromPhone && { participantPhone: fromPhone }) };
}

/** The conversation of a call: its group, or the caller by LID where it is known. */
function remoteOf({ group, from }: CallStep, contact: Contact | undefined): Address {
  const place = group ? parseJid(group) : undefined;
  if (place) return place;
  if (contact?.lid) return { kind: 'lid', user: contact.lid };
  return parseJid(from) ?? { kind: 'pn', user: contact?.pn ?? '' };
}

function keyOf(clientId: string, callId: string): string {
  return `${clientId} ${callId}`;
}
