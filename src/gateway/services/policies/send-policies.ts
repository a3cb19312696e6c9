import type { PolicyFigures } from '../../../contract/index.js';
import { type Address, formatJid, parseJid, parseRecipient } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import type { Policy } from '../../../domain/policy/policy.js';
import {
  allowedAt,
  type ChatStanding,
  dependsOnAnswer,
  judge,
  type Refusal,
  type RuleName,
} from '../../../domain/policy/rules.js';
import type { Link } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { PastSend, SessionRecord } from '../../store/store.js';
import type { SessionSource } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import type { Session, SessionEvent } from '../sessions/session.js';
import type { SessionPart } from '../sessions/session-parts.js';
import { type Admission, CountedAdmission, countedSend, toPolicyRefusal } from './admission.js';
import { furthest, isShared } from './chat-standings.js';
import { PolicyFacts } from './policy-facts.js';
import { PolicyReports } from './policy-reports.js';

/** Counts refusals of policies, also those of observe mode. */
export interface PolicyObserver {
  /** @param rule the first one that refused a send */
  policyRefused(rule: string, mode: string): void;
}

/** A send that needs an admission. */
export interface AskedSend {
  /** The recipient's jid. */
  to: string;
  text: string;
  /** The send changes or deletes an earlier message, or reacts to it; no rule holds such a send back. */
  isChange: boolean;
  /** The record of an earlier attempt, which may have arrived and is counted. */
  kept?: PastSend | undefined;
  /** No caller waits for an answer: only restrictions of the network hold the send back. */
  isResumed?: boolean | undefined;
}

/**
 * The policies of sends. The sends of a session are read from the store when first needed, then counted in memory. The
 * record of each send says what it counts as, so that a restart and another node count the same.
 */
export class SendPolicies implements SessionPart {
  /** Answers questions about policies. */
  readonly reports: PolicyReports;
  readonly #options;
  readonly #facts: PolicyFacts;
  /** Refused sends of each session by rule. */
  readonly #refusals = new Map<string, Map<RuleName, number>>();

