import type { Clock } from '../../../domain/clock.js';
import type { RetryPolicy } from '../../../domain/retry.js';
import type { SessionStatus } from '../../../domain/session.js';
import type { LinkEvent, LinkFactory } from '../../link/link.js';
import type { WaVersions } from '../../link/wa-versions.js';
import type { Logger } from '../../log.js';
import type { Store } from '../../store/store.js';
import type { ApiSecretHasher } from './api-secret.js';
import type { HealthSources } from './directory.js';
import type { Ownership } from './ownership.js';
import type { Session } from './session.js';

/** Dependencies of the sessions of a node. */
export interface RegistryOptions extends HealthSources {
  store: Store;
  links: LinkFactory;
  clock: Clock;
  log: Logger;
  hasher: ApiSecretHasher;
  backoff?: RetryPolicy;
  returns?: RetryPolicy;
  /** The client version; the library's when it is not given. */
  versions?: WaVersions;
  onStatus(session: Session, previous: SessionStatus): void;
  onLinkEvent(session: Session, event: LinkEvent): void;
  /** Called when a session comes to another workspace. */
  onOrgId?(clientId: string): void;
  /** Resolves when nothing of a session is in flight, and nothing more of it is written. */
  end(clientId: string): Promise<void>;
  /** Decides which sessions this node holds; default: all. */
  ownership?: Ownership;
  /** Called when a session's data are deleted. */
  forget(clientId: string): void;
  /** Permits webhooks on private addresses; default: yes. */
  allowPrivateUrls?: boolean;
}
