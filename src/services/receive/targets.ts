import type { EventEnvelope } from '../../events/envelope.js';
import type { MessageTrace } from '../../store/store.js';
import { type Authorship, authorOfTrace, mayBeSame } from '../authorship.js';

/** The earlier message that an event changes; undefined when it changes none. */
export function targetIdOf({ reaction, edit, revoke }: EventEnvelope): string | undefined {
  return reaction?.targetId ?? edit?.targetId ?? revoke?.targetId;
}

/** True when only an admin of the group may do what the event does: delete what somebody else wrote. */
export function needsAdmin(
  { revoke, isGroup, fromMe }: EventEnvelope,
  author: Authorship,
  trace: MessageTrace | undefined,
): boolean {
  if (!revoke || !isGroup || fromMe) return false;
  return trace ? !mayBeSame(authorOfTrace(trace), author) : revoke.byAdmin;
}

/**
 * Holds an event that changes an earlier message against what is remembered of that one. Whether an admin did it where
 * only admins may is for the caller to know.
 * @returns the event with what it tells of its target put right; undefined when it claims what its author has no right
 * to: only the author edits a message, and only the author or an admin of the group deletes it.
 */
export function withTarget<Event extends EventEnvelope>(
  event: Event,
  author: Authorship,
  trace: MessageTrace | undefined,
): Event | undefined {
  if (!trace) return event;
  const isAuthor = mayBeSame(authorOfTrace(trace), author);
  const { reaction, revoke, edit } = event;
  if (reaction) return { ...event, reaction: { ...reaction, targetFromMe: trace.fromMe } };
  if (edit && !isAuthor) return undefined;
  if (!revoke) return event;
  if (!isAuthor && !event.isGroup) return undefined;
  return { ...event, revoke: { ...revoke, byAdmin: !isAuthor } };
}
