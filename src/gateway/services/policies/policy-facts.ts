import { createHmac } from 'node:crypto';
import { formatJid, parseJid } from '../../../domain/address.js';
import { boundedCache } from '../../../domain/bounded-cache.js';
import { type Clock, endsWithin } from '../../../domain/clock.js';
import { type Policy, type PolicyTable, policyOf } from '../../../domain/policy/policy.js';
import type { ChatStanding, IntendedSend, NumberState, Refusal } from '../../../domain/policy/rules.js';
import { COUNTED_MS, SendCounts } from '../../../domain/policy/send-counts.js';
import type { IncomingMessage, Restriction } from '../../link/link.js';
import type { SessionRecord, Store } from '../../store/store.js';
import type { Contacts } from '../identities/contacts.js';
import type { KnownGroups } from '../identities/known-groups.js';
import { linkedSince } from '../sessions/linked-number.js';
import type { Session } from '../sessions/session.js';
import { type Counted, countedSend } from './admission.js';
import { ChatStandings, furthest } from './chat-standings.js';
import { RecipientChecks } from './recipient-checks.js';

/** Chats of a session that are remembered: running ones, and those that sends in flight began. */
const CHATS = 20_000;
/** Milliseconds that a message which begins a chat waits for the network to say whether it restricts the number. */
const RESTRICTIONS_WAIT_MS = 10_000;
/** Milliseconds before a message is tried again that the network refused without a reason. */
const UNDISCLOSED_MS = 60 * 60_000;

/** The facts that policies judge: the sends of each session, how far its chats have come, and the network's restrictions of its number. */
export class PolicyFacts {
  readonly chats: ChatStandings;
  readonly checks: RecipientChecks;
  readonly #options;
  readonly #counted = new Map<string, Promise<Counted>>();

  constructor(options: {
    /** If undefined, nothing is counted or refused. */
    policies: PolicyTable | undefined;
    store: Pick<Store, 'sends' | 'traces' | 'history'>;
    /** Keys the hashes of texts: 32 bytes that stay the same for as long as the store lives. */
    hashKey: Uint8Array;
    contacts: Pick<Contacts, 'find' | 'lookUp'>;
    groups: Pick<KnownGroups, 'find' | 'known'>;
    restrictions: {
      /** The restrictions that the network has put on a number now. */
      active(clientId: string): readonly Restriction[];
      warning(clientId: string): Restriction | undefined;
      /** Asks the network unless it has answered since the session connected; undefined when it has. */
      ask(clientId: string): Promise<void> | undefined;
      /** Like `ask`, but asks even if the network has answered. */
      askAnew(clientId: string): Promise<void> | undefined;
      state(clientId: string): 'asked' | 'answered' | 'silent';
      /** The network answered without saying whether it imposes a time lock. */
      declines(clientId: string): boolean;
    };
    clock: Clock;
  }) {
    this.#options = options;
    this.chats = new ChatStandings(options.store);
    this.checks = new RecipientChecks(options);
  }

