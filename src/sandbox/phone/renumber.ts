import type { HeldMessage } from './held-messages.js';

/** Puts another number in place of one, wherever a message names people. @returns whether it did */
export function renumberMessage(message: HeldMessage, before: string, after: string): boolean {
  const votes = message.poll?.votes ?? {};
  const named = [
    message.from,
    message.to,
    ...message.mentions,
    ...Object.keys({ ...message.reactions, ...votes }),
  ];
  if (!named.includes(before)) return false;
  const swap = (number: string) => (number === before ? after : number);
  Object.assign(message, {
    from: swap(message.from),
    to: swap(message.to),
    mentions: message.mentions.map(swap),
  });
  message.reactions = renameKey(message.reactions, before, after);
  if (message.poll) message.poll = { ...message.poll, votes: renameKey(votes, before, after) };
  return true;
}

/** The same values, one of them under another key. */
export function renameKey<Value>(
  values: Record<string, Value>,
  before: string,
  after: string,
): Record<string, Value> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key === before ? after : key, value]),
  );
}
