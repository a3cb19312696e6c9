/** The public API of the package. */

export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './client/verify.js';
export type { GatewayEvent } from './contract/events/catalogue.js';
export type { EventEnvelope } from './contract/events/envelope.js';
export { GatewayError } from './domain/errors.js';
export { ConfigError, loadConfig } from './gateway/config/load.js';
export type { Config } from './gateway/config/schema.js';
export { createDaemon, type Daemon, type DaemonOverrides } from './gateway/daemon/daemon.js';
export { openStore } from './gateway/store/open.js';
export type { Store } from './gateway/store/store.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/index.js';
