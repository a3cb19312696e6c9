import type { Route } from '../route.js';
import { adoptionRoutes } from './adoption.js';
import { backupRoutes } from './backups.js';
import { channelRoutes } from './channels.js';
import { chatRoutes } from './chats.js';
import { deliveryRoutes } from './deliveries.js';
import { docsRoutes } from './docs.js';
import { eventRoutes } from './events.js';
import { fleetRoutes } from './fleet.js';
import { groupRoutes } from './groups.js';
import { healthRoutes } from './health.js';
import { inboxRoutes } from './inbox.js';
import { linkingRoutes } from './linking.js';
import { mediaRoutes } from './media.js';
import { messageRoutes } from './messages.js';
import { peopleRoutes } from './people.js';
import { policyRoutes } from './policies.js';
import { profileRoutes } from './profile.js';
import { receiverRoutes } from './receivers.js';
import { replayRoutes } from './replays.js';
import { sessionRoutes } from './sessions.js';
import { statusRoutes } from './statuses.js';
import { traceRoutes } from './traces.js';

/** Every route; a test holds that each operation of the contract has one. */
export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  ...linkingRoutes,
  ...adoptionRoutes,
  ...messageRoutes,
  ...chatRoutes,
  ...peopleRoutes,
  ...profileRoutes,
  ...statusRoutes,
  ...groupRoutes,
  ...channelRoutes,
  ...inboxRoutes,
  ...mediaRoutes,
  ...receiverRoutes,
  ...deliveryRoutes,
  ...replayRoutes,
  ...traceRoutes,
  ...eventRoutes,
  ...policyRoutes,
  ...fleetRoutes,
  ...backupRoutes,
  ...healthRoutes,
  ...docsRoutes,
];
