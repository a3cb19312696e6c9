/**
 * The control API of the simulated network, once: each section is a file of operations as data. `sandbox/control` binds a
 * handler to each operation and is typed by it; `docs/sandbox-openapi.json` and the client's operations are printed from it
 * (`npm run openapi`). The servers of WhatsApp's own names, which clients of WhatsApp use, are no part of it.
 */
import { activity } from './activity.js';
import { channels } from './channels.js';
import { faults } from './faults.js';
import { files } from './files.js';
import { groups } from './groups.js';
import { linking } from './linking.js';
import { messages } from './messages.js';
import { network } from './network.js';
import type { ControlOperation } from './operation.js';
import { people } from './people.js';
import { phones } from './phones.js';
import { stanzas } from './stanzas.js';
import { streams } from './stream.js';

export type * from './activity.js';
export type * from './channels.js';
export type * from './contents.js';
export type * from './errors.js';
export type * from './faults.js';
export type * from './groups.js';
export type * from './linking.js';
export type * from './message-views.js';
export type * from './messages.js';
export type * from './network.js';
export type * from './people.js';
export type * from './phones.js';
export type * from './stanzas.js';
export type * from './stream.js';

/** A section of the control API: a tag of the document. */
export interface ControlSection {
  name: string;
  summary: string;
  /** The part of the client with its methods; the client itself unless named. */
  part?: string;
  /** By id, which is the name of the client's method. */
  operations: Readonly<Record<string, ControlOperation>>;
}

/** The whole control API. */
export const CONTROL_CONTRACT: readonly ControlSection[] = [
  { name: 'Phones', summary: 'People and their phones', operations: phones },
  { name: 'Linking', summary: 'Link and unlink devices', operations: linking },
  { name: 'People', summary: 'Privacy and address books', part: 'people', operations: people },
  { name: 'Messages', summary: 'Write, read and list messages', operations: messages },
  { name: 'Files', summary: 'Files to send, and the media host', operations: files },
  { name: 'Groups', summary: 'Look at and change groups', part: 'groups', operations: groups },
  { name: 'Channels', summary: 'Look at channels, and post in them', part: 'channels', operations: channels },
  { name: 'Activity', summary: 'Calls, typing and presence', part: 'activity', operations: activity },
  { name: 'Faults', summary: 'Failures on request', operations: faults },
  { name: 'Network', summary: 'Demands, time and counters', operations: network },
  { name: 'Stanzas', summary: 'Single stanzas', part: 'stanzas', operations: stanzas },
  { name: 'Stream', summary: 'Events of the network, live', operations: streams },
];
