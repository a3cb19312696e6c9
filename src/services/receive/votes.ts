import { createHash } from 'node:crypto';
import type { PollQuestion } from '../../delivery/lookup.js';
import type { PollVoteExtra } from '../../events/extras.js';
import type { Logger } from '../../log.js';
import type { SessionRecord } from '../../store/store.js';
import type { PollOptions } from './poll-options.js';

/** A vote as it was opened. */
export interface CastVote {
  pollMessageId: string;
  /** User-part of who voted. */
  voter: string;
  /** Hex SHA-256 of each chosen option; undefined when the vote could not be opened. */
  selectedHashes: string[] | undefined;
}

/**
 * Finds the names behind a vote's hashes. A vote that takes all choices back has none to be found.
 * @returns undefined when the gateway stopped first: nobody knows yet.
 */
export async function readVote(
  session: SessionRecord,
  chatRoomId: string,
  { pollMessageId, voter, selectedHashes }: CastVote,
  { pollOptions, log }: { pollOptions: PollOptions; log: Logger },
): Promise<PollVoteExtra | undefined> {
  const vote = { pollMessageId, voter, selectedHashes: selectedHashes ?? [] };
  if (!selectedHashes) return { ...vote, resolved: false, selectedOptions: [] };
  if (selectedHashes.length === 0) return { ...vote, resolved: true, selectedOptions: [] };
  const question: PollQuestion = { clientId: session.clientId, chatRoomId, pollMessageId };
  const fits = (options: string[]) => namesOf(selectedHashes, options) !== undefined;
  const answer = await pollOptions.find(session, question, fits);
  if (!answer.options) {
    if (answer.stopped) return undefined;
    log.info({ ...question, reason: answer.reason }, 'vote delivered without the names of its options');
    return { ...vote, resolved: false, selectedOptions: [] };
  }
  return { ...vote, resolved: true, selectedOptions: namesOf(selectedHashes, answer.options) ?? [] };
}

/** The options with these hashes, in the poll's order; undefined when one of them is missing. */
function namesOf(hashes: readonly string[], options: readonly string[]): string[] | undefined {
  const chosen = new Set(hashes.map((hash) => hash.toLowerCase()));
  const names = [...new Set(options)].filter((option) => chosen.delete(sha256(option)));
  return chosen.size === 0 ? names : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
