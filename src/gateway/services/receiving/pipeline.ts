import type { EventEnvelope } from '../../../contract/events/envelope.js';
import type { UnreadableReason } from '../../../domain/unreadable.js';
import { isSilent } from '../../kinds/content.js';
import { withoutQuoted } from '../../kinds/context-info.js';
import type { IncomingMessage } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { FileLinks } from '../files/file-links.js';
import { composeEnvelope } from '../history/envelope.js';
import type { Recorder } from '../history/recorder.js';
import type { Recording } from '../history/recording.js';
import type { Traces } from '../history/traces.js';
import type { Contacts } from '../identities/contacts.js';
import type { KnownGroups } from '../identities/known-groups.js';
import type { LidSearch } from '../identities/lid-search.js';
import {
  type Authorship,
  identifyParties,
  lidOfQuoted,
  mayBeSame,
  type Parties,
} from '../identities/parties.js';
import type { PersonRooms } from '../identities/person-rooms.js';
import type { Pictures } from '../identities/pictures.js';
import { Interrupted, isStillToDo, type StoreRetry } from '../store-retry.js';
import type { KnownMessages } from './known-messages.js';
import type { Read, Reader } from './read.js';

/** A message that passes through the pipeline: received, or the echo of an own send. */
export interface InboundMessage {
  session: SessionRecord;
  message: IncomingMessage;
  /** `metaData` of an API send. */
  metaData?: Record<string, unknown> | undefined;
  /** File name that the caller of an API send gave; only documents carry it in their content. */
  fileName?: string | undefined;
  /** The reason why the message could not be read; it is announced as unreadable, without content. */
  unreadable?: UnreadableReason | undefined;
  /** Aborted when this node loses the session: nothing more is written or announced. */
  abandoned: AbortSignal;
}

/** A message after its trace and its history row are written. */
interface KeptMessage {
  /** Undefined when nothing is to be announced. */
  event?: EventEnvelope;
  /** False when the history should have the message and has not. */
  recorded: boolean;
}

export interface PipelineOptions {
  retry: StoreRetry;
  contacts: Contacts;
  identities: Pick<PersonRooms, 'current'>;
  lidSearch: Pick<LidSearch, 'complete'>;
  groups: Pick<KnownGroups, 'find' | 'isAdmin'>;
  pictures: Pick<Pictures, 'avatarUrl'>;
  known: KnownMessages;
  traces: Traces;
  reader: Reader;
  recorder: Pick<Recorder, 'record' | 'isDeleted'>;
  fileLinks: Pick<FileLinks, 'linkTo'>;
  observer: { notAdmitted(reason: string): void };
  log: Logger;
}

/** Body of the placeholder row for an unreadable message. */
const UNREADABLE_BODY = 'This message could not be read here; look for it on the phone.';

/** The steps of an admitted message before its announcement: identify → trace → read → compose → record. */
export class ReceivePipeline {
  readonly #options: PipelineOptions;

  constructor(options: PipelineOptions) {
    this.#options = options;
  }

  /**
   * @param isRemembered later messages may refer to it
   * @throws Interrupted, GatewayError store_unavailable after the stop
   */
  async keep(inbound: InboundMessage, isRemembered: boolean): Promise<KeptMessage> {
    const { session, message, abandoned } = inbound;
    if (!inbound.unreadable && isSilent(message.content)) return { recorded: false };
    const { contacts, lidSearch, retry, traces } = this.#options;
    const parties = await retry.run(() => identifyParties(session, message, contacts, lidSearch));
    const traced = isRemembered && traces.remember(session.clientId, message, parties, abandoned);
    // callers may refer to the message as soon as they have its event
    return this.#keep(inbound, parties).finally(() => traced);
  }

  async #keep(inbound: InboundMessage, parties: Parties): Promise<KeptMessage> {
    const { session, metaData, unreadable } = inbound;
    const { observer, identities } = this.#options;
    const isDelivered = parties.remote.kind !== 'group' || session.enableGroupAi;
    if (!isDelivered) observer.notAdmitted('group');
    const read = isDelivered || session.orgId ? await this.#read(inbound, parties) : undefined;
    const composed = read && (await this.#compose(inbound, parties, read));
    if (!composed) return { recorded: true };
    const event = await this.#withoutDeletedQuote(session, read.message, composed);
    const recording = { ...read, event, author: parties.author, metaData, unreadable };
    const { recorded, fileId } = await this.#record(inbound, recording);
    if (!isDelivered) return { recorded };
    // the LID of the other side may have been learnt since the event was composed
    const current = await identities.current(event);
    return { recorded, event: this.#withLink(current, fileId) };
  }

  async #read({ session, message, unreadable }: InboundMessage, parties: Parties): Promise<Read | undefined> {
    if (!unreadable) return this.#options.reader.read(session, message, parties);
    const reading = { type: 'text', body: UNREADABLE_BODY, extra: {} } as const;
    return { message, reading, storedType: 'chat' };
  }

