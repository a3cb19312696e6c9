/** A group as the network describes it. */
export interface Group {
  /** `…@g.us` */
  jid: string;
  subject: string;
  /** The description; may be empty. */
  topic: string;
  /** By which address its members are known to each other. */
  addressingMode: 'lid' | 'pn';
  /** Only admins may write. */
  isAnnounce: boolean;
  /** Only admins may change its subject, picture and settings. */
  isLocked: boolean;
  /** Jid of who owns it, by LID where known; empty where nobody does. */
  ownerJid: string;
  members: GroupMember[];
}

/** User-parts, empty where not known. */
export interface GroupMember {
  lid: string;
  pn: string;
  isAdmin: boolean;
  /** The owner. */
  isSuperAdmin: boolean;
}

export const MEMBER_ACTIONS = ['add', 'remove', 'promote', 'demote'] as const;
export type MemberAction = (typeof MEMBER_ACTIONS)[number];

/** What became of one member of a change. */
export interface MemberResult {
  jid: string;
  /** 0, or the network's status code: 403 when the person lets only admins add them, 404, 409 … */
  error: number;
}

/** A group that was just made. */
export interface CreatedGroup {
  group: Group;
  /** Who was to be in it, and is not. */
  refused: MemberResult[];
}

/**
 * What can be done with groups. All throw GatewayError: `group_unknown` when there is no such group, `group_forbidden`
 * when the number is no member, or no admin where one is needed, `lookup_failed` when the network refuses for another
 * reason or does not answer.
 */
export interface LinkGroups {
  /** Every group that the number belongs to. */
  list(): Promise<Group[]>;
  get(jid: string): Promise<Group>;
  /** @param participants jids of the others */
  create(subject: string, participants: readonly string[]): Promise<CreatedGroup>;
  changeMembers(jid: string, action: MemberAction, participants: readonly string[]): Promise<MemberResult[]>;
  /** The code at the end of the invite link; `reset` revokes the current one first. */
  inviteCode(jid: string, reset: boolean): Promise<string>;
  leave(jid: string): Promise<void>;
}
