/** The changes of a group that are reported. */
export const GROUP_CHANGES = [
  'created',
  'joined',
  'added',
  'left',
  'removed',
  'promoted',
  'demoted',
  'subject',
  'description',
  'picture',
  'settings',
  'invite_link',
  'join_request',
  'join_request_withdrawn',
  'deleted',
] as const;
export type GroupChange = (typeof GROUP_CHANGES)[number];

/** The settings of a group; a change contains only the settings that it sets. */
export interface GroupSettingsChange {
  /** Only admins may write. */
  announce?: boolean;
  /** Only admins may change the group's subject, description and picture. */
  locked?: boolean;
  /** Members may add people. */
  membersAdd?: boolean;
  /** Admins approve people who join. */
  joinApproval?: boolean;
  /** Seconds after which messages disappear; 0 for never. */
  disappearingSeconds?: number;
}
