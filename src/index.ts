/** The public API of the package. */
export { ConfigError, loadConfig } from './config/load.js';
export type { Config } from './config/schema.js';
export { createDaemon, type Daemon, type DaemonOverrides } from './daemon/daemon.js';
export { type VerifyOptions, verifyWebhook, WebhookVerificationError } from './delivery/verify.js';
export { GatewayError } from './domain/errors.js';
export type { GatewayEvent } from './events/catalogue.js';
export type { EventEnvelope } from './events/envelope.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox/index.js';
export { openStore } from './store/open.js';
export type { Store } from './store/store.js';
