/** The parts of a chat room's id, `<clientId>-<myLid>-<clientLid or groupId>`. */
export interface RoomKey {
  clientId: string;
  myLid: string;
  /** The other party's LID user-part, or the group's id without its server. */
  other: string;
}

/** Composes a room's id. `other` may itself hold a hyphen (old group ids); the first two parts never do. */
export function formatRoomId(key: RoomKey): string {
  return `${key.clientId}-${key.myLid}-${key.other}`;
}

/** Takes a room's id apart; undefined when it is not of the form. */
export function parseRoomId(id: string): RoomKey | undefined {
  const match = /^([A-Za-z0-9]+)-([0-9]*)-(.+)$/.exec(id);
  const [, clientId, myLid, other] = match ?? [];
  return clientId !== undefined && myLid !== undefined && other ? { clientId, myLid, other } : undefined;
}
