import type { REASONS } from './reason-table.js';

/**
 * What the release before stored in words, of sessions that wait for an operator; all others get a new reason when they
 * connect. Do not change the words.
 */
const FORMER: readonly (readonly [words: string, code: keyof typeof REASONS, kind?: string])[] = [
  ['The phone removed this linked device. Call /start to pair again.', 'logged_out', 'removed'],
  [
    'The phone removed this linked device, or the network no longer knows it. Call /start to pair again.',
    'logged_out',
    'unknown',
  ],
  [
    'The account does not take linked devices of this kind; link it again. Call /start to pair again.',
    'device_mismatch',
  ],
  ['Another client took over this link. Stop the other client, then call /reconnect.', 'replaced', 'taken'],
  [
    'The network has restricted this account for a time. Look at the phone; once the restriction has ended, call /reconnect.',
    'account_restricted',
    'open',
  ],
  [
    'The account is locked, or its phone is gone. Look at the phone; once the account works there, call /reconnect.',
    'account_locked',
  ],
  [
    'The network has banned this account. Look at the phone: only the network can lift a ban. Once it has, call /reconnect.',
    'banned',
  ],
  ['No phone scanned the QR code in time. Call /start for new QR codes.', 'qr_expired'],
  [
    'The network refused the credentials of an unfinished pairing. Call /start to begin again.',
    'pairing_unfinished',
  ],
];

/** The reason that the words of the release before stood for. */
export function formerReason(words: string): { code: keyof typeof REASONS; values: Record<string, string> } {
  const [, code, kind] = FORMER.find(([former]) => former === words) ?? [];
  if (!code) return { code: 'former_words', values: { words } };
  return { code, values: kind === undefined ? {} : { kind } };
}
