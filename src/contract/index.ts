/**
 * The API, once: each section is a file of operations as data (method, path, owner, who may call, summary), with the
 * Joi schemas of what they take and answer, their error codes and an example. Everything else is made of it:
 * `http/routes` binds a handler to each operation and is typed by it, `/openapi.json` and the client are printed from it
 * (`npm run openapi`).
 *
 * To use a type of an answer: `import type { Client, FleetNode, StoredMessage } from './index.js'` (the names
 * of the schemas in the OpenAPI document), or `Answer<'listClients'>` for what an operation answers as a whole.
 * Outside of the daemon import types only, because the schemas load Joi; or better the client (`src/client/`).
 */
import { adoption } from './adoption.js';
import { backups } from './backups.js';
import { channels } from './channels.js';
import { chats } from './chats.js';
import { deliveries } from './deliveries.js';
import { docs } from './docs.js';
import { events } from './event-stream.js';
import { fleet } from './fleet.js';
import { groups } from './groups.js';
import { health } from './health.js';
import { inbox } from './inbox.js';
import { linking } from './linking.js';
import { media } from './media.js';
import { kindSends, messages } from './messages.js';
import type { AnswerOf, Operation } from './operation.js';
import { people } from './people.js';
import { policies } from './policies.js';
import { profile } from './profile.js';
import { receivers } from './receivers.js';
import { replays } from './replays.js';
import { sessions } from './sessions.js';
import { statuses } from './statuses.js';
import { traces } from './traces.js';

export type * from './adoption.js';
export type * from './channels.js';
export type * from './chats.js';
export type * from './deliveries.js';
export type * from './fleet.js';
export type * from './groups.js';
export type * from './health.js';
export type * from './inbox.js';
export type * from './linking.js';
export type * from './media.js';
export type * from './messages.js';
export type * from './people.js';
export type * from './policies.js';
export type * from './profile.js';
export type * from './receivers.js';
export type * from './replays.js';
export type * from './restrictions.js';
export type * from './sessions.js';
export type * from './statuses.js';
export type * from './traces.js';
export type * from './webhooks.js';

const OPERATIONS = {
  ...sessions,
  ...linking,
  ...adoption,
  ...messages,
  ...chats,
  ...people,
  ...profile,
  ...statuses,
  ...groups,
  ...channels,
  ...inbox,
  ...media,
  ...receivers,
  ...deliveries,
  ...replays,
  ...traces,
  ...events,
  ...policies,
  ...fleet,
  ...backups,
  ...health,
  ...docs,
};

type Operations = typeof OPERATIONS;
/** Type of an answer, by operation id. */
export type Answer<Id extends keyof Operations> = AnswerOf<Operations[Id]>;

/** A section of the API: a tag of the document. */
export interface Section {
  name: string;
  summary: string;
  /** By id, which is the name of the client's method. */
  operations: Readonly<Record<string, Operation>>;
}

/** The whole API. */
export const CONTRACT: readonly Section[] = [
  section('Sessions', 'Link numbers, and set where their events go', sessions),
  section('Linking', "Passkeys, and the one-time page of the number's owner", linking),
  section('Adoption', 'Numbers that another program has linked', adoption),
  section('Messages', 'Send messages', { ...kindSends, ...messages }),
  section('Chats', 'Typing, read receipts, settings of chats, deletions', chats),
  section('People', 'Look up people and pictures, and block people', people),
  section('Profile', 'The profile of the linked number', profile),
  section('Statuses', 'Posts that contacts see for a day', statuses),
  section('Groups', 'Look at and change groups', groups),
  section('Channels', 'Follow channels, and post in them', channels),
  section('Inbox', 'The hosted history', inbox),
  section('Media', 'The files of the hosted inbox', media),
  section('Receivers', 'Where the events of a session go beside its webhook', receivers),
  section('Deliveries', 'Test, take over and repair the delivery of events', deliveries),
  section('Replays', 'Send events again that a session keeps', replays),
  section('Traces', 'What happened with a message', traces),
  section('Events', 'The live stream', events),
  section('Policies', 'Limits of sends', policies),
  section('Fleet', 'All sessions and nodes', fleet),
  section('Backups', 'Copies of the whole store', backups),
  section('Health', 'Probes, configuration, metrics', health),
  section('Docs', 'This description', docs),
];

function section(name: string, summary: string, operations: Record<string, Operation>): Section {
  return { name, summary, operations };
}
