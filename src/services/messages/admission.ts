import type { boundedCache } from '../../domain/bounded-cache.js';
import type { PolicyRefusal } from '../../domain/errors.js';
import type { Policy } from '../../domain/policy/policy.js';
import {
  type ChatStanding,
  type IntendedSend,
  isRestricted,
  judge,
  type NumberState,
  type Refusal,
} from '../../domain/policy/rules.js';
import type { CountedSend, SendCounts } from '../../domain/policy/send-counts.js';
import type { WireCheck } from '../../link/link.js';
import type { PastSend, SendWeight } from '../../store/store.js';
import { later } from './chat-standings.js';

/** What is counted of a session. */
export interface Counted {
  counts: SendCounts;
  standings: ReturnType<typeof boundedCache<ChatStanding>>;
  /** The first messages of chats that are in flight, by jid. */
  beginning: Map<string, SendInFlight>;
}

/** A send that is counted while it is in flight. */
interface SendInFlight extends CountedSend {
  hasLeft: boolean;
}

/** What the record of a send says of it for the rules. */
export interface SendStamp {
  counted: SendWeight;
  /** As `IntendedSend.text`; absent where no rule asks for it. */
  textHash?: string;
  /** When it leaves: milliseconds since the epoch. */
  sentAt: number;
}

/** A send that may leave, as far as its policy is concerned. */
export interface Admission extends WireCheck {
  /** A copy of it may have left. */
  readonly hasLeft: boolean;
  /**
   * Judges and counts a send that is about to leave, and writes it down.
   * @throws GatewayError policy_refused, and what `write` throws
   */
  leave(write: (stamp: SendStamp) => Promise<void>): Promise<void>;
  /**
   * Before each further attempt.
   * @throws GatewayError policy_refused if the network has restricted the number since
   */
  leaveAgain(): Promise<void>;
  /** The network refused the message: it stays counted, and the chat is as new as before. */
  rejected(): void;
  /** The send ended: one that did not leave is not counted. */
  end(): void;
}

/** A send that a policy permits, counted from then on. */
export class CountedAdmission implements Admission {
  readonly #options;
  readonly #own: SendInFlight;
  /** What is counted of an earlier attempt. */
  readonly #before: CountedSend | undefined;
  #isCounted = false;
  #isRejected = false;
  /** A copy was written. */
  #isWritten = false;

  /** @throws GatewayError policy_refused */
  constructor(options: {
    policy: Policy;
    intended: IntendedSend;
    counted: Counted;
    /** What an earlier attempt left: it may have arrived. */
    kept?: PastSend | undefined;
    /** The restrictions of the network alone hold it back. */
    isResumed?: boolean | undefined;
    now(): number;
    number(): NumberState;
    /** Resolves when the network has said whether it restricts the number, or is silent. */
    restrictionsKnown(standing: ChatStanding): Promise<void>;
    /** Looks up how far the chat has come, where the rules depend on an answer. */
    answered(standing: ChatStanding): Promise<ChatStanding>;
    /** @throws GatewayError policy_refused, unless the policy only observes */
    refuse(refusals: readonly Refusal[], isRepeated: boolean): void;
  }) {
    this.#options = options;
    const { intended, kept } = options;
    // a start resumes a send without its text
    const { to, text = kept?.textHash ?? '' } = intended;
    this.#own = { at: intended.at, to, isNewChat: false, text, hasLeft: false };
    this.#before = kept && countedSend(kept);
    try {
      this.#count('admitted');
    } catch (error) {
      this.end();
      throw error;
    }
  }

  async leave(write: (stamp: SendStamp) => Promise<void>): Promise<void> {
    await this.#options.restrictionsKnown(this.#standing());
    await this.#lookUp();
    this.#count('leaving');
    const { isNewChat, at, text } = this.#own;
    const counted = isNewChat ? 'new chat' : 'message';
    await write({ counted, ...(text && { textHash: text }), sentAt: at });
    // the network may have told of a restriction while the record was written
    await this.#refuseLate();
    this.#own.hasLeft = true;
  }

  async leaveAgain(): Promise<void> {
    await this.#options.restrictionsKnown(this.#standing());
    await this.#refuseLate();
  }

  get hasLeft(): boolean {
    return this.#own.hasLeft;
  }

  mayLeave(): boolean {
    const mayLeave = this.#lateRefusals().length === 0;
    this.#isWritten ||= mayLeave;
    return mayLeave;
  }

