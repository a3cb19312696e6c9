import type {
  AvatarCounts,
  BlockedPerson,
  CreatedGroup,
  GroupDetail,
  GroupInvite,
  GroupListItem,
  JoinRequest,
  MemberResult,
  OwnerLid,
  OwnProfile,
  ProfileChanges,
  ProfilePicture,
  UserInfo,
} from '../../../contract/index.js';
import type { GroupSettings, MemberAction } from '../../link/directory.js';
import type { FileSource } from './messages.js';

/**
 * Groups of a linked number. All throw session_unknown, session_unpaired, session_not_connected, group_unknown,
 * group_forbidden, lookup_failed.
 */
export interface Groups {
  list(clientId: string): Promise<GroupListItem[]>;
  get(clientId: string, groupJid: string): Promise<GroupDetail>;
  /** @throws recipient_unknown, invalid_request; nothing is created then */
  create(clientId: string, subject: string, participants: readonly string[]): Promise<CreatedGroup>;
  /** @throws recipient_unknown, invalid_request; then no member is changed */
  changeMembers(
    clientId: string,
    groupJid: string,
    action: MemberAction,
    participants: readonly string[],
  ): Promise<MemberResult[]>;
  inviteLink(clientId: string, groupJid: string, reset: boolean): Promise<string>;
  /** Changes the given settings one after the other. @throws invalid_request, group_conflict */
  update(clientId: string, groupJid: string, settings: Partial<GroupSettings>): Promise<void>;
  /** People who ask to join. */
  requests(clientId: string, groupJid: string): Promise<JoinRequest[]>;
  /** @throws recipient_unknown, invalid_request; then nobody is answered */
  answerRequests(
    clientId: string,
    groupJid: string,
    action: 'approve' | 'reject',
    participants: readonly string[],
  ): Promise<MemberResult[]>;
  /**
   * Joins by an invite: its code or link. `joined` is false when an admin has to approve first.
   * @throws invalid_request, invite_unknown, group_conflict
   */
  join(clientId: string, invite: string): Promise<{ groupJid: string; joined: boolean }>;
  /** The group of an invite, without joining. @throws invalid_request, invite_unknown */
  invite(clientId: string, invite: string): Promise<GroupInvite>;
  leave(clientId: string, groupJid: string): Promise<void>;
}

/** People and addresses. All methods throw session_unknown, session_unpaired, session_not_connected, lookup_failed. */
export interface People {
  /** @throws not_found when the network knows no such person, invalid_request if the jid is not of a person */
  userInfo(clientId: string, jid: string, options?: { withContact?: boolean }): Promise<UserInfo>;
  /** @param number may be empty */
  ownerLid(clientId: string, number: string): Promise<OwnerLid>;
  /** The block list, as the network has it now. */
  blocked(clientId: string): Promise<BlockedPerson[]>;
  /** @throws recipient_unknown, invalid_request, account_rejected */
  setBlocked(clientId: string, jid: string, isBlocked: boolean): Promise<void>;
}

/** The own profile. All throw session_unknown, session_unpaired, session_not_connected, lookup_failed, account_rejected. */
export interface Profile {
  get(clientId: string): Promise<OwnProfile>;
  /** @throws app_state_rejected, send_not_connected for the name */
  set(clientId: string, changes: ProfileChanges): Promise<void>;
  /**
   * Sets the own picture, or removes it without a source. An uploaded file is discarded by its caller.
   * @throws invalid_request, media_unfetchable, media_unsupported, media_too_large
   */
  setPicture(clientId: string, source: FileSource | undefined): Promise<void>;
  /** Sets or removes the picture of a group. @throws also group_unknown, group_forbidden */
  setGroupPicture(clientId: string, groupJid: string, source: FileSource | undefined): Promise<void>;
}

/** Profile pictures. All throw session_unknown, session_unpaired. */
export interface Avatars {
  /**
   * The picture of a person or a group. Without `refresh` an answer of the last 24 hours is used.
   * @throws invalid_request, not_found, lookup_failed, session_not_connected
   */
  picture(
    clientId: string,
    jid: string,
    wishes: { preview: boolean; refresh: boolean },
  ): Promise<ProfilePicture>;
  /**
   * Gives the hosted rooms their pictures, about seven a second; checks rooms that have a picture only with `force`.
   * Without a hosted inbox there are no rooms.
   * @throws avatars_busy
   */
  refreshAll(clientId: string, force: boolean): Promise<AvatarCounts>;
}