  constructor(
    options: ConstructorParameters<typeof PolicyFacts>[0] & {
      sessions: SessionSource;
      contacts: Pick<Contacts, 'resolve'>;
      observer: PolicyObserver;
      log: Logger;
    },
  ) {
    this.#options = options;
    this.#facts = new PolicyFacts(options);
    const { sessions, store, contacts, clock } = options;
    const refused = (clientId: string) => this.#refused(clientId);
    this.reports = new PolicyReports({ facts: this.#facts, sessions, store, contacts, refused, clock });
  }

  /**
   * Judges a send and counts it. A policy that only observes neither fails nor delays it.
   * @returns undefined for a session without a policy
   * @throws GatewayError policy_refused, store_unavailable
   */
  async admit(session: Session, asked: AskedSend): Promise<Admission | undefined> {
    const policy = this.#facts.policyOf(session.record);
    if (!policy) return undefined;
    if (asked.isChange) return this.#uncounted();
    try {
      return await this.#admit(session, policy, asked);
    } catch (error) {
      if (policy.mode === 'enforce') throw error;
      const { clientId } = session;
      this.#options.log.warn({ err: error, clientId }, 'a send was not counted for its policy');
      return undefined;
    }
  }

  #uncounted(): Admission {
    return {
      hasLeft: false,
      judgeFirstCopy: async () => ({ counted: 'nothing', sentAt: this.#options.clock.now() }),
      judgeRecorded: async () => undefined,
      judgeFurtherCopy: async () => undefined,
      check: () => true,
      judgeBlocked: async () => undefined,
      rejected: () => undefined,
      end: () => undefined,
    };
  }

  async #admit(
    session: Session,
    policy: Policy,
    { to, text, kept, isResumed }: AskedSend,
  ): Promise<Admission> {
    const { mode } = policy;
    const counted = await this.#facts.countedOf(session.clientId);
    const number = () => this.#facts.numberOf(session, policy, counted.counts, isResumed);
    const restrictionsKnown = (standing: ChatStanding) =>
      this.#facts.restrictionsKnown(session, policy, standing, isResumed);
    const answered = async (standing: ChatStanding) =>
      standing !== 'running' && dependsOnAnswer(policy, number())
        ? this.#facts.standingOf(session, to)
        : standing;
    const standing = isShared(to) ? 'running' : await this.#facts.writtenTo(session, to, counted);
    await restrictionsKnown(standing);
    const intended = await this.#facts.intended(session, policy, {
      to,
      text,
      standing: await answered(standing),
    });
    const isAsked = mode === 'observe' && !kept && (await this.#facts.isLookedUp(session, policy, intended));
    const unasked = isAsked ? parseJid(to) : undefined;
    let isRefused = false;
    const admission = new CountedAdmission({
      ...{ policy, counted, kept, isResumed, restrictionsKnown, answered, number },
      intended: { ...intended, isLookedUp: unasked !== undefined },
      now: () => this.#options.clock.now(),
      refuse: (refusals, isRepeated) => {
        isRefused = true;
        this.#refuse(session, policy, refusals, isRepeated);
      },
    });
    if (unasked && !isRefused) this.#facts.checks.noteUnasked(session.clientId, unasked);
    return admission;
  }

  /**
   * Refuses a message before anything is looked up or downloaded for it, where its recipient is known. Then asks the
   * network before a first message whether the recipient is there, where the policy wants it.
   * @param asked `to` in any form that callers write; a message that may be held is refused here only by the limit of
   * look-ups
   * @throws GatewayError recipient_unknown, policy_refused, lookup_failed, store_unavailable
   */
  async checkFirst(
    session: Session,
    { to, text, whenAllowed }: { to: string; text: string; whenAllowed?: boolean | undefined },
    link: Pick<Link, 'lookUp'>,
  ): Promise<void> {
    const { clientId } = session;
    const facts = this.#facts;
    const policy = facts.policyOf(session.record);
    const address = parseRecipient(to);
    if (policy?.mode !== 'enforce' || !address) return;
    const person = await this.#personAt(clientId, address);
    // a number without a LID may belong to somebody who has written
    const isCertain = (address.kind === 'group' || person?.lid) && !whenAllowed;
    if (!isCertain && !policy.lookUpFirst) return;
    const jid = formatJid(person?.lid ? { kind: 'lid', user: person.lid } : address);
    const counted = await facts.countedOf(clientId);
    const written = isShared(jid) ? 'running' : await facts.writtenTo(session, jid, counted);
    // another message is beginning the chat
    const standing = furthest(written, counted.beginning.has(jid) ? 'unanswered' : undefined);
    const isAsked = policy.lookUpFirst !== undefined && standing === 'new';
    const isLookedUp = isAsked && (await facts.checks.isUnknown(clientId, formatJid(address)));
    if (isCertain || isLookedUp) {
      await facts.restrictionsKnown(session, policy, standing);
      const intended = await facts.intended(session, policy, { to: jid, text, standing });
      const number = facts.numberOf(session, policy, counted.counts);
      const refusals = judge(policy, { ...intended, isLookedUp }, number);
      const certain = refusals.filter(({ rule }) => isCertain || rule === 'lookUpFirst');
      this.#refuse(session, policy, certain, false);
    }
    if (!isAsked) return;
    const known = isLookedUp ? undefined : await facts.checks.known(clientId, address);
    if (known ?? (await facts.checks.ask(clientId, address, link))) return;
    throw new GatewayError('recipient_unknown', `to: ${formatJid(address)} is not on the network`);
  }

  /**
   * Refuses a status or a post of a channel before anything is looked up or downloaded for it.
   * @param asked `to` is the jid that all statuses, or all posts of the channel, go to
   * @throws GatewayError policy_refused, store_unavailable
   */
  async checkShared(session: Session, { to, text }: { to: string; text: string }): Promise<void> {
    const facts = this.#facts;
    const policy = facts.policyOf(session.record);
    if (policy?.mode !== 'enforce') return;
    const { counts } = await facts.countedOf(session.clientId);
    const intended = await facts.intended(session, policy, { to, text, standing: 'running' });
    this.#refuse(session, policy, judge(policy, intended, facts.numberOf(session, policy, counts)), false);
  }

  async #personAt(clientId: string, { kind, user }: Address): Promise<{ lid: string } | undefined> {
    return kind === 'group' ? undefined : this.#options.contacts.find(clientId, { [kind]: user });
  }

