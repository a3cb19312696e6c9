import type { EventEnvelope } from '../../events/envelope.js';
import type { MediaExtra } from '../../events/extras.js';
import { isSilent } from '../../kinds/silent.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { Contacts } from '../contacts.js';
import type { KnownGroups } from '../groups/known-groups.js';
import type { Recorder } from '../inbox/recorder.js';
import type { Recording } from '../inbox/recording.js';
import type { Identities } from '../people/identities.js';
import type { LidSearch } from '../people/lid-search.js';
import { isStillToDo, type StoreSteps } from '../store-steps.js';
import { type Announcer, announceMessage } from './announce.js';
import type { Arrivals } from './arrivals.js';
import { composeEnvelope } from './compose.js';
import type { KnownMessages } from './known-messages.js';
import { identifyParties, type Parties } from './parties.js';
import { lidOfQuoted } from './quoted-author.js';
import type { Read, Reader } from './read.js';
import { needsAdmin, targetIdOf, withTarget } from './targets.js';
import type { Traces } from './traces.js';

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
  known: KnownMessages;
  traces: Traces;
  reader: Reader;
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
  /** Others will want to know of it. */
  isRemembered: boolean;
  /** Told when the message is remembered, and is in the history or could not be written there. */
  onKept(recorded: boolean): void;
  /** Aborted when its session is not here any more, and did not wait for it: nothing of it is written or told any more. */
  abandoned: AbortSignal;
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

/** `interrupted`: the gateway stopped first, or the session left: whoever has it next takes the message up again. */
export type Outcome = 'done' | 'interrupted';

/** The way of an admitted message: identify → trace → read → record → announce. */
export class MessageWay {
  readonly #options: WayOptions;

  constructor(options: WayOptions) {
    this.#options = options;
  }

  async go(traveller: Traveller): Promise<Outcome> {
    const { session, message, isKept, isRemembered, abandoned } = traveller;
    if (isSilent(message.content)) return 'done';
    const { contacts, lidSearch, steps, traces } = this.#options;
    const parties = await steps.run(() => identifyParties(session, message, contacts, lidSearch));
    const traced = isRemembered && traces.remember(session.clientId, message, parties, abandoned);
    // from the event on callers may refer to the message
    const kept = await this.#keep(traveller, parties).finally(() => traced);
    if (kept === 'interrupted') return kept;
    traveller.onKept(kept.recorded);
    return kept.announced
      ? announceMessage(session, kept.announced, isKept, abandoned, this.#options)
      : 'done';
  }

  /** Reads the message, and writes it to the history where there is one. */
  async #keep(traveller: Traveller, parties: Parties): Promise<Kept | 'interrupted'> {
    const { session, message, metaData } = traveller;
    const { reader, observer, identities } = this.#options;
    const isDelivered = parties.remote.kind !== 'group' || session.enableGroupAi;
    if (!isDelivered) observer.notAdmitted('group');
    const read = isDelivered || session.orgId ? await reader.read(session, message, parties) : 'silent';
    if (read === 'interrupted') return read;
    const event = read === 'silent' ? undefined : await this.#compose(traveller, parties, read);
    if (event === 'interrupted') return event;
    if (!event || read === 'silent') return { recorded: true };
    const { author } = parties;
    const written = await this.#record(traveller, { ...read, event, author, metaData });
    if (written === 'interrupted') return written;
    const { recorded, fileId } = written;
    if (!isDelivered) return { recorded };
    // more may have become known of who it is since it was composed
    const current = await identities.current(event);
    return { recorded, announced: this.#withLink(current, fileId) };
  }

  /** Undefined when it claims to change what it has no right to; `interrupted` when nobody could say whether it has. */
  async #compose(
    { session, metaData }: Traveller,
    parties: Parties,
    { message, reading }: Read,
  ): Promise<EventEnvelope | 'interrupted' | undefined> {
    const { arrivals, known, observer, log } = this.#options;
    const facts = await this.#factsOf(session, message, parties);
    const event = composeEnvelope({ session, message, reading, parties, metaData, ...facts });
    const targetId = targetIdOf(event);
    if (!targetId) return event;
    await arrivals.settled(session.clientId, targetId);
    const target = await known.find(session, parties, targetId);
    const isAllowed =
      !needsAdmin(event, parties.author, target?.author) || (await this.#isAdmin(event, parties));
    if (isAllowed === undefined) return 'interrupted';
    const rightful = isAllowed && withTarget(event, parties.author, target?.author);
    if (rightful) return rightful;
    const { clientId, messageId, type } = event;
    log.warn({ clientId, messageId, type, targetId }, 'dropped: it claims to change the message of another');
    observer.notAdmitted('not the author');
    return undefined;
  }

  /** What an event tells of the conversation and of what it quotes, beside who is in it. */
  async #factsOf(session: SessionRecord, { content }: IncomingMessage, { remote, remoteJid }: Parties) {
    const { clientId } = session;
    const { contacts, groups, avatarUrl, steps } = this.#options;
    const [group, avatar, quotedLid] = await Promise.all([
      remote.kind === 'group' ? groups.find(clientId, remoteJid) : undefined,
      steps.run(() => avatarUrl(clientId, remoteJid)),
      steps.run(() => lidOfQuoted(session, content, contacts)),
    ]);
    return { subject: group?.subject ?? '', avatarUrl: avatar, quotedLid };
  }

  #isAdmin({ clientId }: EventEnvelope, { remoteJid, author }: Parties): Promise<boolean | undefined> {
    return this.#options.groups.isAdmin(clientId, remoteJid, author);
  }

  /** What the history cannot take is announced all the same; while the store is away, or refuses, both wait. */
  async #record({ session, abandoned }: Traveller, recording: Recording): Promise<Recorded | 'interrupted'> {
    if (!session.orgId) return { recorded: true, fileId: '' };
    const { steps, recorder, log } = this.#options;
    try {
      const fileId = await steps.run(async () =>
        abandoned.aborted ? undefined : recorder.record(recording),
      );
      return fileId === undefined ? 'interrupted' : { recorded: true, fileId };
    } catch (error) {
      if (isStillToDo(error)) throw error;
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
}