  /** Whether the workspace of a session may decide which policy it has. */
  get nameWorkspaces(): boolean {
    return (this.#options.policies?.orgs.size ?? 0) > 0;
  }

  /** Undefined for a session without a policy. */
  policyOf(record: Pick<SessionRecord, 'clientId' | 'orgId'>): Policy | undefined {
    const { policies } = this.#options;
    return policies && policyOf(policies, record);
  }

  /** The counted sends of a session: read from the store when first needed, then counted in memory. */
  countedOf(clientId: string): Promise<Counted> {
    const known = this.#counted.get(clientId);
    if (known) return known;
    const { store, clock } = this.#options;
    const read = store.sends
      .past(clientId, clock.now() - COUNTED_MS)
      .then((past) => this.chats.ofPast(clientId, past, ({ counted }) => !counted))
      .then((past) => {
        const sends = past.map(({ send, standing }) => countedSend(send, standing));
        // each new chat counts as one look-up, because look-ups themselves are not stored
        this.checks.recall(
          clientId,
          sends.flatMap(({ at, isNewChat }) => (isNewChat ? at : [])),
        );
        return {
          counts: new SendCounts(sends),
          standings: boundedCache<ChatStanding>(CHATS),
          beginning: new Map(),
        };
      });
    this.#counted.set(clientId, read);
    // a failed read must not be cached: it would outlast the store's outage
    read.catch(() => this.#counted.get(clientId) === read && this.#counted.delete(clientId));
    return read;
  }

  /**
   * The state of the number that sends.
   * @param isPatient no caller waits for the send: restrictions learnt before the current connection do not refuse it
   */
  numberOf(
    { clientId, record }: Session,
    { mode, lookUpFirst }: Policy,
    counts: SendCounts,
    isPatient = false,
  ): NumberState {
    const { restrictions } = this.#options;
    const state = restrictions.state(clientId);
    // observe mode must not wait for the answer
    const isUnanswered = state === 'silent' || (state === 'asked' && mode === 'enforce');
    const active = isPatient && isUnanswered ? [] : restrictions.active(clientId);
    const warning = restrictions.warning(clientId);
    return {
      since: linkedSince(record),
      counts,
      restrictions: active,
      warning,
      isSilent: isUnanswered && !active.some(isLock),
      lookUps: lookUpFirst && this.checks.questions(clientId),
    };
  }

  /**
   * The refusal after the network rejected a message without saying whether it restricts the number: tried again after an
   * hour, like under a restriction without an end.
   */
  undisclosed(clientId: string, standing: ChatStanding): Refusal[] {
    const { restrictions, clock } = this.#options;
    if (standing === 'running' || restrictions.active(clientId).length > 0) return [];
    if (!restrictions.declines(clientId)) return [];
    const at = clock.now() + UNDISCLOSED_MS;
    const reason = 'WhatsApp refused the message, and does not say whether it restricts this number';
    return [{ rule: 'networkSilent', reason, allowedAt: at, clearAt: at }];
  }

  /** How far a private chat has come, from memory if possible: misses an answer that this process has not seen. */
  async writtenTo(session: Session, jid: string, { standings }: Counted): Promise<ChatStanding> {
    return standings.get(jid) ?? this.standingOf(session, jid);
  }

  /** How far a private chat has come, read from the store: an import of past messages or a token of the person changes it without an event. */
  async standingOf(session: Session, jid: string): Promise<ChatStanding> {
    const { standings } = await this.countedOf(session.clientId);
    if (standings.get(jid) === 'running') return 'running';
    const found = furthest(standings.get(jid), await this.chats.of(session, jid));
    if (found !== 'new') standings.set(jid, found);
    return found;
  }

  /** Whether a message to this recipient would need a look-up at the network. */
  async isLookedUp(
    { clientId }: Session,
    { lookUpFirst }: Policy,
    { to, standing }: { to: string; standing: ChatStanding },
  ): Promise<boolean> {
    return lookUpFirst !== undefined && standing === 'new' && this.checks.isUnknown(clientId, to);
  }

  async intended(
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
    const isSizeAsked = policy.largestGroup !== undefined && parseJid(to)?.kind === 'group';
    const found = isSizeAsked ? groups.find(clientId, to) : undefined;
    // observe mode must not wait for the network: the next message finds the answer
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
      groupSize: group?.size,
      text: policy.sameText && text ? this.#hashOf(clientId, text) : undefined,
    };
  }

  /** The keyed hash of a text for the record of a send: the store alone does not allow reading or guessing the text. */
  #hashOf(clientId: string, text: string): string {
    const { hashKey } = this.#options;
    return createHmac('sha256', hashKey).update(`text\0${clientId}\0${text}`).digest('base64url');
  }

  /**
   * Waits for the network's restrictions, which are asked after each connection: no chat begins before the answer. If a
   * lock is already known, a caller is refused without waiting.
   * @param isRejected the network has just refused a message, and may restrict the number since its answer
   */
  async restrictionsKnown(
    { clientId }: Session,
    { mode }: Policy,
    standing: ChatStanding,
    isPatient = false,
    isRejected = false,
  ): Promise<void> {
    if (mode !== 'enforce' || standing === 'running') return;
    const { restrictions, clock } = this.#options;
    const isDoubtful = isRejected && restrictions.active(clientId).length === 0;
    const asked = isDoubtful ? restrictions.askAnew(clientId) : restrictions.ask(clientId);
    if (!asked || (!isPatient && restrictions.active(clientId).some(isLock))) return;
    await endsWithin(clock, RESTRICTIONS_WAIT_MS, asked);
  }

  /** Notes a message of a private chat, received or sent from another device of the account. */
  noteMessage(
    clientId: string,
    { chat, chatAlt, fromMe }: Pick<IncomingMessage, 'chat' | 'chatAlt' | 'fromMe'>,
  ): void {
    const counted = this.#counted.get(clientId);
    if (!counted) return;
    void counted
      .then(({ standings }) => {
        for (const jid of [chat, chatAlt])
          if (jid) standings.set(jid, furthest(standings.get(jid), fromMe ? 'unanswered' : 'running'));
      })
      .catch(() => undefined);
  }

  forget(clientId: string): void {
    this.#counted.delete(clientId);
    this.checks.forget(clientId);
  }
}

/** True for the restriction that refuses all chats in which the other side has not written, like a network that does not answer. */
function isLock({ kind }: Restriction): boolean {
  return kind === 'reachout-lock';
}
