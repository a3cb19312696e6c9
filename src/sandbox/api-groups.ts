export type GroupRole = 'superadmin' | 'admin' | 'member';
export type GroupAction = 'add' | 'remove' | 'promote' | 'demote';

/** A group. */
export interface GroupView extends Required<Omit<GroupUpdate, 'picture'>> {
  /** `…@g.us` */
  jid: string;
  /** Number of the creator. */
  owner: string;
  /** Seconds since the epoch. */
  createdAt: number;
  /** True for a community: it holds groups, and nobody writes to it. */
  isCommunity: boolean;
  /** The jid of the community that it is linked to; else empty. */
  communityJid: string;
  inviteCode: string;
  /** People who ask to join, oldest first; `at` in seconds since the epoch. */
  requests: { number: string; at: number }[];
  /** Version of the picture; empty when there is none. */
  pictureId: string;
  participants: { number: string; lid: string; role: GroupRole }[];
}

export interface GroupSettings {
  /** Only admins may write. */
  announce?: boolean;
  /** Only admins may change subject and description. */
  locked?: boolean;
  /** Everybody may add people, not only admins. */
  membersAdd?: boolean;
  /** An admin must approve those who join by the invite. */
  joinApproval?: boolean;
  /** Seconds after which messages disappear; 0 when they do not. */
  ephemeral?: number;
}

/** A change of a group. */
export interface GroupUpdate extends GroupSettings {
  subject?: string;
  description?: string;
  /** An image in base64; null removes the picture. */
  picture?: string | null;
}

/** The outcome of an action for one person: 200, or the network's refusal code. */
export interface GroupResult {
  number: string;
  status: number;
}
