import type { EventEnvelope } from '../../events/envelope.js';
import { type Authorship, mayBeSame } from '../authorship.js';

/** The earlier message that an event changes; undefined when it changes none. */
export function targetIdOf({ reaction, edit, revoke }: EventEnvelope): string | undefined {
  return reaction?.targetId ?? edit?.targetId ?? revoke?.targetId;
}

/** True when only an admin of the group may do what the event does: delete what somebody else wrote. */
export function needsAdmin(
  event: EventEnvelope,
  author: Authorship,
  targetAuthor: Authorship | undefined,
): boolean {
  const { revoke, isGroup, fromMe } = event;
  return revoke !== undefined && isGroup && !fromMe && !isOwnTarget(event, author, targetAuthor);
}

/**
 * Holds an event that changes an earlier message against who wrote that one. Whether an admin did it where only admins may
 * is for the caller to know.
 * @param targetAuthor undefined where not known
 * @returns the event with what it tells of its target put right; undefined when it claims what its author has no right
 * to: only the author edits a message, and only the author or an admin of the group deletes it.
 */
export function withTarget<Event extends EventEnvelope>(
  event: Event,
  author: Authorship,
  targetAuthor: Authorship | undefined,
): Event | undefined {
  const { reaction, revoke, edit, isGroup } = event;
  const isOwn = isOwnTarget(event, author, targetAuthor);
  if (!isOwn && (edit || (revoke && !isGroup))) return undefined;
  if (revoke) return { ...event, revoke: { ...revoke, byAdmin: !isOwn } };
  if (!reaction || !targetAuthor) return event;
  return { ...event, reaction: { ...reaction, targetFromMe: targetAuthor.fromMe } };
}

/** True when an event changes a message of its own author, as far as is known, or said where nothing is known. */
function isOwnTarget(
  { revoke }: EventEnvelope,
  author: Authorship,
  targetAuthor: Authorship | undefined,
): boolean {
  return targetAuthor ? mayBeSame(targetAuthor, author) : !revoke?.byAdmin;
}
