import type { Difference } from './compare.js';

/** What a difference means for the numbers of the gateway. */
export interface Verdict {
  /** The facts that it is about. */
  fact: RegExp;
  /** The acts that it is about; all without it. */
  act?: RegExp;
  /** The clients that send it; any without it. */
  has?: readonly string[];
  verdict: 'harmless' | 'ours is behind' | 'theirs is behind';
  why: string;
}

const LINK = /^(link|log in)/;

/** The first that fits counts. */
export const VERDICTS: readonly Verdict[] = [
  // device data
  {
    fact: /\.username=|manufacturer=|lidDbMigrated/,
    verdict: 'harmless',
    why: 'each client has its own number and build; the network asks for none of them',
  },
  {
    fact: /appVersion|buildHash/,
    verdict: 'theirs is behind',
    why: 'the gateway takes the version that web.whatsapp.com serves (A1); whatsmeow has the one of its release',
  },
  {
    fact: /deviceProps\.(os|platformType|version)/,
    verdict: 'harmless',
    why: 'the name in the list of linked devices; a link by code shows a browser and a real system (A3)',
  },
  {
    fact: /requireFullSync/,
    verdict: 'harmless',
    why: 'the gateway asks for a long history only when it keeps one',
  },
  {
    fact: /\.lc=/,
    verdict: 'ours is behind',
    why: 'the official client counts its logins; the library writes the login itself. No setting reaches that place',
  },
  {
    fact: /login\.passive=/,
    verdict: 'harmless',
    why: 'each says by `passive active` when it is ready; whatsapp-rust in the login already',
  },
  {
    fact: /osVersion|osBuildNumber/,
    verdict: 'harmless',
    why: 'whatsapp-rust writes three numbers, the others two; the network asks for neither',
  },
  {
    fact: /storageQuotaMb/,
    verdict: 'harmless',
    why: 'the official client names the free space of its browser; the others a fixed number, whatsapp-rust none',
  },
  {
    fact: /supportCallLogHistory|supportGroupHistory/,
    verdict: 'ours is behind',
    why: 'the official client says that it reads call logs and shared histories of groups; the library writes this itself. No setting reaches that place',
  },
  // linking and login
  {
    act: LINK,
    fact: /^ib unified_session/,
    verdict: 'theirs is behind',
    why: 'the official client says when its session of use begins; whatsmeow does not',
  },
  {
    act: LINK,
    fact: /^iq get (abt|blocklist|privacy|encrypt digest|usync)/,
    verdict: 'harmless',
    why: 'the official client asks for props, block list, privacy and digest after a login; whatsmeow only when somebody wants them',
  },
  {
    act: LINK,
    fact: /^iq get w:mex/,
    verdict: 'harmless',
    why: 'the gateway asks for the time lock and the quota of the account, to tell the operator (C3)',
  },
  {
    act: LINK,
    fact: /^iq set encrypt registration/,
    verdict: 'harmless',
    why: 'this network tells a new device that it has one key, so that Baileys makes five (network facts); at the next login four are left',
  },
  {
    act: LINK,
    fact: /^presence/,
    verdict: 'harmless',
    why: 'Baileys appears online at each login; the gateway only when it types or follows somebody, as phones expect of a program',
  },
  {
    act: LINK,
    fact: /^iq set w:sync/,
    verdict: 'harmless',
    why: 'whatsmeow reads shared settings one by one and names the version that it has',
  },
  {
    act: LINK,
    fact: /^receipt sender/,
    verdict: 'harmless',
    why: 'whatsmeow confirms peer messages as those of the own account; the library and the gateway as `peer_msg`',
  },
  {
    act: LINK,
    fact: /^iq get encrypt count/,
    verdict: 'harmless',
    why: 'whatsapp-rust asks for the digest of its keys alone, which tells it the same',
  },
  {
    act: LINK,
    fact: /^ack notification encrypt/,
    verdict: 'harmless',
    why: 'whatsapp-rust uploads its keys after it became active, so this network tells it first that it has none',
  },
  {
    act: LINK,
    fact: /^iq result@to=/,
    verdict: 'harmless',
    why: 'one address in two spellings',
  },
  {
    act: LINK,
    fact: /^order: /,
    verdict: 'harmless',
    why: 'the history is read while shared settings are: which is ready first is chance',
  },
  { act: /^appear online/, fact: /^ib unified_session/, verdict: 'theirs is behind', why: 'as at the login' },
  // look-ups
  {
    act: /^look a number up/,
    fact: /^iq get usync/,
    verdict: 'harmless',
    why: 'the profile of `POST /user-info` is more than whether a number exists: another query of the official client',
  },
  {
    act: /^send a text to a (number|LID)/,
    fact: /^iq get usync/,
    verdict: 'theirs is behind',
    why: 'the gateway asks for the LID of a number first, and then for the devices of both accounts by LID, as chats of migrated accounts need it (A8)',
  },
  {
    act: /^(create a group|send a text to the group)/,
    fact: /^iq get (usync|w:g2 query)/,
    verdict: 'harmless',
    why: 'the gateway asks for LIDs before it creates a group; which members have devices is known to some clients from earlier acts',
  },
  {
    act: /^(send|reply|edit|react)/,
    fact: /^iq get usync usync$/,
    verdict: 'theirs is behind',
    why: 'whatsapp-rust asks for the devices again with most messages; the others remember them',
  },
  // sending
  {
    fact: /^message\/tctoken/,
    verdict: 'theirs is behind',
    why: 'the token that the friend gave goes with each message (C1); whatsapp-rust sends none to a chat by number',
  },
  {
    fact: /^iq get encrypt key/,
    verdict: 'harmless',
    why: 'which sessions exist by then; by LID or by number as the addresses of the message',
  },
  {
    fact: /^message@peer_recipient_pn/,
    verdict: 'theirs is behind',
    why: 'the official client names the number beside a LID (zapo `node/builders/message.ts`); of the others none does',
  },
  {
    fact: /(friend|member|stranger|me)(-lid)?(:device)?@(lid|s\.whatsapp\.net)/,
    verdict: 'theirs is behind',
    why: 'the gateway writes to LIDs, as the official client does with migrated accounts; the others to what the caller gave them',
  },
  {
    fact: /^message\/cstoken|^iq set privacy tokens/,
    has: ['Switchboard'],
    verdict: 'theirs is behind',
    why: 'the token of a chat from the account’s own salt (C2)',
  },
  {
    fact: /^message\/cstoken/,
    verdict: 'theirs is behind',
    why: 'the token of a chat from the account’s own salt (C2)',
  },
  {
    fact: /^iq set privacy tokens/,
    verdict: 'theirs is behind',
    why: 'a token goes to a contact once in seven days (C1); Baileys sends one with each message, whatsmeow none',
  },
  {
    fact: /participants\/to\/enc@type=|^message\/device-identity/,
    verdict: 'theirs is behind',
    why: 'the gateway uses the session that the own phone opened at the pairing, so that its copy is no first message',
  },
  {
    fact: /^message\/reporting/,
    verdict: 'ours is behind',
    why: 'the official client sends a reporting token with each message; the library computes it over padded bytes, and leaves it out when it cannot read them. No setting reaches that place',
  },
  {
    fact: /decrypt-fail=hide/,
    verdict: 'ours is behind',
    why: 'a device that cannot decrypt an edit shows "waiting for this message"; the library sets it for reactions and pins only. No setting reaches that place',
  },
  {
    fact: /^message@phash/,
    verdict: 'harmless',
    why: 'whatsmeow names the hash of the list of devices in groups only; the network answers with its own',
  },
  // receiving
  {
    act: /^receive/,
    fact: /^(ib unified_session|presence)/,
    verdict: 'harmless',
    why: 'the session has the event `presence`, and follows those who write',
  },
  {
    act: /^receive/,
    fact: /^receipt retry$/,
    verdict: 'theirs is behind',
    why: 'whatsmeow has its session under the number, to which it wrote; the answer comes from the LID',
  },
  {
    act: /^receive/,
    fact: /^ack message/,
    verdict: 'theirs is behind',
    why: 'Baileys refuses an unreadable message with 500 beside the retry, which can stop the queue (F6); whatsmeow leaves out the type',
  },
  {
    act: /^receive/,
    fact: /retry@error=/,
    verdict: 'theirs is behind',
    why: 'the retry of the gateway names its reason (F6)',
  },
  {
    act: /^receive a copy/,
    fact: /^(message|receipt peer_msg)$/,
    verdict: 'harmless',
    why: 'whatsapp-rust also asks the own phone for the message; the retry brings it as well',
  },
  {
    act: /^mark it read/,
    fact: /^iq get privacy/,
    verdict: 'harmless',
    why: 'whatsmeow asks at the first receipt whether the account sends any',
  },
  {
    act: /^receive/,
    fact: /^order: /,
    verdict: 'harmless',
    why: 'a message and the token of its sender come together: which is answered first is chance',
  },
  // people and groups
  {
    act: /^follow/,
    fact: /^presence subscribe/,
    verdict: 'harmless',
    why: 'the gateway follows the friend already, who has written',
  },
  {
    act: /^create a group/,
    fact: /privacy$/,
    verdict: 'theirs is behind',
    why: 'the tokens of members who trust the account go with the creation; the library alone sends none',
  },
  {
    act: /^create a group/,
    fact: /create\/(ephemeral|member_add_mode|member_link_mode|membership_approval_mode)/,
    verdict: 'harmless',
    why: 'whatsapp-rust names the settings that a new group has anyway',
  },
  {
    act: /^create a group/,
    fact: /create@key=/,
    verdict: 'harmless',
    why: 'a number by which the client knows the request again; whatsapp-rust leaves it out',
  },
  {
    act: /^archive/,
    fact: /^iq set w:sync/,
    verdict: 'harmless',
    why: 'the version that the client has of the settings',
  },
];

export function verdictOf({ act, fact, has }: Difference): Verdict | undefined {
  return VERDICTS.find(
    (one) =>
      one.fact.test(fact) && (one.act?.test(act) ?? true) && (!one.has || one.has.join() === has.join()),
  );
}
