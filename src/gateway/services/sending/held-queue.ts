import type { HeldMessage } from '../../../contract/index.js';
import { parseJid } from '../../../domain/address.js';
import type { EpochMs } from '../../../domain/clock.js';
import { Deferred } from '../../../domain/deferred.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import {
  type HeldEnd,
  type HeldInput,
  type HeldState,
  isHeldEnd,
  nextHeldState,
} from '../../../domain/held-send.js';
import { isObject, type JsonObject } from '../../../domain/json.js';
import { LIMITS } from '../../../domain/limits.js';
import { RULE_NAMES, type RuleName } from '../../../domain/policy/rules.js';
import { readObject } from '../../store/port/json.js';
import { heldRecords, type SendStore, type SentRecord } from '../../store/store.js';

/** A request that its policy held back, stored as JSON in the record of the send. */
export interface HeldRequest {
  /** Path of the route. */
  route: string;
  request: object;
  /** Different for each message of a session: the order of the messages. */
  heldAt: EpochMs;
  /** The rule that held the message back, and when that rule allows it: milliseconds since the epoch. */
  rule: RuleName;
  allowedAt: number;
  /** Digits of the own number that was linked when the message was held. */
  from: string;
  /** When the first copy left. `SentRecord.sentAt` is not enough, because each repetition under a policy changes it. */
  leftAt?: EpochMs;
}

/** Milliseconds after which a message that waits is judged again at the latest: limits grow with the age of the link. */
export const JUDGED_AGAIN_MS = 60 * 60_000;

/** A message that waits until its policy allows it. */
export interface HeldSend extends Omit<HeldRequest, 'request' | 'from' | 'leftAt'> {
  messageId: string;
  /** The recipient's jid. */
  to: string;
  /** When the message is judged next, and the end of the pause after a failure. */
  dueAt: EpochMs;
  snoozedUntil: number;
  /** The rule that refused the message at its last judgement, and the time of that judgement; undefined if it must be judged again. */
  judged: { by: RuleName; at: number } | undefined;
  /** Attempts that failed for another reason than the connection. */
  failures: number;
  state: HeldState | HeldEnd;
  /** Resolved when the judgement in flight has ended; absent while the message is not judged. */
  judgement?: Deferred | undefined;
  /** The code with which the network refused the newest copy; absent if it did not. */
  refusedWith?: string | undefined;
}

/** Rules about the number rather than a chat: if such a rule refuses a message now, it refuses messages in every chat. */
const OF_THE_NUMBER = new Set<RuleName>([
  'networkSilent',
  'reachoutLock',
  'newChatLimit',
  'stopAtWarning',
  'newChatsPerDay',
  'newChatGap',
  'messagesPerHour',
  'messagesPerDay',
  'quietHours',
  'lookUpFirst',
]);

/** The messages of one session that wait; those of one chat leave one after the other, the oldest first. */
export class HeldQueue {
  readonly #sends = new Map<string, HeldSend>();
  /** The messages by chat: a session may have 100,000 chats with waiting messages. */
  readonly #chats = new Map<string, Set<HeldSend>>();
  /** When each rule about the number next allows a message, as last judged: milliseconds since the epoch. */
  readonly #heldUntil = new Map<RuleName, number>();
  #newest = 0;

  get size(): number {
    return this.#sends.size;
  }

