import type { WaVersions } from '../link/wa-versions.js';
import type { Inbox, Library } from './ports/history.js';
import type { Chats, HeldMessages, Messages, Presence, Sending } from './ports/messages.js';
import type {
  Backups,
  Deliveries,
  Listening,
  MessageTraces,
  Nodes,
  Receivers,
  Replays,
} from './ports/operations.js';
import type { Avatars, Groups, People, Profile } from './ports/people.js';
import type { Adoption, Fleet, PairLinks, Policies, Restrictions, Sessions } from './ports/sessions.js';

export type * from './ports/history.js';
export type * from './ports/messages.js';
export type * from './ports/operations.js';
export type * from './ports/people.js';
export type * from './ports/sessions.js';

/** The operations of the gateway, as the HTTP layer calls them. Every method may throw a `GatewayError`. */
export interface Services {
  sessions: Sessions;
  adoption: Adoption;
  pairLinks: PairLinks;
  sending: Sending;
  heldMessages: HeldMessages;
  messages: Messages;
  chats: Chats;
  presence: Presence;
  restrictions: Restrictions;
  policies: Policies;
  inbox: Inbox;
  library: Library;
  groups: Groups;
  people: People;
  profile: Profile;
  avatars: Avatars;
  receivers: Receivers;
  deliveries: Deliveries;
  replays: Replays;
  traces: MessageTraces;
  listening: Listening;
  fleet: Fleet;
  nodes: Nodes;
  backups: Backups;
  versions: Pick<WaVersions, 'current'>;
}
