/**
 * What the extras of a stored message say of its changes, as JSON came back from the store. `reactionTimes` tells by
 * whom the last reaction came when, also of those that were taken back; it is not for callers.
 */
type Extras = Record<string, unknown>;

/** A former text of an edited message. */
export interface FormerText {
  body: string;
  /** RFC 3339: when the next text took its place. */
  editedAt: string;
}

/** Both addresses of a person: user-parts. */
export interface KnownPair {
  lid: string;
  pn: string;
}

/** Emojis by the user-part of who reacted. */
export function reactionsIn({ reactions }: Extras): Map<string, string> {
  return new Map(
    entriesOf(reactions).flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

/** Milliseconds since the epoch, likewise. */
export function reactionTimesIn({ reactionTimes }: Extras): Map<string, number> {
  return new Map(
    entriesOf(reactionTimes).flatMap(([key, value]) => (typeof value === 'number' ? [[key, value]] : [])),
  );
}

export function withReactions(
  extras: Extras,
  reactions: ReadonlyMap<string, string>,
  times: ReadonlyMap<string, number>,
): Extras {
  return {
    ...extras,
    reactions: Object.fromEntries(reactions),
    reactionTimes: Object.fromEntries(times),
  };
}

/** What stands under the number stands under the LID, unless something does already. */
export function underLid<Value>(values: Map<string, Value>, { lid, pn }: KnownPair): Map<string, Value> {
  const value = values.get(pn);
  values.delete(pn);
  if (value !== undefined && !values.has(lid)) values.set(lid, value);
  return values;
}

/** Oldest first. */
export function editsIn({ editHistory }: Extras): FormerText[] {
  const items: unknown[] = Array.isArray(editHistory) ? editHistory : [];
  return items.filter(isFormerText);
}

/** Without what is not for callers. */
export function shownExtras({ reactionTimes, ...shown }: Extras): Extras {
  return shown;
}

function isFormerText(item: unknown): item is FormerText {
  if (typeof item !== 'object' || item === null || !('body' in item && 'editedAt' in item)) return false;
  return typeof item.body === 'string' && typeof item.editedAt === 'string';
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}