  get all(): readonly HeldSend[] {
    return [...this.#sends.values()];
  }

  /** Up to `limit` messages after the one with this id; from the start if no id is given or that message no longer waits. */
  after(messageId: string | undefined, limit: number): HeldSend[] {
    let isSkipped = messageId !== undefined && this.#sends.has(messageId);
    const page: HeldSend[] = [];
    for (const send of this.#sends.values()) {
      if (page.length === limit) break;
      if (!isSkipped) page.push(send);
      else if (send.messageId === messageId) isSkipped = false;
    }
    return page;
  }

  find(messageId: string): HeldSend | undefined {
    return this.#sends.get(messageId);
  }

  /** The oldest message of a chat. */
  firstOf(to: string): HeldSend | undefined {
    const [first] = this.#chats.get(to) ?? [];
    return first;
  }

  /** A time for a new message, later than the times of all messages in the queue. */
  nextTime(now: number): number {
    this.#newest = Math.max(this.#newest + 1, now);
    return this.#newest;
  }

  add(send: HeldSend): void {
    this.#newest = Math.max(this.#newest, send.heldAt);
    const before = this.#sends.get(send.messageId);
    if (before) this.#leaveChat(before);
    this.#sends.set(send.messageId, send);
    const chat = this.#chats.get(send.to);
    if (chat) chat.add(send);
    else this.#chats.set(send.to, new Set([send]));
  }

  /** Takes a message to its next state; at its end it leaves the queue. Does nothing for a message that has ended meanwhile. */
  move(send: HeldSend, input: HeldInput): void {
    const { state, judgement } = send;
    if (isHeldEnd(state)) return;
    send.state = nextHeldState(state, input);
    send.judgement = send.state === 'judging' ? new Deferred() : undefined;
    if (isHeldEnd(send.state)) this.#remove(send);
    judgement?.resolve();
  }

  /** Removes this message, but not a later one under the same id: a repeated request whose first outcome was unknown. */
  #remove(send: HeldSend): void {
    if (this.find(send.messageId) !== send) return;
    this.#sends.delete(send.messageId);
    this.#leaveChat(send);
  }

