import { DAY_MS } from '../../domain/clock.js';
import { named, oneOf, optional, type TypeOf } from '../schema.js';
import { number, whole } from './fields.js';
import { pairingStep } from './linking.js';
import { controlOperation } from './operation.js';

const MAX_COUNT = 1_000_000;
/** The longest restriction and ban: 90 days. */
const MAX_ENDING_MS = 90 * DAY_MS;

/** The names of all faults; docs/sandbox.md describes them. `new-chat-limit` is another name of `new-chat-cap`. */
const FAULT_KINDS = [
  'account-banned',
  'account-banned-with-unlink',
  'app-state-conflict',
  'ask-again',
  'ban',
  'ban-with-unlink',
  'conflict',
  'cut-pairing',
  'delay',
  'device-removed',
  'dirty-account',
  'dirty-groups',
  'disconnect',
  'drop-acks',
  'drop-receipts',
  'expired-certificate',
  'garbage-frames',
  'hasty-primary',
  'ignore-app-state',
  'ignore-queries',
  'ignore-restrictions',
  'late-resend',
  'login-bad-request',
  'login-client-unknown',
  'login-experimental',
  'login-server-error',
  'login-user-agent',
  'logout',
  'media-host-down',
  'new-chat-cap',
  'new-chat-limit',
  'new-chat-second-warning',
  'new-chat-warning',
  'no-device-news',
  'no-keys',
  'no-lid-chats',
  'no-pairing-code',
  'no-resend',
  'no-version-page',
  'offline-batches',
  'passkey-expired',
  'passkey-options-missing',
  'reachout-lock',
  'refresh-at-scan',
  'refresh-lid',
  'refuse-companion-finish',
  'refuse-resume',
  'refuse-upgrade',
  'reject-assertion',
  'reject-media',
  'reject-sends',
  'repeat-pair-success',
  'replay-primary-hello',
  'restart-required',
  'second-passkey-request',
  'service-unavailable',
  'short-primary-key',
  'short-primary-nonce',
  'silence',
  'temporary-ban',
  'token-required',
  'unasked-continuation',
  'wrong-certificate',
  'wrong-certificate-key',
  'wrong-pair-hmac',
  'wrong-pair-signature',
  'wrong-relying-party',
] as const;
const faultKind = oneOf(...FAULT_KINDS).meta({ name: 'FaultKind' });
export type FaultKind = TypeOf<typeof faultKind>;

/** An order of a fault. */
const faultRequest = named('FaultRequest', {
  kind: faultKind.example('disconnect'),
  number: optional(number.description('Limits the fault to the linked devices of this number')),
  count: optional(whole(1, MAX_COUNT).description('How often')),
  ms: optional(whole(0, MAX_ENDING_MS).description('Milliseconds, for faults that take time')),
  step: optional(pairingStep.description('For `cut-pairing`')),
});
export type FaultRequest = TypeOf<typeof faultRequest>;

/** Failures that the network plays on request. */
export const faults = {
  fault: controlOperation({
    method: 'POST',
    path: '/faults',
    summary: 'Order a fault',
    body: faultRequest,
    status: 201,
    answer: faultRequest,
    example: { kind: 'disconnect', number: '+15550000001' },
    errors: ['phone_unknown'],
  }),
  clearFaults: controlOperation({ method: 'DELETE', path: '/faults', summary: 'Clear all faults' }),
};
