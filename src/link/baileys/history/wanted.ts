import type { AuthenticationCreds } from '@whiskeysockets/baileys';

/**
 * Notes in the credentials of a fresh pairing that the account's past is wanted. It is written with them in one step, so
 * that whatever interrupts the parts that come later, it is known of each whether it is to be kept.
 */
export function noteHistoryWanted(creds: AuthenticationCreds): void {
  creds.additionalData = { wantsHistory: true };
}

/** True when it was noted. */
export function isHistoryWanted(creds: AuthenticationCreds): boolean {
  const noted: unknown = creds.additionalData;
  return (
    typeof noted === 'object' && noted !== null && 'wantsHistory' in noted && noted.wantsHistory === true
  );
}