  #leaveChat(send: HeldSend): void {
    const chat = this.#chats.get(send.to);
    chat?.delete(send);
    if (chat?.size === 0) this.#chats.delete(send.to);
  }

  /** The first message of each chat, oldest first. */
  heads(): HeldSend[] {
    const heads = [...this.#chats.values()].flatMap(([first]) => first ?? []);
    return heads.sort((one, other) => one.heldAt - other.heldAt);
  }

  /** Marks messages for a new judgement: those of the given chats, or all. */
  wake(chats?: readonly string[]): void {
    if (!chats) this.#heldUntil.clear();
    const woken = chats ? chats.flatMap((to) => [...(this.#chats.get(to) ?? [])]) : this.#sends.values();
    for (const send of woken) Object.assign(send, { dueAt: 0, snoozedUntil: 0, judged: undefined });
  }

  /**
   * Records that a rule holds a message back, and defers the messages of other chats that the same rule refused. Each of
   * those is still judged within an hour after its own last judgement, because its chat may have come further than this
   * one.
   * @param until when this rule allows it; other rules may hold it back until `allowedAt`
   */
  holdBack(
    send: HeldSend,
    { rule, allowedAt, until }: { rule: RuleName; allowedAt: number; until: number },
    now: number,
  ): void {
    Object.assign(send, { allowedAt, ...judgedBy(rule, allowedAt, now) });
    // the others already have this time; updating all of them for each message would take quadratic time
    if (!OF_THE_NUMBER.has(rule) || until <= (this.#heldUntil.get(rule) ?? 0)) return;
    this.#heldUntil.set(rule, until);
    for (const other of this.#sends.values()) {
      const { judged } = other;
      if (other === send || judged?.by !== rule) continue;
      other.allowedAt = Math.max(other.allowedAt, until);
      other.dueAt = Math.max(other.dueAt, Math.min(until, judged.at + JUDGED_AGAIN_MS));
    }
  }
}

/** The rule that refuses a message for a time, and when it allows the message. */
export type RefusedForATime = Pick<HeldRequest, 'rule' | 'allowedAt'>;

/** The refusal of a policy for a time; undefined for any other error. */
export function refusedForATime(error: unknown): RefusedForATime | undefined {
  const refusal = isGatewayError(error, 'policy_refused') ? error.policy : undefined;
  return refusal?.allowedAt ? { rule: refusal.rule, allowedAt: Date.parse(refusal.allowedAt) } : undefined;
}

/** What is known of a message that a rule holds back, with the time of its next judgement. */
export function judgedBy(
  rule: RuleName,
  allowedAt: number,
  now: number,
): Pick<HeldSend, 'rule' | 'dueAt' | 'judged'> {
  return { rule, dueAt: Math.min(allowedAt, now + JUDGED_AGAIN_MS), judged: { by: rule, at: now } };
}

/** The times of a message that was not judged in this run. */
export const FRESH = { dueAt: 0, snoozedUntil: 0, judged: undefined, failures: 0 } as const;

/**
 * Reads the waiting messages of a session, without their requests, which stay in the store.
 * @throws GatewayError `store_damaged`, `store_unavailable`
 */
export async function readQueue(records: Pick<SendStore, 'held'>, clientId: string): Promise<HeldQueue> {
  const queue = new HeldQueue();
  const sends: HeldSend[] = [];
  for await (const { messageId, to, held } of heldRecords(records, clientId)) {
    const { route, rule, heldAt, allowedAt } = readHeld(held);
    sends.push({ route, rule, heldAt, allowedAt, ...FRESH, state: 'waiting', messageId, to });
  }
  for (const send of sends.sort((one, other) => one.heldAt - other.heldAt)) queue.add(send);
  return queue;
}

/** When a message is given up: milliseconds since the epoch. */
export function timeOfEnd({ heldAt }: Pick<HeldSend, 'heldAt'>): number {
  return heldAt + LIMITS.heldSendTtlMs;
}

/** A message as the API shows it. */
export function toView(send: HeldSend): HeldMessage {
  const { messageId, to, route, rule, heldAt, allowedAt, state } = send;
  return {
    ...{ messageId, to, route, rule },
    heldAt: new Date(heldAt).toISOString(),
    allowedAt: new Date(allowedAt).toISOString(),
    expiresAt: new Date(timeOfEnd(send)).toISOString(),
    leaving: state !== 'waiting' && state !== 'judging',
  };
}

/** The digits of an own number, whatever device of it is linked. */
export function ownNumber({ jid }: { jid: string }): string {
  return parseJid(jid)?.user ?? '';
}

/** @throws GatewayError `request_too_large` */
export function writeHeld(held: HeldRequest): string {
  const text = JSON.stringify(held);
  if (text.length <= LIMITS.heldRequestLength) return text;
  const size = `${text.length} of ${LIMITS.heldRequestLength} characters`;
  throw new GatewayError('request_too_large', `whenAllowed: the request is too long to be kept: ${size}`);
}

/** The kept request of a message whose first copy leaves now. @throws GatewayError `store_damaged` */
export function leavingAt(held: string, leftAt: number): string {
  return JSON.stringify({ ...readHeld(held), leftAt });
}

/** The record of a message whose only copy did not arrive: the message waits as before, and the copy stays counted. */
export function neverLeft({ held = '', ...record }: SentRecord): SentRecord {
  const { leftAt: _, ...request } = readHeld(held);
  const waits = { content: new Uint8Array(), metaData: '', fileName: '', closed: true };
  return { ...record, ...waits, held: JSON.stringify(request) };
}

/** Reads what a record keeps of its request. @throws GatewayError `store_damaged` */
export function readHeld(text: string): HeldRequest & { request: JsonObject } {
  const { route, request, heldAt, rule: stored, allowedAt, from, leftAt } = readObject(text);
  const rule = RULE_NAMES.find((name) => name === stored);
  const isWhole = typeof route === 'string' && isObject(request) && rule && typeof from === 'string';
  if (isWhole && typeof heldAt === 'number' && typeof allowedAt === 'number')
    return { route, request, heldAt, rule, allowedAt, from, ...(typeof leftAt === 'number' && { leftAt }) };
  throw new GatewayError('store_damaged', 'A held message names no request: restore a backup.');
}
