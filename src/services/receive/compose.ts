import { type EventEnvelope, eventMeta, type GroupSender } from '../../events/envelope.js';
import { readContext } from '../../kinds/context-info.js';
import { readContent } from '../../kinds/index.js';
import type { Reading } from '../../kinds/kind.js';
import type { IncomingMessage, MessageContent } from '../../link/link.js';
import type { Contact, SessionRecord } from '../../store/store.js';
import { type Parties, roomIdOf } from './parties.js';

export interface EnvelopeParts {
  session: SessionRecord;
  message: IncomingMessage;
  reading: Reading;
  parties: Parties;
  metaData?: Record<string, unknown>;
  /** User-part of who wrote what the message quotes; empty where the message says as much, or nobody knows. */
  quotedLid?: string;
  /** Of the group; empty where not known. */
  subject?: string;
  /** Permanent link to the picture of the group or the other person; empty where there is none. */
  avatarUrl?: string;
}

/** The contract's event for a message. */
export function composeEnvelope(parts: EnvelopeParts): EventEnvelope {
  const { session, message, reading, parties, metaData, quotedLid, subject = '', avatarUrl = '' } = parts;
  const isGroup = parties.remote.kind === 'group';
  const other = parties.remote.user;
  const read = (content: MessageContent) => readContent(content).reading;
  const { quoted, mentions, isForwarded } = readContext(message.content, read);
  return {
    event: message.fromMe ? 'message.sent' : 'message.received',
    type: reading.type,
    clientId: session.clientId,
    orgId: session.orgId,
    timestamp: new Date(message.timestamp).toISOString(),
    chatRoomId: roomIdOf(session, parties.remote),
    myLid: session.lid,
    clientLid: isGroup ? other : (parties.person?.lid ?? ''),
    remoteJid: parties.remoteJid,
    ...remoteNames(isGroup, parties.person, subject),
    pushName: message.fromMe ? session.name : message.pushName,
    avatarUrl,
    fromMe: message.fromMe,
    isGroup,
    messageId: message.messageId,
    body: reading.body,
    ...(quoted && { quoted: { ...quoted, ...(quotedLid && { participant: quotedLid }) } }),
    mentions,
    isForwarded,
    ...(metaData && { meta: eventMeta(metaData) }),
    ...reading.extra,
    ...(isGroup && { group: groupSender(parts) }),
  };
}

function remoteNames(isGroup: boolean, person: Contact | undefined, subject: string) {
  if (isGroup) return { remoteName: subject, remotePhone: '', remoteUsername: '' };
  if (!person) return { remoteName: '', remotePhone: '', remoteUsername: '' };
  return {
    remoteName: person.name || person.pushName,
    remotePhone: phoneOf(person),
    remoteUsername: person.username,
  };
}

function groupSender({ session, message, parties, subject = '' }: EnvelopeParts): GroupSender {
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

/** With its plus sign, so that it can be used as `to` and is never taken for a LID. */
function phoneOf(contact: Contact): string {
  return contact.pn && `+${contact.pn}`;
}
