import type { Expected, Message, Phone } from './phone.js';

/** What a test can expect of a phone. */
export interface PhoneExpectation {
  /** As `phone.receives`. */
  toReceive(expected: Expected, options?: { timeoutMs?: number }): Promise<Message>;
  not: {
    /** As `phone.receivesNo`. */
    toReceive(expected: Expected, options?: { withinMs?: number }): Promise<void>;
  };
}

/** Expects something of a phone, in any test runner: `await expect(bob).toReceive(/hello/)`. */
export function expect(phone: Phone): PhoneExpectation {
  return {
    toReceive: (expected, options) => phone.receives(expected, options),
    not: { toReceive: (expected, options) => phone.receivesNo(expected, options) },
  };
}