  /** Whether the session has a policy that refuses messages. */
  enforces(record: Pick<SessionRecord, 'clientId' | 'orgId'>): boolean {
    return this.#facts.policyOf(record)?.mode === 'enforce';
  }

  /** Jids of the people who get nothing by the policy of the session; none if it does not enforce. */
  denied(record: Pick<SessionRecord, 'clientId' | 'orgId'>): readonly string[] {
    const policy = this.#facts.policyOf(record);
    return policy?.mode === 'enforce' ? (policy.deny ?? []) : [];
  }

  /**
   * The refusals of a waiting message by all rules; none if the policy does not enforce. Counts nothing, and ignores an
   * earlier copy of the message.
   * @param asked `isRejected`: the network has just refused the message, and is asked whether it restricts the number by
   * now
   */
  async refusals(
    session: Session,
    { to, text, kept, isRejected }: Pick<AskedSend, 'to' | 'text' | 'kept'> & { isRejected?: boolean },
  ): Promise<Refusal[]> {
    const policy = this.#facts.policyOf(session.record);
    if (policy?.mode !== 'enforce') return [];
    const { counts } = await this.#facts.countedOf(session.clientId);
    const standing = isShared(to) ? 'running' : await this.#facts.standingOf(session, to);
    await this.#facts.restrictionsKnown(session, policy, standing, true, isRejected);
    const intended = await this.#facts.intended(session, policy, { to, text, standing });
    const isLookedUp = await this.#facts.isLookedUp(session, policy, { to, standing });
    const number = this.#facts.numberOf(session, policy, counts, true);
    const before = kept && kept.counted !== 'nothing' ? countedSend(kept) : undefined;
    const isCounted = before !== undefined && counts.remove(before);
    const refusals = judge(policy, { ...intended, isLookedUp }, number);
    if (isCounted) counts.add(before);
    return isRejected ? [...this.#facts.undisclosed(session.clientId, standing), ...refusals] : refusals;
  }

  /** Notes messages of private chats, received or sent from another device of the account. */
  hear(heard: SessionEvent): void {
    if (heard.type !== 'link') return;
    const { session, event } = heard;
    if (event.type === 'message' || event.type === 'unreadable')
      this.#facts.noteMessage(session.clientId, event.message);
  }

  /** Another number may be linked: forgets the facts about the former one. */
  reset(clientId: string): void {
    this.forget(clientId);
  }

  forget(clientId: string): void {
    this.#facts.forget(clientId);
    this.#refusals.delete(clientId);
  }

  #refused(clientId: string): PolicyFigures['refused'] {
    return [...(this.#refusals.get(clientId) ?? [])].map(([rule, count]) => ({ rule, count }));
  }

  /** @throws GatewayError policy_refused, unless the policy only observes */
  #refuse({ clientId }: Session, policy: Policy, refusals: readonly Refusal[], isRepeated: boolean): void {
    const { observer, clock } = this.#options;
    const [first] = refusals;
    if (!first) return;
    const { mode } = policy;
    observer.policyRefused(first.rule, mode);
    const refused = this.#refusals.get(clientId) ?? new Map<RuleName, number>();
    this.#refusals.set(clientId, refused.set(first.rule, (refused.get(first.rule) ?? 0) + 1));
    if (mode !== 'enforce') return;
    const at = allowedAt(refusals);
    const { allowedAt: _, ...rest } = first;
    const refusal = toPolicyRefusal({ ...rest, allowedAt: at }, clock.now());
    const when = refusal.allowedAt
      ? `it is allowed at ${refusal.allowedAt}`
      : 'repeating it later does not help';
    const outcome = isRepeated ? 'the message was not sent again' : 'nothing was sent';
    const message = `${outcome}: the policy ${policy.name} refuses it (${first.rule}): ${first.reason}; ${when}`;
    throw new GatewayError('policy_refused', message, { policy: refusal });
  }
}
