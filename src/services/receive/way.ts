import type { DeliveryResult } from '../../delivery/dispatch.js';
import { isGatewayError } from '../../domain/errors.js';
import type { GatewayEvent } from '../../events/catalogue.js';
import type { EventEnvelope } from '../../events/envelope.js';
import type { MediaExtra } from '../../events/extras.js';
import { readContent } from '../../kinds/index.js';
import type { Reading, StoredType } from '../../kinds/kind.js';
import { isSilent } from '../../kinds/silent.js';
import { unknownName } from '../../kinds/unknown.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { KnownGroups } from '../groups/known-groups.js';
import type { Recorder } from '../inbox/recorder.js';
import type { Recording } from '../inbox/recording.js';
import type { Identities } from '../people/identities.js';
import type { LidSearch } from '../people/lid-search.js';
import type { StoreSteps } from '../store-steps.js';
import type { Arrivals } from './arrivals.js';
import { composeEnvelope } from './compose.js';
import { type Opener, sealedPart } from './open.js';
import { identifyParties, type Parties, roomIdOf } from './parties.js';
import type { PollOptions } from './poll-options.js';
import { needsAdmin, targetIdOf, withTarget } from './targets.js';
import type { Traces } from './traces.js';
import { readVote } from './votes.js';

/** Where events go. */
export interface Announcer {
  announce(
    event: GatewayEvent,
    receiver: { url: string; token: string } | undefined,
    options?: { keptByCaller?: boolean },
  ): Promise<DeliveryResult>;
}

/** What is counted on the way. */
export interface ReceiveObserver {
  received(type: string): void;
  withoutReceiver(): void;
  unknownKind(name: string): void;
  notAdmitted(reason: string): void;
}

export interface WayOptions {
  steps: StoreSteps;
  contacts: Contacts;
  identities: Pick<Identities, 'current'>;
  lidSearch: Pick<LidSearch, 'complete'>;
  groups: Pick<KnownGroups, 'find' | 'isAdmin'>;
  /** Permanent link to the stored picture of a person or a group, by jid; empty when there is none. */
  avatarUrl(clientId: string, jid: string): Promise<string>;
  arrivals: Arrivals;
  traces: Traces;
  opener: Opener;
  pollOptions: PollOptions;
  recorder: Pick<Recorder, 'record'>;
  /** The permanent link to a stored file. */
  linkTo(fileId: string, media: MediaExtra): string;
  announcer: Announcer;
  observer: ReceiveObserver;
  log: Logger;
}

/** A message that was admitted. */
export interface Traveller {
  session: SessionRecord;
  message: IncomingMessage;
  /** Of an API send. */
  metaData?: Record<string, unknown> | undefined;
  /** Somebody keeps it until it has arrived: the journal, or the record of the send. */
  isKept: boolean;
  /** Told when the message is remembered, and is in the history or could not be written there. */
  onKept(recorded: boolean): void;
  /** Aborted when its session is being deleted and did not wait for it: nothing of it is written any more. */
  abandoned: AbortSignal;
}

/** A message that was read: what it says, after whatever was encrypted in it was opened. */
interface Read {
  message: IncomingMessage;
  reading: Reading;
  storedType: StoredType | undefined;
}

/** What is left to do with a message. */
interface Kept {
  /** Undefined when nobody is to be told. */
  announced?: EventEnvelope;
  /** False when it should be in the history and is not. */
  recorded: boolean;
}

/** What became of a message in the history. */
interface Recorded {
  /** False when it should be there and is not. */
  recorded: boolean;
  /** Of its file; empty when it has none. */
  fileId: string;
}

/** `interrupted`: the gateway stopped first, so it must be taken up again at the next start. */
export type Outcome = 'done' | 'interrupted';

/** The way of an admitted message: identify → trace → open → read → record → announce. */
export class MessageWay {
  readonly #options: WayOptions;

  constructor(options: WayOptions) {
    this.#options = options;
  }

  async go(traveller: Traveller): Promise<Outcome> {
    const { session, message, abandoned } = traveller;
    if (isSilent(message.content)) return 'done';
    const { contacts, lidSearch, steps, traces } = this.#options;
    const parties = await steps.run(() => identifyParties(session, message, contacts, lidSearch));
    const traced = isRemembered(message) && traces.remember(session.clientId, message, parties, abandoned);
    // from the event on callers may refer to the message
    const kept = await this.#keep(traveller, parties).finally(() => traced);
    if (kept === 'interrupted') return kept;
    traveller.onKept(kept.recorded);
    return kept.announced ? this.#announce(traveller, kept.announced) : 'done';
  }

  /** Reads the message, and writes it to the history where there is one. */
  async #keep(traveller: Traveller, parties: Parties): Promise<Kept | 'interrupted'> {
    const { session, metaData } = traveller;
    const isDelivered = parties.remote.kind !== 'group' || session.enableGroupAi;
    if (!isDelivered) this.#options.observer.notAdmitted('group');
    const read = isDelivered || session.orgId ? await this.#read(traveller, parties) : 'silent';
    if (read === 'interrupted') return read;
    const event = read === 'silent' ? undefined : await this.#compose(traveller, parties, read);
    if (!event || read === 'silent') return { recorded: true };
    const { author } = parties;
    const { recorded, fileId } = await this.#record(traveller, { ...read, event, author, metaData });
    if (!isDelivered) return { recorded };
    // more may have become known of who it is since it was composed
    const current = await this.#options.identities.current(event);
    return { recorded, announced: this.#withLink(current, fileId) };
  }

