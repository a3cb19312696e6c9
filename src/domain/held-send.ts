/** Where a message is that its policy held back. */
export type HeldState =
  /** The request is being written to the store. */
  | 'storing'
  | 'waiting'
  | 'judging'
  /** The policy allows the message, which is composed and sent. */
  | 'leaving'
  | 'cancelling';

/** How a held message ends. */
export type HeldEnd =
  | 'sent'
  /** The message failed for good, expired, or waited for a number that is not linked any more. */
  | 'given up'
  /** The caller cancelled the message, or deleted it for everyone, before a copy left. */
  | 'cancelled'
  /** The store has no such message: it was never written, or another attempt announced it. */
  | 'gone';

/** An event in the life of a held message. */
export type HeldInput =
  | 'stored'
  | 'not_stored'
  /** As far as is known, the message may leave now. */
  | 'judge'
  | 'allowed'
  /** The policy or the network refuses the message for now, or the attempt failed: another one follows. */
  | 'put_back'
  | 'acknowledged'
  | 'give_up'
  | 'cancel'
  | 'withdraw';

/** The next state for each input. An input that is missing cannot come in that state. */
const HELD_TRANSITIONS: Readonly<Record<HeldState, Partial<Record<HeldInput, HeldState | HeldEnd>>>> = {
  storing: { stored: 'waiting', not_stored: 'gone', give_up: 'given up', withdraw: 'cancelled' },
  waiting: { judge: 'judging', cancel: 'cancelling', give_up: 'given up', withdraw: 'cancelled' },
  judging: { allowed: 'leaving', put_back: 'waiting', give_up: 'given up', not_stored: 'gone' },
  leaving: { acknowledged: 'sent', put_back: 'waiting', give_up: 'given up' },
  cancelling: { put_back: 'waiting', give_up: 'given up', withdraw: 'cancelled' },
};

/** @throws TypeError for an input that cannot come in this state */
export function nextHeldState(state: HeldState, input: HeldInput): HeldState | HeldEnd {
  const next = HELD_TRANSITIONS[state][input];
  if (!next) throw new TypeError(`a held message cannot be ${input} while it is ${state}`);
  return next;
}

export function isHeldEnd(state: HeldState | HeldEnd): state is HeldEnd {
  return !(state in HELD_TRANSITIONS);
}
