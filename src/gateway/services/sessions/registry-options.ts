import type { Clock } from '../../../domain/clock.js';
import type { RetryPolicy } from '../../../domain/retry.js';
import type { LinkFactory } from '../../link/link.js';
import type { WaVersions } from '../../link/wa-versions.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { ApiSecretHasher } from './api-secret.js';
import type { Ownership } from './ownership.js';
import type { SessionParts } from './session-parts.js';

/** Dependencies of the sessions of a node. */
export interface RegistryOptions {
  store: Store;
  links: LinkFactory;
  clock: Clock;
  log: Logger;
  hasher: ApiSecretHasher;
  backoff?: RetryPolicy;
  returns?: RetryPolicy;
  /** The client version; the library's when it is not given. */
  versions?: WaVersions;
  parts: SessionParts;
  /** Decides which sessions this node holds; default: all. */
  ownership?: Ownership;
  /** Permits webhooks on private addresses; default: yes. */
  allowPrivateUrls?: boolean;
}
