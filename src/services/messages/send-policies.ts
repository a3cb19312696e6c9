import { createHash } from 'node:crypto';
import type { PolicyAnswer, PolicyFigures } from '../../contract/index.js';
import { formatJid, parseJid, parseRecipient } from '../../domain/address.js';
import { boundedCache } from '../../domain/bounded-cache.js';
import { type Clock, DAY_MS, endsWithin } from '../../domain/clock.js';
import { GatewayError } from '../../domain/errors.js';
import { type Policy, type PolicyTable, policyOf } from '../../domain/policy/policy.js';
import {
  allowedAt,
  type ChatStanding,
  dependsOnAnswer,
  type IntendedSend,
  judge,
  type NumberState,
  newChatLimit,
  type Refusal,
  type RuleName,
} from '../../domain/policy/rules.js';
import { COUNTED_MS, SendCounts } from '../../domain/policy/send-counts.js';
import type { IncomingMessage, Link, Restriction } from '../../link/link.js';
import type { Logger } from '../../log.js';
import type { PastSend, SessionRecord, Store } from '../../store/store.js';
import { liveLink, type SessionSource } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import type { KnownGroups } from '../identities/known-groups.js';
import type { SessionPart } from '../lifecycle.js';
import type { Policies } from '../services.js';
import type { Session } from '../sessions/session.js';
import { type Admission, type Counted, CountedAdmission, countedSend, shown } from './admission.js';
import { ChatStandings, isGroup, later } from './chat-standings.js';
import { RecipientChecks } from './recipient-checks.js';

/** Chats of a session that are remembered: running ones, and those that sends in flight began. */
const CHATS = 20_000;
/** Milliseconds that a message which begins a chat waits for the network to say whether it restricts the number. */
const RESTRICTIONS_WAIT_MS = 10_000;

/** Counts what policies refuse, or would have. */
export interface PolicyObserver {
  /** @param rule the first one that refused a send */
  policyRefused(rule: string, mode: string): void;
}

/** A send that asks for its admission. */
export interface AskedSend {
  /** The recipient's jid. */
  to: string;
  text: string;
  /** It changes an earlier message, which no rule holds back. */
  target: boolean;
  /** What an earlier attempt left: it may have arrived, and is counted. */
  kept?: PastSend;
  /** No caller waits for an answer: the restrictions of the network alone hold it back. */
  isResumed?: boolean;
}

/**
 * The policies of sends. What a session sent is counted from the store when it is first needed, and in memory from then on;
 * the record of each send carries what it counts as, so that a restart and another node count the same.
 */
export class SendPolicies implements SessionPart, Policies {
  readonly #options;
  readonly #chats: ChatStandings;
  readonly #checks: RecipientChecks;
  readonly #counted = new Map<string, Promise<Counted>>();
  /** Refused sends of each session by rule. */
  readonly #refusals = new Map<string, Map<RuleName, number>>();

