import type { boundedCache } from '../../../domain/bounded-cache.js';
import type { EpochMs } from '../../../domain/clock.js';
import type { PolicyRefusal } from '../../../domain/errors.js';
import type { Policy } from '../../../domain/policy/policy.js';
import {
  type ChatStanding,
  type IntendedSend,
  isRestricted,
  judge,
  type NumberState,
  type Refusal,
} from '../../../domain/policy/rules.js';
import type { CountedSend, SendCounts } from '../../../domain/policy/send-counts.js';
import type { SendGuard } from '../../link/link.js';
import type { PastSend, SendWeight } from '../../store/store.js';
import { furthest } from './chat-standings.js';

/** The counted sends of a session. */
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

/** The facts in the record of a send that later judgements need. */
export interface SendStamp {
  counted: SendWeight;
  /** Same as `IntendedSend.text`; absent if no rule needs it. */
  textHash?: string;
  /** When the message leaves. */
  sentAt: EpochMs;
}

/** Permission of the policy for one send, which guards it until it is written to the wire. */
export interface Admission extends SendGuard {
  /** A copy of the message may have left. */
  readonly hasLeft: boolean;
  /** Judges and counts the send when its first copy is about to be recorded. @throws GatewayError policy_refused */
  judgeFirstCopy(): Promise<SendStamp>;
  /** Called when the record is written: the network may have told of a restriction meanwhile. @throws GatewayError policy_refused */
  judgeRecorded(): Promise<void>;
  /** Called before each further copy. @throws GatewayError policy_refused if the network has restricted the number since */
  judgeFurtherCopy(): Promise<void>;
  /** Called when `check` kept a copy from the wire. @throws GatewayError policy_refused; resolves if the copy may be tried again */
  judgeBlocked(): Promise<void>;
  /** The network refused the message: the message stays counted, and the chat stays as new as before. */
  rejected(): void;
  /** The send ended: if it did not leave, it is not counted. */
  end(): void;
}

/** A send that a policy permits; it counts from its admission on. */
export class CountedAdmission implements Admission {
  readonly #options;
  readonly #own: SendInFlight;
  /** The counted send of an earlier attempt. */
  readonly #before: CountedSend | undefined;
  #isCounted = false;
  #isRejected = false;
  /** A copy was written to the wire. */
  #isWritten = false;

  /** @throws GatewayError policy_refused */
  constructor(options: {
    policy: Policy;
    intended: IntendedSend;
    counted: Counted;
    /** The record of an earlier attempt, which may have arrived. */
    kept?: PastSend | undefined;
    /** Only restrictions of the network hold this send back. */
    isResumed?: boolean | undefined;
    now(): number;
    number(): NumberState;
    /** Resolves when the network has said whether it restricts the number, or does not answer. */
    restrictionsKnown(standing: ChatStanding): Promise<void>;
    /** Looks up how far the chat has come, where the rules depend on an answer. */
    answered(standing: ChatStanding): Promise<ChatStanding>;
    /** @throws GatewayError policy_refused, unless the policy only observes */
    refuse(refusals: readonly Refusal[], isRepeated: boolean): void;
  }) {
    this.#options = options;
    const { intended, kept } = options;
    // a send that is resumed after a start has no text, only its hash
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

  async judgeFirstCopy(): Promise<SendStamp> {
    await this.#options.restrictionsKnown(this.#standing());
    await this.#lookUp();
    this.#count('leaving');
    const { isNewChat, at, text } = this.#own;
    const counted = isNewChat ? 'new chat' : 'message';
    return { counted, ...(text && { textHash: text }), sentAt: at };
  }

  async judgeRecorded(): Promise<void> {
    await this.#refuseLate();
    this.#own.hasLeft = true;
  }

  async judgeFurtherCopy(): Promise<void> {
    await this.#options.restrictionsKnown(this.#standing());
    await this.#refuseLate();
  }

  get hasLeft(): boolean {
    return this.#own.hasLeft;
  }

  check(): boolean {
    const mayLeave = this.#lateRefusals().length === 0;
    this.#isWritten ||= mayLeave;
    // nobody may ask `judgeBlocked`, if the connection has ended
    this.#own.hasLeft = this.#isWritten;
    return mayLeave;
  }

  async judgeBlocked(): Promise<void> {
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
      if (hasLeft && !this.#isRejected) standings.set(to, furthest(standings.get(to), 'unanswered'));
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
    const standing = furthest(this.#standing(), isBegun ? 'unanswered' : undefined);
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

  /** How far the chat has come, without counting this message. */
  #standing(): ChatStanding {
    const { intended, counted } = this.#options;
    const standing = furthest(intended.standing, counted.standings.get(intended.to));
    // `unanswered` because of an earlier attempt of this message: the chat is still new
    return standing === 'unanswered' && this.#before?.isNewChat ? 'new' : standing;
  }

  /** Reads the standing again: the other side may have written since the admission. */
  async #lookUp(): Promise<void> {
    const { policy, intended, answered } = this.#options;
    // observe mode must not delay
    if (policy.mode !== 'enforce') return;
    intended.standing = furthest(intended.standing, await answered(this.#standing()));
  }

  async #refuseLate(): Promise<void> {
    await this.#lookUp();
    const refusals = this.#lateRefusals();
    const { kept, refuse } = this.#options;
    if (refusals.length > 0) refuse(refusals, this.hasLeft || kept !== undefined);
  }

  /** Refusals by restrictions that the network imposed after the judgement. */
  #lateRefusals(): Refusal[] {
    const { policy, intended, now, number } = this.#options;
    if (policy.mode !== 'enforce') return [];
    const standing = furthest(this.#standing(), this.#own.isNewChat ? undefined : 'unanswered');
    // restrictions of the network do not apply to answers
    if (standing === 'running') return [];
    const state = number();
    if (!isRestricted(state)) return [];
    return judge(networkRules(policy), { ...intended, at: now(), standing }, state);
  }
}

/** Only the rules about restrictions of the network: these can change at any time, unlike the policy's own limits. */
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
export function toPolicyRefusal(
  { rule, reason, limit, used, allowedAt: at }: Refusal,
  now: number,
): PolicyRefusal {
  return {
    rule,
    reason,
    ...(limit !== undefined && { limit, left: Math.max(0, limit - (used ?? 0)) }),
    allowedAt: at === undefined ? '' : new Date(at).toISOString(),
    ...(at !== undefined && { retryAfter: Math.max(1, Math.ceil((at - now) / 1_000)) }),
  };
}
