/**
 * For tests of bots: a gateway on a simulated network in the process of the test. docs/testing-your-bot.md shows how to use it.
 */
export type { FaultKind } from '../client/sandbox/client.js';
export { expect, type PhoneExpectation } from './expect.js';
export type { GatewaySettings } from './gateway.js';
export { ExpectationError, type Expected, type Message, type Phone, type Recipient } from './phone.js';
export {
  createWorld,
  type Session,
  type SessionOptions,
  type World,
  type WorldClock,
  type WorldOptions,
} from './world.js';
