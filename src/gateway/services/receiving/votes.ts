import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PollVoteExtra } from '../../../contract/events/extras.js';
import type { PollAnswer, PollLookups, PollQuestion } from '../../delivery/poll-lookup.js';
import { readContent } from '../../kinds/index.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { SessionRecord, Store } from '../../store/store.js';
import { Interrupted, type StoreRetry } from '../store-retry.js';

/**
 * Finds the names behind a vote's hashes. A vote that takes all choices back has no hashes.
 * @param vote `voter` is a user-part; `selectedHashes` are in hex, undefined when the vote could not be decrypted
 * @throws Interrupted
 */
export async function readVote(
  session: SessionRecord,
  chatRoomId: string,
  {
    pollMessageId,
    voter,
    selectedHashes,
  }: { pollMessageId: string; voter: string; selectedHashes: string[] | undefined },
  { pollOptions, log }: { pollOptions: PollOptions; log: Logger },
): Promise<PollVoteExtra> {
  const vote = { pollMessageId, voter, selectedHashes: selectedHashes ?? [] };
  if (!selectedHashes) return { ...vote, resolved: false, selectedOptions: [] };
  if (selectedHashes.length === 0) return { ...vote, resolved: true, selectedOptions: [] };
  const question: PollQuestion = { clientId: session.clientId, chatRoomId, pollMessageId };
  const fits = (options: string[]) => namesOf(selectedHashes, options) !== undefined;
  const answer = await pollOptions.find(session, question, fits);
  if (!answer.options) {
    if (answer.stopped) throw new Interrupted();
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

/** Bounds of the cache, which helps because votes come in bursts: polls, characters of their options together, milliseconds. */
const CACHED_POLLS = 1_000;
const CACHED_CHARS = 4 * 1024 * 1024;
const CACHE_MS = 5 * 60_000;

/** The options of polls: from the hosted history where it has the poll, otherwise from the session's receiver. */
export class PollOptions {
  readonly #source;
  readonly #cache = new LRUCache<string, string[]>({
    max: CACHED_POLLS,
    maxSize: CACHED_CHARS,
    sizeCalculation: (options) => options.join('').length + 1,
    ttl: CACHE_MS,
  });
  /** Look-ups under way, shared by all votes of a poll. */
  readonly #asking = new Map<string, Promise<PollAnswer>>();

  constructor(source: {
    store: Pick<Store, 'history' | 'sends'>;
    links: Pick<LinkFactory, 'decode'>;
    lookups: Pick<PollLookups, 'ask'>;
    retry: StoreRetry;
  }) {
    this.#source = source;
  }

  /** @param fits whether options are those of the poll; if not, the next source is asked */
  async find(
    session: SessionRecord,
    question: PollQuestion,
    fits: (options: string[]) => boolean,
  ): Promise<PollAnswer> {
    const stored = session.orgId ? await this.#stored(question) : undefined;
    if (stored && fits(stored)) return { options: stored };
    if (!session.pollLookupUrl) return { reason: 'the session has no pollLookupUrl', stopped: false };
    const key = `${question.chatRoomId} ${question.pollMessageId} ${session.pollLookupUrl}`;
    const cached = this.#cache.get(key);
    if (cached && fits(cached)) return { options: cached };
    const answer = await this.#ask(key, session, question);
    if (!answer.options) return answer;
    if (!fits(answer.options)) return { reason: 'the answer has not all the options', stopped: false };
    this.#cache.set(key, answer.options);
    return answer;
  }

  /** The row of an own poll may not be written yet. */
  async #stored({ clientId, chatRoomId, pollMessageId }: PollQuestion): Promise<string[] | undefined> {
    const { store, retry, links } = this.#source;
    const row = await retry.run(() => store.history.message(clientId, chatRoomId, pollMessageId));
    const content =
      row?.content ?? (await retry.run(() => store.sends.get(clientId, pollMessageId)))?.content;
    return content && readContent(links.decode(content)).reading.extra?.poll?.options;
  }

  #ask(key: string, session: SessionRecord, question: PollQuestion): Promise<PollAnswer> {
    const asking = this.#asking.get(key);
    if (asking) return asking;
    const receiver = { url: session.pollLookupUrl, token: session.webhookToken };
    const answer = this.#source.lookups.ask(receiver, question).finally(() => this.#asking.delete(key));
    this.#asking.set(key, answer);
    return answer;
  }
}
