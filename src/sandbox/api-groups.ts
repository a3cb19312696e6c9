export type GroupRole = 'superadmin' | 'admin' | 'member';
export type GroupAction = 'add' | 'remove' | 'promote' | 'demote';

/** A group. */
export interface GroupView extends Required<Omit<GroupUpdate, 'picture'>> {
  /** `…@g.us` */
  jid: string;
  /** Number of who made it. */
  owner: string;
  /** Seconds since the epoch. */
  createdAt: number;
  inviteCode: string;
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
  /** Seconds after which messages disappear; 0 when they do not. */
  ephemeral?: number;
}

/** What somebody changes about a group. */
export interface GroupUpdate extends GroupSettings {
  subject?: string;
  description?: string;
  /** An image in base64; null takes the picture away. */
  picture?: string | null;
}

/** What became of an action for one person: 200, or what the network says against it. */
export interface GroupResult {
  number: string;
  status: number;
}
