import Joi from 'joi';
import { personOf } from '../../../domain/address.js';
import type { EpochMs } from '../../../domain/clock.js';
import { unwrap } from '../../../domain/wrappers.js';
import type { IncomingMessage } from '../../link/link.js';
import type { HistoryMessage } from '../../store/store.js';
import { type Authorship, mayBeSame } from '../identities/parties.js';
import { reactionsIn, reactionTimesIn, underLid, withReactions } from '../identities/stored-names.js';
import { emptied } from './deletions.js';
import type { Recording } from './recording.js';

/** A reaction to, an edit or a deletion of an earlier message. */
export type Change = {
  /** The message to change. */
  targetId: string;
  by: Authorship;
  /** By the author's clock if it is plausible. */
  at: EpochMs;
} & (
  | { type: 'reaction' /** User-part. */; reactor: string /** Empty to remove it. */; emoji: string }
  | { type: 'edit'; body: string }
  | { type: 'revoke'; byAdmin: boolean }
);

/** Versions of an edited text that are stored: the first and the newest ones. */
const MAX_VERSIONS = 30;
/** Milliseconds by which an author's clock may differ from the network's to be trusted. */
const TRUSTED_SKEW_MS = 5_000;

/** The change that a message makes to an earlier one; undefined when it makes none. */
export function changeOf({ event, message, author: by }: Recording): Change | undefined {
  const { reaction, edit, revoke } = event;
  const made = { by, at: changedAt(message) };
  if (reaction) {
    const { targetId, emoji } = reaction;
    return { ...made, type: 'reaction', targetId, emoji, reactor: by.lid || by.pn || '' };
  }
  if (edit) return { ...made, type: 'edit', targetId: edit.targetId, body: edit.body };
  return revoke && { ...made, type: 'revoke', targetId: revoke.targetId, byAdmin: revoke.byAdmin };
}

const common = {
  targetId: Joi.string().required(),
  by: Joi.object({ fromMe: Joi.boolean().required(), lid: Joi.string(), pn: Joi.string() }).required(),
  at: Joi.number().required(),
};
const CHANGE = Joi.alternatives<Change>(
  Joi.object({
    ...common,
    type: Joi.valid('reaction').required(),
    reactor: Joi.string().allow('').required(),
    emoji: Joi.string().allow('').required(),
  }),
  Joi.object({ ...common, type: Joi.valid('edit').required(), body: Joi.string().allow('').required() }),
  Joi.object({ ...common, type: Joi.valid('revoke').required(), byAdmin: Joi.boolean().required() }),
);

/** Parses a stored change; undefined when it is invalid. */
export function readChange(kept: Record<string, unknown>): Change | undefined {
  const { error, value } = CHANGE.validate(kept);
  return error ? undefined : value;
}

/**
 * Applies a change. The result does not depend on the order or the number of times in which changes are applied.
 * @returns undefined when nothing changes, or when the person may not make the change
 */
export function applyChange(row: HistoryMessage, change: Change): HistoryMessage | undefined {
  if (row.deleted) return undefined;
  if (change.type === 'reaction') return react(row, change);
  const isAuthor = mayBeSame({ fromMe: row.fromMe, ...personOf(row.author) }, change.by);
  if (change.type === 'edit') return isAuthor ? edit(row, change) : undefined;
  return isAuthor || change.byAdmin ? emptied(row) : undefined;
}

function react(
  row: HistoryMessage,
  { reactor, emoji, at, by }: Extract<Change, { type: 'reaction' }>,
): HistoryMessage | undefined {
  // an earlier reaction of the person may be stored by number
  const pair = { lid: by.lid ?? '', pn: by.pn ?? '' };
  const isPair = pair.lid === reactor && pair.pn !== '';
  const reactions = isPair ? underLid(reactionsIn(row.extras), pair) : reactionsIn(row.extras);
  const times = isPair ? underLid(reactionTimesIn(row.extras), pair) : reactionTimesIn(row.extras);
  const lastAt = times.get(reactor) ?? Number.NEGATIVE_INFINITY;
  const repeated = lastAt === at && (reactions.get(reactor) ?? '') === emoji;
  if (lastAt > at || repeated) return undefined;
  reactions.delete(reactor);
  if (emoji) reactions.set(reactor, emoji);
  return { ...row, extras: withReactions(row.extras, reactions, times.set(reactor, at)) };
}

interface Version {
  body: string;
  /** Time of the edit; -Infinity for the first version. */
  at: number;
}

function edit(
  row: HistoryMessage,
  { body, at }: Extract<Change, { type: 'edit' }>,
): HistoryMessage | undefined {
  const versions = versionsOf(row);
  if (versions.some((version) => version.at === at && version.body === body)) return undefined;
  const later = versions.findIndex((version) => version.at > at);
  versions.splice(later < 0 ? versions.length : later, 0, { body, at });
  if (versions.length > MAX_VERSIONS) versions.splice(1, versions.length - MAX_VERSIONS);
  const former = versions.slice(0, -1).map((version, index) => ({
    body: version.body,
    editedAt: new Date(versions[index + 1]?.at ?? at).toISOString(),
  }));
  const current = versions.at(-1)?.body ?? body;
  const extras = { ...row.extras, ...captioned(row.extras, current), edited: true, editHistory: former };
  return { ...row, body: current, extras };
}

/** The text of a file message is its caption, which is stored in two places. */
function captioned({ media }: HistoryMessage['extras'], caption: string) {
  return media instanceof Object && { media: { ...media, caption } };
}

/** Each item of the edit history holds a former text and the time at which the next one replaced it. */
function versionsOf({ body, extras }: HistoryMessage): Version[] {
  const versions: Version[] = [];
  let since = Number.NEGATIVE_INFINITY;
  for (const { body: former, editedAt } of editsIn(extras)) {
    versions.push({ body: former, at: since });
    since = Date.parse(editedAt);
  }
  return [...versions, { body, at: since }];
}

/**
 * The network's time has whole seconds, and two changes within one second are common. The author's clock orders them if it
 * is plausible.
 */
function changedAt({ content, timestamp }: IncomingMessage): number {
  const { reactionMessage, protocolMessage } = unwrap(content);
  const stated = reactionMessage?.senderTimestampMs ?? protocolMessage?.timestampMs;
  const at = stated == null ? timestamp : Number(stated);
  return Math.abs(at - timestamp) <= TRUSTED_SKEW_MS ? at : timestamp;
}

function editsIn({ editHistory }: HistoryMessage['extras']): FormerText[] {
  const items: unknown[] = Array.isArray(editHistory) ? editHistory : [];
  return items.filter(isFormerText);
}

/** An item of the edit history. */
interface FormerText {
  body: string;
  /** RFC 3339: when the next text took its place. */
  editedAt: string;
}

function isFormerText(item: unknown): item is FormerText {
  if (typeof item !== 'object' || item === null || !('body' in item && 'editedAt' in item)) return false;
  return typeof item.body === 'string' && typeof item.editedAt === 'string';
}
