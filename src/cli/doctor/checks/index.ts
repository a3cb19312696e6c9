import type { GeneralCheck, SessionCheck } from '../check.js';
import { clock } from './clock.js';
import { daemon } from './daemon.js';
import { dataDir } from './data-dir.js';
import { deliveries } from './deliveries.js';
import { disk } from './disk.js';
import { encryptionKey } from './encryption-key.js';
import { history } from './history.js';
import { leases } from './leases.js';
import { network } from './network.js';
import { node } from './node.js';
import { nodeUrls } from './node-urls.js';
import { nodes } from './nodes.js';
import { port } from './port.js';
import { publicUrl } from './public-url.js';
import { session } from './session.js';
import { sessions } from './sessions.js';
import { settings } from './settings.js';
import { store } from './store.js';
import { storeFile } from './store-file.js';
import { token } from './token.js';
import { tokenFile } from './token-file.js';
import { version } from './version.js';
import { webhook } from './webhook.js';

/** In the order in which they are told; what one needs stands before it. */
export const GENERAL_CHECKS: readonly GeneralCheck[] = [
  node,
  settings,
  dataDir,
  disk,
  tokenFile,
  encryptionKey,
  daemon,
  port,
  storeFile,
  clock,
  store,
  token,
  version,
  nodes,
  nodeUrls,
  leases,
  network,
  publicUrl,
  sessions,
];

export const SESSION_CHECKS: readonly SessionCheck[] = [session, webhook, deliveries, history];
