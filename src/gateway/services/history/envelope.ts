import { type EventEnvelope, eventMeta, type GroupSender } from '../../../contract/events/envelope.js';
import { readContext } from '../../kinds/context-info.js';
import { readContent } from '../../kinds/index.js';
import type { Reading } from '../../kinds/kind.js';
import type { IncomingMessage, MessageContent } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import { type Parties, roomIdOf } from '../identities/parties.js';

interface EnvelopeParts {
  session: SessionRecord;
  message: IncomingMessage;
  reading: Reading;
  parties: Parties;
  metaData?: Record<string, unknown>;
  /** User-part of the quoted message's author; empty when the message names the author, or the author is unknown. */
  quotedLid?: string;
  /** Subject of the group; empty if unknown. */
  subject?: string;
  /** Permanent link to the picture of the group or the other person; empty where there is none. */
  avatarUrl?: string;
}

/** The contract's event for a message. */
export function composeEnvelope(parts: EnvelopeParts): EventEnvelope {
  const { session, message, reading, parties, metaData, quotedLid, subject = '', avatarUrl = '' } = parts;
  const { kind, user: other } = parties.remote;
  const isGroup = kind === 'group';
  const read = (content: MessageContent) => readContent(content).reading;
  const { quoted, referral, mentions, isForwarded } = readContext(message.content, read);
  return {
    event: message.fromMe ? 'message.sent' : 'message.received',
    type: reading.type,
    clientId: session.clientId,
    orgId: session.orgId,
    timestamp: new Date(message.timestamp).toISOString(),
    chatRoomId: roomIdOf(session, parties.remote),
    myLid: session.lid,
    clientLid: kind === 'pn' ? '' : other,
    remoteJid: parties.remoteJid,
    ...remoteNames(isGroup ? undefined : parties.person, subject),
    pushName: message.fromMe ? session.name : message.pushName,
    avatarUrl,
    fromMe: message.fromMe,
    isGroup,
    messageId: message.messageId,
    body: reading.body,
    ...(quoted && { quoted: { ...quoted, ...(quotedLid && { participant: quotedLid }) } }),
    ...(referral && { referral }),
    mentions,
    isForwarded,
    ...(metaData && { meta: eventMeta(metaData) }),
    ...reading.extra,
    ...(isGroup && { group: groupSender(parts, subject) }),
  };
}

/** @param person undefined in a group, which has a subject */
function remoteNames(person: Contact | undefined, subject: string) {
  if (!person) return { remoteName: subject, remotePhone: '', remoteUsername: '' };
  return {
    remoteName: person.name || person.pushName,
    remotePhone: phoneOf(person),
    remoteUsername: person.username,
  };
}

function groupSender({ session, message, parties }: EnvelopeParts, subject: string): GroupSender {
  const person = parties.person;
  const participant = person?.lid || person?.pn || (message.fromMe ? session.lid : '');
  const phone = person ? phoneOf(person) : '';
  return {
    jid: parties.remoteJid,
    subject,
    participant,
    ...(phone && { participantPhone: phone }),
    ...(person?.username && { participantUsername: person.username }),
  };
}

/** The phone number with its plus sign, so that callers can use it as `to` and it is never taken for a LID. */
function phoneOf(contact: Contact): string {
  return contact.pn && `+${contact.pn}`;
}
