/** The fields by which copies of a message are recognised: its id, its chat and its author, the last two by either address. */
interface Identity {
  messageId: string;
  chat: string;
  chatAlt?: string | undefined;
  participant?: string | undefined;
  participantAlt?: string | undefined;
  fromMe: boolean;
}

/** Whether two copies belong to one message: same id, same chat, same author. */
export function isSameMessage(one: Identity, other: Identity): boolean {
  return (
    one.messageId === other.messageId &&
    one.fromMe === other.fromMe &&
    haveCommon([one.chat, one.chatAlt], [other.chat, other.chatAlt]) &&
    (one.fromMe ||
      (one.participant === undefined && other.participant === undefined) ||
      haveCommon([one.participant, one.participantAlt], [other.participant, other.participantAlt]))
  );
}

function haveCommon(some: (string | undefined)[], others: (string | undefined)[]): boolean {
  return some.some((one) => one !== undefined && others.includes(one));
}