  /** Composes the event of a message; undefined if its author may not change the target. @throws Interrupted */
  async #compose(
    { session, metaData, fileName }: InboundMessage,
    parties: Parties,
    { message, reading }: Read,
  ): Promise<EventEnvelope | undefined> {
    const { known, observer, log } = this.#options;
    const facts = await this.#factsOf(session, message, parties);
    const composed = composeEnvelope({ session, message, reading, parties, metaData, ...facts });
    const event = fileName ? withFileName(composed, fileName) : composed;
    const targetId = event.reaction?.targetId ?? event.edit?.targetId ?? event.revoke?.targetId;
    if (!targetId) return event;
    const target = await known.find(session, parties, targetId);
    const isOwn = isOwnTarget(event, parties.author, target?.author);
    const { clientId, messageId, type } = event;
    if (await this.#mayChange(event, parties, isOwn)) {
      if (event.revoke && target?.author.fromMe) await known.erase(clientId, targetId);
      return withTarget(event, target?.author, isOwn);
    }
    log.warn({ clientId, messageId, type, targetId }, 'dropped: it claims to change the message of another');
    observer.notAdmitted('not the author');
    return undefined;
  }

  /** Removes a quote from event and content if the quoted message was deleted for everyone before this message arrived. */
  async #withoutDeletedQuote(
    { orgId }: SessionRecord,
    { content }: IncomingMessage,
    event: EventEnvelope,
  ): Promise<EventEnvelope> {
    const { retry, recorder } = this.#options;
    const { clientId, chatRoomId, quoted } = event;
    if (orgId === '' || !quoted) return event;
    const { messageId, participant } = quoted;
    const isDeleted = () => recorder.isDeleted(clientId, chatRoomId, { messageId, participant });
    if (!(await retry.run(isDeleted))) return event;
    withoutQuoted(content);
    return { ...event, quoted: { ...quoted, body: '' } };
  }

  /** The fields of an event about the conversation and the quoted message. */
  async #factsOf(session: SessionRecord, { content }: IncomingMessage, { remote, remoteJid }: Parties) {
    const { clientId } = session;
    const { contacts, groups, pictures, retry } = this.#options;
    const [group, avatar, quotedLid] = await Promise.all([
      remote.kind === 'group' ? groups.find(clientId, remoteJid) : undefined,
      retry.run(() => pictures.avatarUrl(clientId, remoteJid)),
      retry.run(() => lidOfQuoted(session, content, contacts)),
    ]);
    return { subject: group?.subject ?? '', avatarUrl: avatar, quotedLid };
  }

  /**
   * Whether the author of an event may make its change: only the author of a message edits it; only the author, or an
   * admin of the group, deletes it.
   * @throws Interrupted when the network could not be asked who is an admin
   */
  async #mayChange(
    { clientId, edit, revoke, isGroup, fromMe }: EventEnvelope,
    { remoteJid, author }: Parties,
    isOwn: boolean,
  ): Promise<boolean> {
    if (isOwn || !(edit || revoke)) return true;
    if (edit || !isGroup) return false;
    if (fromMe) return true;
    const isAdmin = await this.#options.groups.isAdmin(clientId, remoteJid, author);
    if (isAdmin === undefined) throw new Interrupted();
    return isAdmin;
  }

  /** Writes the row. If the history refuses it, the message is announced anyway; during a store outage both wait. */
  async #record(
    { session, abandoned }: InboundMessage,
    recording: Recording,
  ): Promise<{ recorded: boolean; fileId: string }> {
    if (!session.orgId) return { recorded: true, fileId: '' };
    const { retry, recorder, log } = this.#options;
    try {
      return { recorded: true, fileId: await retry.run(() => recorder.record(recording), abandoned) };
    } catch (error) {
      if (isStillToDo(error)) throw error;
      const { clientId, messageId } = recording.event;
      log.error({ err: error, clientId, messageId }, 'message not written to the history');
      return { recorded: false, fileId: '' };
    }
  }

  /** Adds the link to the message's file to the event. A reader who opens the link before the file is stored waits for it. */
  #withLink(event: EventEnvelope, fileId: string): EventEnvelope {
    const { media } = event;
    if (!media || fileId === '') return event;
    return { ...event, media: { ...media, downloadUrl: this.#options.fileLinks.linkTo(fileId, media) } };
  }
}

function withFileName(event: EventEnvelope, given: string): EventEnvelope {
  const { media } = event;
  return media ? { ...event, media: { ...media, fileName: media.fileName || given } } : event;
}

/** Whether an event changes a message of its own author: decided by the stored target, or by the event if the target is not stored. */
function isOwnTarget(
  { revoke }: EventEnvelope,
  author: Authorship,
  targetAuthor: Authorship | undefined,
): boolean {
  return targetAuthor ? mayBeSame(targetAuthor, author) : !revoke?.byAdmin;
}

/** Corrects the event's statements about its target from the stored target. */
function withTarget(
  event: EventEnvelope,
  targetAuthor: Authorship | undefined,
  isOwn: boolean,
): EventEnvelope {
  const { reaction, revoke } = event;
  if (revoke) return { ...event, revoke: { ...revoke, byAdmin: !isOwn } };
  if (!reaction || !targetAuthor) return event;
  return { ...event, reaction: { ...reaction, targetFromMe: targetAuthor.fromMe } };
}
