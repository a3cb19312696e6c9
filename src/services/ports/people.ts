import type { MemberAction, MemberResult } from '../../link/port/groups.js';
import type { CreatedGroup, GroupDetail, GroupListItem } from '../groups/views.js';

/**
 * Groups of a linked number. All throw session_unknown, session_unpaired, session_not_connected, group_unknown,
 * group_forbidden, lookup_failed.
 */
export interface Groups {
  list(clientId: string): Promise<GroupListItem[]>;
  get(clientId: string, groupJid: string): Promise<GroupDetail>;
  /** @throws recipient_unknown, invalid_request; nothing is created then */
  create(clientId: string, subject: string, participants: readonly string[]): Promise<CreatedGroup>;
  /** @throws recipient_unknown, invalid_request; nobody is changed then */
  changeMembers(
    clientId: string,
    groupJid: string,
    action: MemberAction,
    participants: readonly string[],
  ): Promise<MemberResult[]>;
  inviteLink(clientId: string, groupJid: string, reset: boolean): Promise<string>;
  leave(clientId: string, groupJid: string): Promise<void>;
}

/** What the network tells of a person. */
export interface UserInfo {
  /** By LID where known. */
  jid: string;
  username: string;
  /** Status text. */
  status: string;
  pictureId: string;
  /** How many the person uses. */
  devices: number;
  /** Of a business; may be empty. */
  verifiedName: string;
}

/** The own addresses of a session, and those of a number that was asked for. */
export interface OwnerLid {
  myLid: string;
  myJid: string;
  /** As it was asked for; empty when none was. */
  number: string;
  isOnWhatsApp: boolean;
  numberJid: string;
  /** User-part. */
  numberLid: string;
  username: string;
}

/** All throw session_unknown, session_unpaired, session_not_connected, lookup_failed. */
export interface People {
  /** @throws not_found when the network knows nobody by it, invalid_request for what is no person */
  userInfo(clientId: string, jid: string): Promise<UserInfo>;
  /** @param number may be empty */
  ownerLid(clientId: string, number: string): Promise<OwnerLid>;
}

/** A profile picture, or why there is none to be seen. */
export type PictureView =
  | {
      jid: string;
      /** Version of the picture. */
      id: string;
      type: 'preview' | 'full';
      /** Signed by the network; it expires in about ten days. */
      url: string;
      /** Permanent link to the stored copy; empty while there is none. */
      storedUrl: string;
      /** There is a stored copy. */
      mirrored: boolean;
    }
  | { jid: string; url: ''; reason: string };

/** What became of the rooms of a session; the other counts add up to `rooms`. */
export interface AvatarCounts {
  rooms: number;
  /** Show another picture than before. */
  updated: number;
  /** Show the same as before. */
  skipped: number;
  /** Nobody may see one, or there is none. */
  noPhoto: number;
  failed: number;
}

/** Profile pictures. All throw session_unknown, session_unpaired. */
export interface Avatars {
  /**
   * Of a person or a group: what the network told within 24 hours, without `refresh`.
   * @throws invalid_request, not_found, lookup_failed, session_not_connected
   */
  picture(
    clientId: string,
    jid: string,
    wishes: { preview: boolean; refresh: boolean },
  ): Promise<PictureView>;
  /**
   * Gives the hosted rooms their pictures, about seven a second; rooms that have one only with `force`. Without a hosted
   * inbox there are no rooms.
   * @throws avatars_busy
   */
  refreshAll(clientId: string, force: boolean): Promise<AvatarCounts>;
}
