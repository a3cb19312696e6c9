import Joi from 'joi';
import { personOf } from '../../domain/address.js';
import { unwrap } from '../../kinds/unwrap.js';
import type { IncomingMessage } from '../../link/link.js';
import type { HistoryMessage } from '../../store/store.js';
import { type Authorship, mayBeSame } from '../authorship.js';
import { editsIn, reactionsIn, reactionTimesIn, underLid, withReactions } from './extras.js';
import type { Recording } from './recording.js';

/** What a person does to an earlier message. */
export type Change = {
  /** The message to change. */
  targetId: string;
  by: Authorship;
  /** Milliseconds since the epoch, by the clock of whoever did it where it was told. */
  at: number;
} & (
  | { type: 'reaction' /** User-part. */; reactor: string /** Empty when taken back. */; emoji: string }
  | { type: 'edit'; body: string }
  | { type: 'revoke'; byAdmin: boolean }
);

/** Versions of an edited text that are kept: the first and the newest. */
const MAX_VERSIONS = 30;
/** Milliseconds by which an author's clock may differ from the network's. */
const TRUSTED_SKEW_MS = 5_000;

/** The change that a message makes; undefined when it makes none that the history keeps. */
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

/** Reads a change as it was kept; undefined when it is none. */
export function readChange(kept: Record<string, unknown>): Change | undefined {
  const { error, value } = CHANGE.validate(kept);
  return error ? undefined : value;
}

/**
 * Applies a change. In whatever order changes come, and however often, the same message comes of them.
 * @returns undefined when nothing changes, or when who made it has no right to.
 */
export function applyChange(row: HistoryMessage, change: Change): HistoryMessage | undefined {
  if (change.type === 'reaction') return react(row, change);
  const isAuthor = mayBeSame({ fromMe: row.fromMe, ...personOf(row.author) }, change.by);
  if (change.type === 'edit') return isAuthor ? edit(row, change) : undefined;
  if (row.deleted || !(isAuthor || change.byAdmin)) return undefined;
  return { ...row, deleted: true, extras: { ...row.extras, revoked: true } };
}

function react(
  row: HistoryMessage,
  { reactor, emoji, at, by }: Extract<Change, { type: 'reaction' }>,
): HistoryMessage | undefined {
  // an earlier reaction of the same person may stand under the number
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
  /** When the edit was made; nothing is older than the first version. */
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

/** The text of a file is its caption, which stands in two places. */
function captioned({ media }: HistoryMessage['extras'], caption: string) {
  return media instanceof Object && { media: { ...media, caption } };
}

/** Each item of the edit history holds a former text, and when the next one took its place. */
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
 * The network's time counts whole seconds, and two changes within one are not rare: the author's clock tells them apart
 * where it goes right.
 */
function changedAt({ content, timestamp }: IncomingMessage): number {
  const { reactionMessage, protocolMessage } = unwrap(content);
  const told = reactionMessage?.senderTimestampMs ?? protocolMessage?.timestampMs;
  const at = told == null ? timestamp : Number(told);
  return Math.abs(at - timestamp) <= TRUSTED_SKEW_MS ? at : timestamp;
}