  async heldBack(): Promise<void> {
    this.#own.hasLeft = this.#isWritten;
    await this.#refuseLate();
    this.#own.hasLeft = true;
  }

  rejected(): void {
    this.#isRejected = true;
  }

  end(): void {
    const { counts, standings, beginning } = this.#options.counted;
    const { to, hasLeft } = this.#own;
    if (beginning.get(to) === this.#own) {
      beginning.delete(to);
      if (hasLeft && !this.#isRejected) standings.set(to, later(standings.get(to), 'unanswered'));
    }
    if (hasLeft || !this.#isCounted) return;
    counts.remove(this.#own);
    if (this.#before) counts.add(this.#before);
    this.#isCounted = false;
  }

  /** Judges the send and counts it as of now. Nothing may be awaited between the judgement and the count. */
  #count(step: 'admitted' | 'leaving'): void {
    const { policy, intended, counted, kept, isResumed, now, number, refuse } = this.#options;
    const { counts, beginning } = counted;
    const own = this.#own;
    if (this.#isCounted) counts.remove(own);
    else if (this.#before) counts.remove(this.#before);
    const first = beginning.get(own.to);
    const isBegun = first && first !== own && (first.hasLeft || step === 'admitted');
    const standing = later(this.#standing(), isBegun ? 'unanswered' : undefined);
    if (standing === 'new' && first && first !== own) {
      // the send that was to begin the chat has not left
      counts.remove(first);
      first.isNewChat = false;
      counts.add(first);
    }
    Object.assign(own, { at: now(), isNewChat: standing === 'new' });
    const rules = isResumed ? networkRules(policy) : policy;
    // a send that is only observed was judged when it was admitted
    const isJudged = step === 'admitted' || policy.mode === 'enforce';
    const refusals = isJudged ? judge(rules, { ...intended, at: own.at, standing }, number()) : [];
    counts.add(own);
    this.#isCounted = true;
    if (own.isNewChat) beginning.set(own.to, own);
    else if (first === own) beginning.delete(own.to);
    if (refusals.length > 0) refuse(refusals, kept !== undefined);
  }

  /** How far the chat has come by the messages that have left, this one aside. */
  #standing(): ChatStanding {
    const { intended, counted } = this.#options;
    const standing = later(intended.standing, counted.standings.get(intended.to));
    // an earlier attempt of the same message began the chat
    return standing === 'unanswered' && this.#before?.isNewChat ? 'new' : standing;
  }

  /** The other side may have written since the send was admitted. */
  async #lookUp(): Promise<void> {
    const { policy, intended, answered } = this.#options;
    // who only observes delays nothing
    if (policy.mode !== 'enforce') return;
    intended.standing = later(intended.standing, await answered(this.#standing()));
  }

  async #refuseLate(): Promise<void> {
    await this.#lookUp();
    const refusals = this.#lateRefusals();
    const { kept, refuse } = this.#options;
    if (refusals.length > 0) refuse(refusals, this.hasLeft || kept !== undefined);
  }

  /** What the network has restricted since the send was judged. */
  #lateRefusals(): Refusal[] {
    const { policy, intended, now, number } = this.#options;
    if (policy.mode !== 'enforce') return [];
    const standing = later(this.#standing(), this.#own.isNewChat ? undefined : 'unanswered');
    // what the network restricts holds back no answer
    if (standing === 'running') return [];
    const state = number();
    if (!isRestricted(state)) return [];
    return judge(networkRules(policy), { ...intended, at: now(), standing }, state);
  }
}

/** Without the limits of the policy, the rules about what the network restricts remain: what it tells changes at any time. */
function networkRules({ name, mode, stopAtWarning }: Policy): Policy {
  return { name, mode, ...(stopAtWarning !== undefined && { stopAtWarning }) };
}

/** A past send as it is counted. */
export function countedSend(
  { to, sentAt, counted, textHash = '' }: PastSend,
  standing: ChatStanding = counted === 'new chat' ? 'new' : 'running',
): CountedSend {
  return { at: sentAt, to, isNewChat: standing === 'new', text: textHash };
}

/** A refusal as the API shows it. */
export function shown({ rule, reason, limit, used, allowedAt: at }: Refusal, now: number): PolicyRefusal {
  return {
    rule,
    reason,
    ...(limit !== undefined && { limit, left: Math.max(0, limit - (used ?? 0)) }),
    allowedAt: at === undefined ? '' : new Date(at).toISOString(),
    ...(at !== undefined && { retryAfter: Math.max(1, Math.ceil((at - now) / 1_000)) }),
  };
}
