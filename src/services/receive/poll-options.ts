import { LRUCache } from 'lru-cache';
import type { PollAnswer, PollLookups, PollQuestion } from '../../delivery/lookup.js';
import { readContent } from '../../kinds/index.js';
import type { LinkFactory } from '../../link/link.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { StoreSteps } from '../store-steps.js';

/** Polls whose options are kept at hand, their characters together, and for how many milliseconds: votes come in bunches. */
const CACHED_POLLS = 1_000;
const CACHED_CHARS = 4 * 1024 * 1024;
const CACHE_MS = 5 * 60_000;

export interface PollOptionsSource {
  store: Pick<Store, 'history' | 'sends'>;
  links: Pick<LinkFactory, 'decode'>;
  lookups: Pick<PollLookups, 'ask'>;
  steps: StoreSteps;
}

/** The options of polls: from the hosted history where it has the poll, otherwise from the session's receiver. */
export class PollOptions {
  readonly #source: PollOptionsSource;
  readonly #cache = new LRUCache<string, string[]>({
    max: CACHED_POLLS,
    maxSize: CACHED_CHARS,
    sizeCalculation: (options) => options.join('').length + 1,
    ttl: CACHE_MS,
  });
  /** Look-ups under way: one for all the votes of a poll that come meanwhile. */
  readonly #asking = new Map<string, Promise<PollAnswer>>();

  constructor(source: PollOptionsSource) {
    this.#source = source;
  }

  /** @param fits whether options are those of the poll: what does not fit is looked for further on. */
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

  /** An own poll may be on its way into the history still. */
  async #stored({ clientId, chatRoomId, pollMessageId }: PollQuestion): Promise<string[] | undefined> {
    const { store, steps, links } = this.#source;
    const row = await steps.run(() => store.history.message(clientId, chatRoomId, pollMessageId));
    const content =
      row?.content ?? (await steps.run(() => store.sends.get(clientId, pollMessageId)))?.content;
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
