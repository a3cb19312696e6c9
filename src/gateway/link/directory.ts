import type { Address } from '../../domain/address.js';
import type { EpochMs } from '../../domain/clock.js';

/** The network's entry of a person. */
export interface Profile {
  /** User-parts; empty where not known. */
  lid: string;
  pn: string;
  /** Handle; may be empty. */
  username: string;
  /** Status text; empty when there is none or it is hidden. */
  status: string;
  /** Version of the picture; empty when there is none or it is hidden. */
  pictureId: string;
  /** Number of the person's devices, including the phone. */
  devices: number;
  /** Name of a verified business; may be empty. */
  verifiedName: string;
}

/** A profile picture, or why none is shown. */
export type Picture =
  | {
      /** Version of the picture. */
      id: string;
      type: 'preview' | 'image';
      /** URL signed by the network, which expires in about ten days. */
      url: string;
    }
  | { reason: 'none' | 'hidden' };

/** Queries about people. Queries throw GatewayError `lookup_failed` when the network refuses or does not answer. */
export interface LinkPeople {
  /** The profile of a person; undefined if the network knows nobody by that address. */
  profile(address: Address): Promise<Profile | undefined>;
  /** The picture of a person or a group. `preview` requests the small one (96 px). */
  picture(address: Address, preview: boolean): Promise<Picture>;
  /**
   * Fetches a picture by the network's signed address.
   * @throws GatewayError `media_gone`, `media_unfetchable`
   */
  fetchPicture(url: string, signal?: AbortSignal): Promise<{ bytes: Uint8Array; mimeType: string }>;
}

/** A group as the network describes it. */
export interface Group {
  /** `…@g.us` */
  jid: string;
  subject: string;
  /** The description; may be empty. */
  topic: string;
  /** The kind of address by which members see each other. */
  addressingMode: 'lid' | 'pn';
  /** Only admins may write. */
  isAnnounce: boolean;
  /** Only admins may change its subject, picture and settings. */
  isLocked: boolean;
  /** Every member may add people, not only admins. */
  membersAdd: boolean;
  /** Admins approve people who join by the invite link. */
  joinApproval: boolean;
  /** Seconds after which messages disappear; 0 if they stay. */
  disappearingSeconds: number;
  /** Jid of the owner, by LID if known; empty if there is none. */
  ownerJid: string;
  members: GroupMember[];
}

/** A member; addresses are user-parts, empty if unknown. */
export interface GroupMember {
  lid: string;
  pn: string;
  isAdmin: boolean;
  /** The owner. */
  isSuperAdmin: boolean;
}

export type MemberAction = 'add' | 'remove' | 'promote' | 'demote';

/** The outcome of a change for one member. */
export interface MemberResult {
  jid: string;
  /** 0, or the network's status code: 403 when the person lets only admins add them, 404, 409 … */
  error: number;
}

/** A newly created group. */
export interface CreatedGroup {
  group: Group;
  /** Requested members whom the network did not admit. */
  refused: MemberResult[];
}

/** The properties of a group that members or admins change. */
export interface GroupSettings {
  subject: string;
  /** The description; an empty text removes it. */
  description: string;
  /** Only admins may write. */
  announce: boolean;
  /** Only admins may change subject, description and picture. */
  locked: boolean;
  /** Every member may add people, not only admins. */
  membersAdd: boolean;
  /** Admins approve people who join by the invite link. */
  joinApproval: boolean;
  /** Seconds after which messages disappear; 0: they stay. */
  disappearingSeconds: number;
}

/** A person who asks to join a group; addresses are user-parts, empty if unknown. */
export interface JoinRequest {
  lid: string;
  pn: string;
  /** 0 where not known. */
  requestedAt: EpochMs;
}

/** A group as the network shows it to the holder of an invite code. */
export interface GroupInvite extends Pick<Group, 'jid' | 'subject' | 'topic' | 'ownerJid' | 'joinApproval'> {
  /** Number of members. */
  size: number;
  /** 0 where not known. */
  createdAt: EpochMs;
}

/**
 * Queries about groups and changes of them. All throw GatewayError: `group_unknown`; `group_forbidden` when the number is
 * no member, or no admin where one is needed; `lookup_failed` when the network refuses for another reason or does not
 * answer.
 */
export interface LinkGroups {
  /** Every group that the number belongs to. */
  list(): Promise<Group[]>;
  get(jid: string): Promise<Group>;
  /** @param participants jids of the others */
  create(subject: string, participants: readonly string[]): Promise<CreatedGroup>;
  changeMembers(jid: string, action: MemberAction, participants: readonly string[]): Promise<MemberResult[]>;
  /** The code at the end of the invite link; `reset` revokes the current code first. */
  inviteCode(jid: string, reset: boolean): Promise<string>;
  leave(jid: string): Promise<void>;
  /**
   * Changes the given settings in the order of `GroupSettings`. If one is refused, those before it remain changed.
   * @throws GatewayError also `invalid_request` for a value that the network does not accept, `group_conflict`
   */
  change(jid: string, settings: Partial<GroupSettings>): Promise<void>;
  /** Sets the picture, a square JPEG, or removes it without one. @throws GatewayError also `media_unsupported` */
  setPicture(jid: string, jpeg: Uint8Array | undefined): Promise<void>;
  /** People who ask to join, in the network's order. */
  joinRequests(jid: string): Promise<JoinRequest[]>;
  answerJoinRequests(
    jid: string,
    action: 'approve' | 'reject',
    participants: readonly string[],
  ): Promise<MemberResult[]>;
  /**
   * Joins by an invite code.
   * @returns `isMember` is false when an admin has to approve first
   * @throws GatewayError also `invite_unknown`, `group_conflict` for a member or a full group
   */
  join(code: string): Promise<{ jid: string; isMember: boolean }>;
  /** The group of an invite code. @throws GatewayError also `invite_unknown` */
  invite(code: string): Promise<GroupInvite>;
}
