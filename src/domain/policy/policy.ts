/** The modes of a policy: `observe` only counts refusals, `enforce` refuses sends, `off` does neither. */
export const POLICY_MODES = ['observe', 'enforce', 'off'] as const;
export type PolicyMode = (typeof POLICY_MODES)[number];

/** A pause between two sends; its length lies between both, in milliseconds. */
export interface Gap {
  minMs: number;
  maxMs: number;
}

/** The limits of the sends of one number. An absent limit does not apply. */
export interface Policy {
  name: string;
  mode: PolicyMode;
  /** New chats in 24 hours, by the days since the number was linked: the last step whose `linkedDays` it has reached counts. */
  newChatsPerDay?: readonly { linkedDays: number; limit: number }[];
  /** Pause between two new chats. */
  newChatGap?: Gap;
  /** Pause between two messages to the same person or group. */
  samePersonGap?: Gap;
  messagesPerHour?: number;
  /** Messages in 24 hours. */
  messagesPerDay?: number;
  quietHours?: QuietHours;
  /** Only people who wrote first, and groups, may be written to. */
  onlyWhoWrote?: boolean;
  /** Jids of the only people and groups that may be written to. */
  allow?: readonly string[];
  /** Jids of people and groups that are never written to. */
  deny?: readonly string[];
  /** Members of the largest group that may be written to. */
  largestGroup?: number;
  /** While the network restricts the number in any way, or warns of it, only running conversations may be continued. */
  stopAtWarning?: boolean;
  /** Before a first message the network is asked whether the person exists, at most `perHour` times. */
  lookUpFirst?: { perHour: number };
  /** How many people may get the same text within a time, in milliseconds. */
  sameText?: { people: number; withinMs: number };
}

/** Hours in which the number does not write. */
export interface QuietHours {
  /** Minutes after midnight; a time that ends before it begins goes over midnight. */
  fromMinute: number;
  toMinute: number;
  /** IANA name of a time zone, such as `Europe/Berlin`. */
  timeZone: string;
  /** The sends that quiet hours hold back. */
  holds: 'new chats' | 'all messages';
}

const MINUTE_MS = 60_000;
/** Look-ups per hour of a policy that names no number. */
export const LOOK_UPS_PER_HOUR = 60;

/** Gentle limits on new chats, and none on running conversations. */
export const GENTLE: Policy = {
  name: 'gentle',
  mode: 'enforce',
  newChatsPerDay: [
    { linkedDays: 0, limit: 5 },
    { linkedDays: 3, limit: 10 },
    { linkedDays: 7, limit: 20 },
    { linkedDays: 30, limit: 50 },
  ],
  newChatGap: { minMs: MINUTE_MS, maxMs: 3 * MINUTE_MS },
  stopAtWarning: true,
  lookUpFirst: { perHour: LOOK_UPS_PER_HOUR },
};

/** Assigns policies to sessions. */
export interface PolicyTable {
  policies: ReadonlyMap<string, Policy>;
  /** Names of policies by clientId, and by orgId. */
  sessions: ReadonlyMap<string, string>;
  orgs: ReadonlyMap<string, string>;
  /** Name of the policy of all other sessions. */
  default?: string;
}

/** The policy of a session: its own, that of its workspace, or the default; undefined if there is none, or it is off. */
export function policyOf(
  { policies, sessions, orgs, default: rest }: PolicyTable,
  { clientId, orgId }: { clientId: string; orgId: string },
): Policy | undefined {
  const name = sessions.get(clientId) ?? orgs.get(orgId) ?? rest;
  const policy = name === undefined ? undefined : policies.get(name);
  return policy?.mode === 'off' ? undefined : policy;
}
