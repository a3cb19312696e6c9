import { type Person, parseJid, personOf, STATUS_JID } from '../../../domain/address.js';
import type { MessageOrigin } from '../../delivery/event-id.js';
import { sealedPart } from '../../kinds/secret.js';
import type { IncomingMessage } from '../../link/link.js';
import type { SessionRecord } from '../../store/store.js';
import { roomIdOf } from '../identities/parties.js';

/** The parts of a message that its events' ids are made of: the same for a live message and for one restored from the journal. */
export function originOf(
  session: SessionRecord,
  { chat, chatAlt, participant, participantAlt, fromMe, content }: IncomingMessage,
): MessageOrigin {
  const address = parseJid(chat);
  const isGroup = address?.kind === 'group';
  const other = isGroup ? address.user : userOf(personOf(chat, chatAlt));
  const author = userOf(personOf(participant, participantAlt)) || (fromMe ? session.lid : '');
  return {
    room: roomIdOf(session, { kind: address?.kind ?? 'lid', user: other }),
    // the ids of messages are chosen by their senders: two authors may use the same one
    author: isGroup || chat === STATUS_JID ? author : '',
    isSealed: sealedPart(content) !== undefined,
  };
}

function userOf({ lid, pn }: Person): string {
  return lid ?? pn ?? '';
}