  constructor(options: {
    /** Undefined: nothing is counted or refused. */
    policies: PolicyTable | undefined;
    sessions: SessionSource;
    store: Pick<Store, 'sends' | 'traces' | 'history'>;
    contacts: Pick<Contacts, 'find' | 'resolve' | 'lookUp'>;
    groups: Pick<KnownGroups, 'find' | 'known'>;
    restrictions: {
      /** The restrictions that the network has put on a number now. */
      active(clientId: string): readonly Restriction[];
      warning(clientId: string): Restriction | undefined;
      /** Asks the network unless it has answered since the session connected; undefined when it has. */
      ask(clientId: string): Promise<void> | undefined;
      state(clientId: string): 'asked' | 'answered' | 'silent';
    };
    observer: PolicyObserver;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
    this.#chats = new ChatStandings(options.store);
    this.#checks = new RecipientChecks(options);
  }

  /**
   * Judges a send and counts it. A policy that only observes neither fails nor delays it.
   * @returns undefined for a session without a policy
   * @throws GatewayError policy_refused, store_unavailable
   */
  async admit(session: Session, asked: AskedSend): Promise<Admission | undefined> {
    const policy = this.#policyOf(session.record);
    if (!policy) return undefined;
    if (asked.target) return this.#uncounted();
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
      leave: (write) => write({ counted: 'nothing', sentAt: this.#options.clock.now() }),
      leaveAgain: async () => undefined,
      rejected: () => undefined,
      end: () => undefined,
    };
  }

  async #admit(
    session: Session,
    policy: Policy,
    { to, text, kept, isResumed }: AskedSend,
  ): Promise<Admission> {
    const counted = await this.#countedOf(session.clientId);
    const number = () => this.#numberOf(session, policy, counted.counts);
    const restrictionsKnown = (standing: ChatStanding) => this.#restrictionsKnown(session, policy, standing);
    const answered = async (standing: ChatStanding) =>
      standing !== 'running' && dependsOnAnswer(policy, number()) ? this.#standingOf(session, to) : standing;
    const standing = isGroup(to) ? 'running' : await this.#writtenTo(session, to, counted);
    await restrictionsKnown(standing);
    const intended = await this.#intended(session, policy, { to, text, standing: await answered(standing) });
    return new CountedAdmission({
      ...{ policy, intended, counted, kept, isResumed, restrictionsKnown, answered, number },
      now: () => this.#options.clock.now(),
      refuse: (refusals, isRepeated) => this.#refuse(session, policy, refusals, isRepeated),
    });
  }

  /**
   * Asks the network before a first message whether the recipient is there, where the policy wants it. What the policy
   * refuses anyway is not looked up.
   * @param asked `to` in any form that callers write; a message that may be held back is refused by the limit of look-ups alone
   * @throws GatewayError recipient_unknown, policy_refused, lookup_failed, store_unavailable
   */
  async lookUpFirst(
    session: Session,
    { to, whenAllowed }: { to: string; whenAllowed?: boolean | undefined },
    link: Pick<Link, 'lookUp'>,
  ): Promise<void> {
    const { clientId } = session;
    const { contacts } = this.#options;
    const policy = this.#policyOf(session.record);
    const address = parseRecipient(to);
    if (policy?.mode !== 'enforce' || !policy.lookUpFirst || !address || address.kind === 'group') return;
    const person = await contacts.find(clientId, { [address.kind]: address.user });
    const jid = formatJid(person?.lid ? { kind: 'lid', user: person.lid } : address);
    const counted = await this.#countedOf(clientId);
    const standing = await this.#writtenTo(session, jid, counted);
    if (standing !== 'new') return;
    const known = this.#checks.known(clientId, address);
    if (known === undefined && !this.#checks.isAsking(clientId, address)) {
      await this.#restrictionsKnown(session, policy, standing);
      const intended = await this.#intended(session, policy, { to: jid, text: '', standing });
      const number = this.#numberOf(session, policy, counted.counts);
      const refusals = judge(policy, { ...intended, isLookedUp: true }, number);
      // an unknown number may be that of somebody who has written
      const isCertain = person !== undefined && !whenAllowed;
      const certain = refusals.filter(({ rule }) => isCertain || rule === 'lookUpFirst');
      this.#refuse(session, policy, certain, false);
    }
    if (known ?? (await this.#checks.ask(clientId, address, link))) return;
    throw new GatewayError('recipient_unknown', `to: ${formatJid(address)} is not on the network`);
  }

  /** Every rule that refuses a message now; none for a session whose policy does not enforce. Nothing is counted. */
  async refusals(session: Session, { to, text }: Pick<AskedSend, 'to' | 'text'>): Promise<Refusal[]> {
    const policy = this.#policyOf(session.record);
    if (policy?.mode !== 'enforce') return [];
    const { counts } = await this.#countedOf(session.clientId);
    const standing = isGroup(to) ? 'running' : await this.#standingOf(session, to);
    await this.#restrictionsKnown(session, policy, standing);
    const intended = await this.#intended(session, policy, { to, text, standing });
    const isLookedUp = standing === 'new' && !this.#checks.isKnown(session.clientId, to);
    return judge(policy, { ...intended, isLookedUp }, this.#numberOf(session, policy, counts));
  }

  /** Whether the network restricts a number is asked after each connection: a chat is not begun before the answer. */
  async #restrictionsKnown({ clientId }: Session, { mode }: Policy, standing: ChatStanding): Promise<void> {
    if (mode !== 'enforce' || standing === 'running') return;
    const { restrictions, clock } = this.#options;
    const asked = restrictions.ask(clientId);
    if (asked) await endsWithin(clock, RESTRICTIONS_WAIT_MS, asked);
  }

  /** A message of a private chat came, also from another device of the account. */
  noteMessage(
    clientId: string,
    { chat, chatAlt, fromMe }: Pick<IncomingMessage, 'chat' | 'chatAlt' | 'fromMe'>,
  ): void {
    const counted = this.#counted.get(clientId);
    if (!counted) return;
    void counted
      .then(({ standings }) => {
        for (const jid of [chat, chatAlt])
          if (jid) standings.set(jid, later(standings.get(jid), fromMe ? 'unanswered' : 'running'));
      })
      .catch(() => undefined);
  }

  /** Undefined for a session without a policy. */
  figures(record: Pick<SessionRecord, 'clientId' | 'orgId'>): PolicyFigures | undefined {
    const policy = this.#policyOf(record);
    return policy && { name: policy.name, mode: policy.mode, refused: this.#refused(record.clientId) };
  }

  async of(clientId: string, to?: string): Promise<PolicyAnswer> {
    const { sessions, contacts, clock } = this.#options;
    const session = sessions.find(clientId);
    const policy = this.#policyOf(session.record);
    if (!policy) return { clientId, policy: '', mode: 'off', linkedDays: 0, refused: [] };
    const { counts } = await this.#countedOf(clientId);
    const at = clock.now();
    const number = this.#numberOf(session, policy, counts);
    const limit = newChatLimit(policy, at - number.since);
    const used = counts.count('new chats', at - DAY_MS);
    const answer: PolicyAnswer = {
      clientId,
      policy: policy.name,
      mode: policy.mode,
      linkedDays: Math.floor(Math.max(0, at - number.since) / DAY_MS),
      refused: this.#refused(clientId),
      messages: {
        lastHour: counts.count('messages', at - DAY_MS / 24),
        lastDay: counts.count('messages', at - DAY_MS),
      },
      newChats: { used, ...(limit !== undefined && { limit, left: Math.max(0, limit - used) }) },
    };
    if (to === undefined) return answer;
    const link = await liveLink(sessions, clientId);
    const jid = formatJid(await contacts.resolve(clientId, to, link));
    const standing = isGroup(jid) ? 'running' : await this.#standingOf(session, jid);
    const intended = await this.#intended(session, policy, { to: jid, text: '', standing });
    const refusals = judge(policy, { ...intended, at }, number);
    const chat = {
      jid,
      standing,
      allowed: refusals.length === 0,
      refusals: refusals.map((one) => shown(one, at)),
    };
    return { ...answer, chat };
  }

  async sends(clientId: string, since: number): ReturnType<Policies['sends']> {
    const { sessions, store, contacts } = this.#options;
    const { record } = sessions.find(clientId);
    const past = await this.#chats.ofPast(clientId, await store.sends.past(clientId, since));
    const numbers = new Map<string, string>();
    for (const to of new Set(past.map(({ send }) => send.to))) {
      const address = parseJid(to);
      const person =
        address?.kind === 'lid' ? await contacts.find(clientId, { lid: address.user }) : undefined;
      if (person?.pn) numbers.set(to, formatJid({ kind: 'pn', user: person.pn }));
    }
    const sends = past.map(({ send: { sentAt, to }, standing }) => {
      const pn = numbers.get(to);
      return { at: new Date(sentAt).toISOString(), to, ...(pn && { pn }), standing };
    });
    const { orgId } = record;
    return {
      clientId,
      ...(orgId && { orgId }),
      createdAt: new Date(record.createdAt).toISOString(),
      sends,
    };
  }

  /** The number may be another one. */
  reset(clientId: string): void {
    this.forget(clientId);
  }

  forget(clientId: string): void {
    this.#counted.delete(clientId);
    this.#checks.forget(clientId);
    this.#refusals.delete(clientId);
  }

  #refused(clientId: string): PolicyFigures['refused'] {
    return [...(this.#refusals.get(clientId) ?? [])].map(([rule, count]) => ({ rule, count }));
  }

  #policyOf(record: Pick<SessionRecord, 'clientId' | 'orgId'>): Policy | undefined {
    const { policies } = this.#options;
    return policies && policyOf(policies, record);
  }

  #numberOf({ clientId, record }: Session, { mode, lookUpFirst }: Policy, counts: SendCounts): NumberState {
    const { restrictions } = this.#options;
    const state = restrictions.state(clientId);
    // who only observes does not wait for the answer
    const isSilent = state === 'silent' || (state === 'asked' && mode === 'enforce');
    const warning = restrictions.warning(clientId);
    return {
      since: record.createdAt,
      counts,
      restrictions: restrictions.active(clientId),
      ...(warning && { warning }),
      isSilent,
      ...(lookUpFirst && { lookUps: this.#checks.questions(clientId) }),
    };
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
    const refusal = shown({ ...rest, ...(at !== undefined && { allowedAt: at }) }, clock.now());
    const when = refusal.allowedAt
      ? `it is allowed at ${refusal.allowedAt}`
      : 'repeating it later does not help';
    const outcome = isRepeated ? 'the message was not sent again' : 'nothing was sent';
    const message = `${outcome}: the policy ${policy.name} refuses it (${first.rule}): ${first.reason}; ${when}`;
    throw new GatewayError('policy_refused', message, { policy: refusal });
  }

  #countedOf(clientId: string): Promise<Counted> {
    const known = this.#counted.get(clientId);
    if (known) return known;
    const { store, clock } = this.#options;
    const read = store.sends
      .past(clientId, clock.now() - COUNTED_MS)
      .then((past) => this.#chats.ofPast(clientId, past, ({ counted }) => !counted))
      .then((past) => ({
        counts: new SendCounts(past.map(({ send, standing }) => countedSend(send, '', standing))),
        standings: boundedCache<ChatStanding>(CHATS),
        beginning: new Map(),
      }));
    this.#counted.set(clientId, read);
    // an outage of the store must not last longer than it does
    read.catch(() => this.#counted.get(clientId) === read && this.#counted.delete(clientId));
    return read;
  }

  /** How far a private chat has come, as far as it is remembered: the other side may have answered unseen. */
  async #writtenTo(session: Session, jid: string, { standings }: Counted): Promise<ChatStanding> {
    return standings.get(jid) ?? this.#standingOf(session, jid);
  }

  /** How far a private chat has come. An import of past messages, or a token of the person, changes it unseen. */
  async #standingOf(session: Session, jid: string): Promise<ChatStanding> {
    const { standings } = await this.#countedOf(session.clientId);
    if (standings.get(jid) === 'running') return 'running';
    const found = later(standings.get(jid), await this.#chats.of(session, jid));
    if (found !== 'new') standings.set(jid, found);
    return found;
  }

  async #intended(
    session: Session,
    policy: Policy,
    { to, text, standing }: { to: string; text: string; standing: ChatStanding },
  ): Promise<IntendedSend> {
    const { contacts, groups } = this.#options;
    const { clientId } = session;
    const address = parseJid(to);
    const listed = policy.allow !== undefined || policy.deny !== undefined;
    const person =
      listed && address && address.kind !== 'group'
        ? await contacts.find(clientId, { [address.kind]: address.user })
        : undefined;
    const isSizeAsked = policy.largestGroup !== undefined && isGroup(to);
    const found = isSizeAsked ? groups.find(clientId, to) : undefined;
    // who only observes does not wait for the network: the next message finds the answer
    const group = policy.mode === 'enforce' ? await found : groups.known(clientId, to);
    return {
      at: this.#options.clock.now(),
      to,
      addresses: [
        to,
        ...(person?.lid ? [formatJid({ kind: 'lid', user: person.lid })] : []),
        ...(person?.pn ? [formatJid({ kind: 'pn', user: person.pn })] : []),
      ],
      standing,
      ...(group && { groupSize: group.size }),
      ...(policy.sameText && text && { text: createHash('sha256').update(text).digest('base64') }),
    };
  }
}
