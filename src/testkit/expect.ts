import type { Expected, Message, Phone } from './phone.js';

/** Expectations that a test can have of a phone. */
export interface PhoneExpectation {
  /** Same as `phone.receives`. */
  toReceive(expected: Expected, options?: { timeoutMs?: number }): Promise<Message>;
  not: {
    /** Same as `phone.receivesNo`. */
    toReceive(expected: Expected, options?: { withinMs?: number }): Promise<void>;
  };
}

/** Makes expectations of a phone, in any test runner: `await expect(bob).toReceive(/hello/)`. */
export function expect(phone: Phone): PhoneExpectation {
  return {
    toReceive: (expected, options) => phone.receives(expected, options),
    not: { toReceive: (expected, options) => phone.receivesNo(expected, options) },
  };
}