  /** Opens what is encrypted once more, and reads it by its kind. */
  async #read({ session, message }: Traveller, parties: Parties): Promise<Read | 'silent' | 'interrupted'> {
    const sealed = sealedPart(message.content);
    if (!sealed) return this.#readPlain(message);
    const { opener, arrivals, pollOptions, log } = this.#options;
    await arrivals.settled(session.clientId, sealed.targetId);
    const opened = await opener.open(session, message, parties, sealed);
    if (opened?.type !== 'vote') return this.#readPlain(opened ? { ...message, ...opened } : message);
    const { lid = '', pn = '' } = parties.author;
    const cast = { ...opened, voter: lid || pn };
    const pollVote = await readVote(session, roomIdOf(session, parties.remote), cast, { pollOptions, log });
    if (!pollVote) return 'interrupted';
    const body = pollVote.selectedOptions.join(', ');
    return {
      message,
      reading: { type: 'vote_update', body, extra: { pollVote } },
      storedType: 'vote_update',
    };
  }

  #readPlain(message: IncomingMessage): Read | 'silent' {
    if (isSilent(message.content)) return 'silent';
    const { kind, reading } = readContent(message.content);
    if (!kind) this.#options.observer.unknownKind(unknownName(message.content));
    return { message, reading, storedType: kind ? kind.storedType : 'chat' };
  }

  /** Undefined when it claims to change what it has no right to. */
  async #compose(
    { session, metaData }: Traveller,
    parties: Parties,
    { message, reading }: Read,
  ): Promise<EventEnvelope | undefined> {
    const { arrivals, traces, observer, log } = this.#options;
    const facts = await this.#factsOf(session, parties);
    const event = composeEnvelope({ session, message, reading, parties, metaData, ...facts });
    const targetId = targetIdOf(event);
    if (!targetId) return event;
    await arrivals.settled(session.clientId, targetId);
    const trace = await traces.find(session.clientId, targetId);
    const isAllowed = !needsAdmin(event, parties.author, trace) || (await this.#isAdmin(event, parties));
    const rightful = isAllowed && withTarget(event, parties.author, trace);
    if (rightful) return rightful;
    const { clientId, messageId, type } = event;
    log.warn({ clientId, messageId, type, targetId }, 'dropped: it claims to change the message of another');
    observer.notAdmitted('not the author');
    return undefined;
  }

  /** What an event tells of the conversation beside who is in it. */
  async #factsOf({ clientId }: SessionRecord, { remote, remoteJid }: Parties) {
    const { groups, avatarUrl, steps } = this.#options;
    const [group, avatar] = await Promise.all([
      remote.kind === 'group' ? groups.find(clientId, remoteJid) : undefined,
      steps.run(() => avatarUrl(clientId, remoteJid)),
    ]);
    return { subject: group?.subject ?? '', avatarUrl: avatar };
  }

  #isAdmin({ clientId }: EventEnvelope, { remoteJid, author }: Parties): Promise<boolean> {
    return this.#options.groups.isAdmin(clientId, remoteJid, author);
  }

  /** What the history cannot take is announced all the same; while the store is away both wait. */
  async #record({ session, abandoned }: Traveller, recording: Recording): Promise<Recorded> {
    if (!session.orgId) return { recorded: true, fileId: '' };
    const { steps, recorder, log } = this.#options;
    try {
      const fileId = await steps.run(async () => (abandoned.aborted ? '' : recorder.record(recording)));
      return { recorded: true, fileId };
    } catch (error) {
      if (isGatewayError(error, 'store_unavailable')) throw error;
      const { clientId, messageId } = recording.event;
      log.error({ err: error, clientId, messageId }, 'message not written to the history');
      return { recorded: false, fileId: '' };
    }
  }

  /** The event is there before the file is: the link waits for it. */
  #withLink(event: EventEnvelope, fileId: string): EventEnvelope {
    const { media } = event;
    if (!media || fileId === '') return event;
    return { ...event, media: { ...media, downloadUrl: this.#options.linkTo(fileId, media) } };
  }

  /** What could neither be delivered nor kept, because the store was away, is announced again. */
  async #announce({ session, isKept }: Traveller, event: EventEnvelope): Promise<Outcome> {
    const { announcer, steps, observer } = this.#options;
    observer.received(event.type);
    if (!session.webhookUrl && !session.orgId) this.#noteNoReceiver(event);
    for (;;) {
      const result = await announcer.announce(event, receiverOf(session), { keptByCaller: isKept });
      if (!result.interrupted) return 'done';
      if (steps.stopped) return 'interrupted';
      await steps.back();
    }
  }

  #noteNoReceiver({ clientId, messageId, type }: EventEnvelope): void {
    const why = 'message not delivered: the session has neither a webhook nor an orgId';
    this.#options.log.info({ clientId, messageId, type }, why);
    this.#options.observer.withoutReceiver();
  }
}

/** Others will want to know of it: it is a message of its own, and can be read without knowing another. */
export function isRemembered({ content }: IncomingMessage): boolean {
  if (isSilent(content) || sealedPart(content)) return false;
  const { kind } = readContent(content);
  return !kind || kind.storedType !== undefined;
}

/** Where a session's events go; undefined when delivery is off. */
export function receiverOf(session: SessionRecord): { url: string; token: string } | undefined {
  return session.webhookUrl ? { url: session.webhookUrl, token: session.webhookToken } : undefined;
}
