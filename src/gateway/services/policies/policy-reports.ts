import type { PastSends, PolicyAnswer, PolicyFigures } from '../../../contract/index.js';
import { type Address, formatJid, parseJid, parseRecipient } from '../../../domain/address.js';
import { type Clock, DAY_MS } from '../../../domain/clock.js';
import type { Policy } from '../../../domain/policy/policy.js';
import { judge, newChatLimit } from '../../../domain/policy/rules.js';
import type { PastSend, SessionRecord, Store } from '../../store/store.js';
import { liveLink, type SessionSource } from '../access.js';
import type { Contacts } from '../identities/contacts.js';
import { linkedSince } from '../sessions/linked-number.js';
import { toPolicyRefusal } from './admission.js';
import { isShared } from './chat-standings.js';
import type { PolicyFacts } from './policy-facts.js';

/** Answers questions about policies: what a session may send now, what was refused, and what it has sent. */
export class PolicyReports {
  readonly #options;

  constructor(options: {
    facts: PolicyFacts;
    sessions: SessionSource;
    store: Pick<Store, 'sends'>;
    contacts: Pick<Contacts, 'find' | 'resolve'>;
    /** Refused sends of a session by rule. */
    refused(clientId: string): PolicyFigures['refused'];
    clock: Clock;
  }) {
    this.#options = options;
  }

  /** Whether the workspace of a session may decide which policy it has. */
  get nameWorkspaces(): boolean {
    return this.#options.facts.nameWorkspaces;
  }

  /** Undefined for a session without a policy. */
  figures(record: Pick<SessionRecord, 'clientId' | 'orgId'>): PolicyFigures | undefined {
    const policy = this.#options.facts.policyOf(record);
    return (
      policy && { name: policy.name, mode: policy.mode, refused: this.#options.refused(record.clientId) }
    );
  }

  /**
   * The policy of a session and its counts; with `to` also whether a message to that recipient would leave now.
   * @throws session_unknown; with `to` also session_unpaired, session_not_connected, recipient_unknown, lookup_failed
   */
  async of(clientId: string, to?: string): Promise<PolicyAnswer> {
    const { facts, sessions, clock } = this.#options;
    const session = sessions.find(clientId);
    const policy = facts.policyOf(session.record);
    if (!policy) return { clientId, policy: '', mode: 'off', linkedDays: 0, refused: [] };
    const { counts } = await facts.countedOf(clientId);
    const at = clock.now();
    const number = facts.numberOf(session, policy, counts);
    const limit = newChatLimit(policy, at - number.since);
    const used = counts.count('new chats', at - DAY_MS);
    const answer: PolicyAnswer = {
      clientId,
      policy: policy.name,
      mode: policy.mode,
      linkedDays: Math.floor(Math.max(0, at - number.since) / DAY_MS),
      refused: this.#options.refused(clientId),
      messages: {
        lastHour: counts.count('messages', at - DAY_MS / 24),
        lastDay: counts.count('messages', at - DAY_MS),
      },
      newChats: { used, ...(limit !== undefined && { limit, left: Math.max(0, limit - used) }) },
      lookUps: policy.lookUpFirst && budgetOf(policy.lookUpFirst.perHour, number.lookUps?.length),
    };
    if (to === undefined) return answer;
    const address = await this.#addressOf(clientId, policy, to);
    const jid = formatJid(address);
    const standing = isShared(jid) ? 'running' : await facts.standingOf(session, jid);
    const intended = await facts.intended(session, policy, { to: jid, text: '', standing });
    const isLookedUp = await facts.isLookedUp(session, policy, { to: jid, standing });
    const refusals = judge(policy, { ...intended, at, isLookedUp }, number);
    const lookUp =
      policy.lookUpFirst && standing === 'new' ? await this.#lookUpOf(clientId, address) : undefined;
    const chat = {
      ...{ jid, standing },
      allowed: refusals.length === 0 && lookUp !== 'absent',
      refusals: refusals.map((one) => toPolicyRefusal(one, at)),
      ...(lookUp && { lookUp }),
    };
    return { ...answer, chat };
  }

  async #lookUpOf(clientId: string, address: Address): Promise<'known' | 'absent' | 'asked'> {
    const isThere = await this.#options.facts.checks.known(clientId, address);
    if (isThere === undefined) return 'asked';
    return isThere ? 'known' : 'absent';
  }

  /** Resolves `to`; without a look-up if the policy budgets look-ups. */
  async #addressOf(clientId: string, { lookUpFirst }: Policy, to: string): Promise<Address> {
    const { contacts, sessions } = this.#options;
    const asked = lookUpFirst && parseRecipient(to);
    if (!asked || asked.kind === 'group')
      return contacts.resolve(clientId, to, await liveLink(sessions, clientId));
    const person = await contacts.find(clientId, { [asked.kind]: asked.user });
    return person?.lid ? { kind: 'lid', user: person.lid } : asked;
  }

  /**
   * A page of the sends after a time (milliseconds since the epoch), without their content.
   * @param limit sends of a page; those of the same millisecond are in one page
   * @throws session_unknown
   */
  async sends(clientId: string, since: number, limit: number): Promise<PastSends> {
    const { facts, sessions, store, contacts } = this.#options;
    const { record } = sessions.find(clientId);
    const { page, next } = await pageOf(store, clientId, since, limit);
    const past = await facts.chats.ofPast(clientId, page);
    const numbers = new Map<string, string>();
    for (const to of new Set(past.map(({ send }) => send.to))) {
      const address = parseJid(to);
      const person =
        address?.kind === 'lid' ? await contacts.find(clientId, { lid: address.user }) : undefined;
      if (person?.pn) numbers.set(to, formatJid({ kind: 'pn', user: person.pn }));
    }
    const sends = past.map(({ send: { sentAt, to }, standing }) => {
      const pn = numbers.get(to);
      return { at: new Date(sentAt).toISOString(), to, pn: pn || undefined, standing };
    });
    const { orgId } = record;
    return {
      clientId,
      orgId: orgId || undefined,
      createdAt: new Date(record.createdAt).toISOString(),
      linkedAt: new Date(linkedSince(record)).toISOString(),
      sends,
      next: next === undefined ? undefined : new Date(next).toISOString(),
    };
  }
}

function budgetOf(limit: number, used = 0): NonNullable<PolicyAnswer['lookUps']> {
  return { used, limit, left: Math.max(0, limit - used) };
}

/**
 * A page of sends that ends between two times, because the next one begins after a time.
 * @returns with the time of its last send when more follow
 */
async function pageOf(
  { sends }: Pick<Store, 'sends'>,
  clientId: string,
  since: number,
  limit: number,
): Promise<{ page: PastSend[]; next?: number }> {
  for (let size = limit + 1; ; size *= 2) {
    const read = await sends.past(clientId, since, size);
    const cut = read[limit]?.sentAt;
    if (cut === undefined) return { page: read };
    const page = read.filter(({ sentAt }) => sentAt < cut);
    const next = page.at(-1)?.sentAt;
    if (next !== undefined) return { page, next };
    // more sends within one millisecond than fit into a page
    const together = read.filter(({ sentAt }) => sentAt === cut);
    if (together.length < read.length) return { page: together, next: cut };
    if (read.length < size) return { page: read };
  }
}
