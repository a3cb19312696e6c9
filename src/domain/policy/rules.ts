import { DAY_MS, type EpochMs } from '../clock.js';
import type { Gap, Policy, QuietHours } from './policy.js';
import { COUNTED_MS, type SendCounts } from './send-counts.js';

const HOUR_MS = 60 * 60_000;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

/** How far a chat has come: nobody wrote yet, the other side has not answered, or the other side wrote (and every group). */
export type ChatStanding = 'new' | 'unanswered' | 'running';

/** A message to be sent. */
export interface IntendedSend {
  at: EpochMs;
  /** Jid of the person or group. */
  to: string;
  /** All known jids of the person, or the group's. */
  addresses: readonly string[];
  standing: ChatStanding;
  /** Members of the group, if known. */
  groupSize?: number;
  /** Hash of the text, equal for equal texts; empty for a message without text. */
  text?: string;
  /** The network must first be asked whether the person exists. */
  isLookedUp?: boolean;
}

/** The state of the number that sends. */
export interface NumberState {
  /** When the number was linked. */
  since: EpochMs;
  counts: SendCounts;
  /** The restrictions that the network has put on the number; `until` if it named an end. */
  restrictions: readonly { kind: 'reachout-lock' | 'new-chat-limit'; until?: number }[];
  /** The network warns that it will restrict new chats; `until` if it named the end of its period. */
  warning?: { until?: number };
  /** The network was asked for restrictions after it connected, and has not answered. */
  isSilent?: boolean;
  /** Times of look-ups in the last hour, oldest first: milliseconds since the epoch. */
  lookUps?: readonly number[];
}

/** Why a message may not be sent now. */
export interface Refusal {
  rule: RuleName;
  /** The reason, for people. */
  reason: string;
  /** The limit of the rule, and the used part of it; absent for a rule that counts nothing. */
  limit?: number;
  used?: number;
  /** When this rule allows the message; undefined if it never will. */
  allowedAt?: EpochMs;
  /** When no rule refuses the message any more, if nothing else is sent before; undefined if never. */
  clearAt?: number;
}

type Judge = (
  policy: Policy,
  send: IntendedSend,
  number: NumberState,
) => Omit<Refusal, 'rule' | 'clearAt'> | undefined;

/** Milliseconds after which a send may be tried again while the network does not say when its restriction ends. */
const UNKNOWN_END_MS = HOUR_MS;

/** Milliseconds after which a send may be tried again while the network does not say whether it restricts the number. */
const SILENT_MS = 30_000;

/** Most future times, each named by a rule, at which a refused message is judged to find its clear time. */
const STEPS_AHEAD = 20;

/** All rules. The first three concern restrictions of the network, and apply under every policy. */
const RULES = {
  reachoutLock: (_policy, send, { restrictions }) =>
    send.standing === 'running'
      ? undefined
      : networkRefusal(
          'reachout-lock',
          'WhatsApp does not let this number begin chats now',
          send,
          restrictions,
        ),
  newChatLimit: (_policy, send, { restrictions }) =>
    send.standing === 'new'
      ? networkRefusal(
          'new-chat-limit',
          'this number has begun as many chats as WhatsApp permits',
          send,
          restrictions,
        )
      : undefined,
  networkSilent: (_policy, { standing, at }, { isSilent }) =>
    isSilent && standing !== 'running'
      ? {
          reason: 'WhatsApp has not said since the last connection whether it restricts this number',
          allowedAt: at + SILENT_MS,
        }
      : undefined,
  deny: ({ deny }, { addresses }) =>
    deny?.some((jid) => addresses.includes(jid))
      ? { reason: 'the recipient is on the deny list' }
      : undefined,
  allow: ({ allow }, { addresses }) =>
    allow && !allow.some((jid) => addresses.includes(jid))
      ? { reason: 'the recipient is not on the allow list' }
      : undefined,
  onlyWhoWrote: ({ onlyWhoWrote }, { standing }) =>
    onlyWhoWrote && standing !== 'running' ? { reason: 'the recipient has not written first' } : undefined,
  largestGroup: ({ largestGroup }, { groupSize = 0 }) =>
    largestGroup !== undefined && groupSize > largestGroup
      ? {
          reason: `the group has ${groupSize} members, more than ${largestGroup}`,
          limit: largestGroup,
          used: groupSize,
        }
      : undefined,
  stopAtWarning: ({ stopAtWarning }, send, { restrictions, warning }) => {
    const signs = [...restrictions, ...(warning ? [warning] : [])];
    if (!stopAtWarning || send.standing === 'running' || signs.length === 0) return undefined;
    const what =
      restrictions.length > 0 ? 'restricts this number' : 'warns this number of its limit of new chats';
    return {
      reason: `WhatsApp ${what}: it answers running conversations only`,
      allowedAt: Math.max(...signs.map(({ until }) => until ?? send.at + UNKNOWN_END_MS)),
    };
  },
  newChatsPerDay: (policy, { standing, at }, number) => {
    const limit = standing === 'new' ? newChatLimit(policy, at - number.since) : undefined;
    return overLimit(number, 'new chats', limit, { at, ms: DAY_MS }, 'new chats in 24 hours');
  },
  newChatGap: ({ newChatGap }, { standing, at }, { counts }) =>
    standing === 'new'
      ? tooSoon(newChatGap, counts.lastNewChat(), at, 'new chat', 'the last new chat')
      : undefined,
  samePersonGap: ({ samePersonGap }, { to, at }, { counts }) =>
    tooSoon(samePersonGap, counts.lastTo(to), at, 'message', 'the last message to this recipient'),
  messagesPerHour: ({ messagesPerHour }, { at }, number) =>
    overLimit(number, 'messages', messagesPerHour, { at, ms: HOUR_MS }, 'messages in an hour'),
  messagesPerDay: ({ messagesPerDay }, { at }, number) =>
    overLimit(number, 'messages', messagesPerDay, { at, ms: COUNTED_MS }, 'messages in 24 hours'),
  quietHours: ({ quietHours }, { standing, at }) => {
    if (!quietHours || (quietHours.holds === 'new chats' && standing !== 'new')) return undefined;
    const allowedAt = endOfQuiet(quietHours, at);
    return allowedAt === undefined ? undefined : { reason: 'these are quiet hours', allowedAt };
  },
  sameText: ({ sameText }, { text, to, at }, { counts }) => {
    if (!sameText || !text) return undefined;
    const { people, withinMs } = sameText;
    const others = counts.othersWith(text, to, at - withinMs);
    return refusalOver(others.count, people, withinMs, 'people with the same text', others.lastBut);
  },
  lookUpFirst: ({ lookUpFirst }, { isLookedUp }, { lookUps = [] }) =>
    lookUpFirst && isLookedUp
      ? refusalOver(
          lookUps.length,
          lookUpFirst.perHour,
          HOUR_MS,
          'look-ups of recipients in an hour',
          (back) => lookUps.at(-back),
        )
      : undefined,
} satisfies Record<string, Judge>;

export type RuleName = keyof typeof RULES;

/** The names of all rules, in the order in which they are judged. */
export const RULE_NAMES: readonly RuleName[] = [
  'reachoutLock',
  'newChatLimit',
  'networkSilent',
  'deny',
  'allow',
  'onlyWhoWrote',
  'largestGroup',
  'stopAtWarning',
  'newChatsPerDay',
  'newChatGap',
  'samePersonGap',
  'messagesPerHour',
  'messagesPerDay',
  'quietHours',
  'sameText',
  'lookUpFirst',
];

/** Whether the judgement of a chat depends on an answer of the other side. */
export function dependsOnAnswer(
  { onlyWhoWrote }: Policy,
  number: Pick<NumberState, 'restrictions' | 'warning' | 'isSilent'>,
): boolean {
  return onlyWhoWrote === true || isRestricted(number);
}

/** Whether the network restricts the number, warns of it, or does not say. */
export function isRestricted({
  restrictions,
  warning,
  isSilent,
}: Pick<NumberState, 'restrictions' | 'warning' | 'isSilent'>): boolean {
  return isSilent === true || warning !== undefined || restrictions.length > 0;
}

/** All refusals of a message now; none if it may be sent. */
export function judge(policy: Policy, send: IntendedSend, number: NumberState): Refusal[] {
  const refusals = refusalsOf(policy, send, number);
  if (refusals.length === 0) return refusals;
  const clearAt = clearTime(policy, send, number, refusals);
  return clearAt === undefined ? refusals : refusals.map((refusal) => ({ ...refusal, clearAt }));
}

/** When a refused message may be sent; undefined if never. */
export function allowedAt([first]: readonly Refusal[]): number | undefined {
  return first?.clearAt;
}

function refusalsOf(policy: Policy, send: IntendedSend, number: NumberState): Refusal[] {
  const refusals: Refusal[] = [];
  for (const rule of RULE_NAMES) {
    const found: ReturnType<Judge> = RULES[rule](policy, send, number);
    if (found) refusals.push({ rule, ...found });
  }
  return refusals;
}

/**
 * When no rule refuses the message any more. At the time that the current refusals name, another rule may refuse it,
 * such as quiet hours at the end of an hour's budget.
 */
function clearTime(
  policy: Policy,
  send: IntendedSend,
  number: NumberState,
  refusals: readonly Refusal[],
): number | undefined {
  let { at } = send;
  let found = refusals;
  for (let step = 0; step < STEPS_AHEAD && found.length > 0; step += 1) {
    const times = found.map((refusal) => refusal.allowedAt);
    if (!times.every((time) => time !== undefined)) return undefined;
    at = Math.max(at + 1, ...times);
    found = refusalsOf(policy, { ...send, at }, stateAhead(number, send.at, at));
  }
  return at;
}

/** The state of the number at a later time, if nothing else is sent: restrictions of the network have ended on time. */
function stateAhead(number: NumberState, now: number, at: number): NumberState {
  const { restrictions, warning, isSilent, lookUps, ...rest } = number;
  const lasts = ({ until = now + UNKNOWN_END_MS }: { until?: number }) => until > at;
  return {
    ...rest,
    restrictions: restrictions.filter(lasts),
    warning: warning && lasts(warning) ? warning : undefined,
    isSilent: isSilent === true && at < now + SILENT_MS,
    lookUps: lookUps?.filter((asked) => asked > at - HOUR_MS),
  };
}

/** New chats that a number may begin in 24 hours, `ageMs` after it was linked; undefined for no limit. */
export function newChatLimit({ newChatsPerDay = [] }: Policy, ageMs: number): number | undefined {
  const reached = newChatsPerDay.filter(({ linkedDays }) => linkedDays * DAY_MS <= Math.max(0, ageMs));
  return reached.at(-1)?.limit;
}

function networkRefusal(
  kind: NumberState['restrictions'][number]['kind'],
  reason: string,
  { at }: IntendedSend,
  restrictions: NumberState['restrictions'],
): ReturnType<Judge> {
  const found = restrictions.find((restriction) => restriction.kind === kind);
  return found && { reason, allowedAt: found.until ?? at + UNKNOWN_END_MS };
}

/** @param window the end of the sliding window, and its length in milliseconds */
function overLimit(
  { counts }: NumberState,
  kind: 'messages' | 'new chats',
  limit: number | undefined,
  { at, ms }: { at: number; ms: number },
  what: string,
): ReturnType<Judge> {
  if (limit === undefined) return undefined;
  return refusalOver(counts.count(kind, at - ms), limit, ms, what, (back) => counts.lastBut(kind, back));
}

/** @param lastBut returns the time of the n-th counted send from the end */
function refusalOver(
  used: number,
  limit: number,
  windowMs: number,
  what: string,
  lastBut: (back: number) => number | undefined,
): ReturnType<Judge> {
  if (used < limit) return undefined;
  // a limit of 0 never allows a send
  const leaves = limit > 0 ? lastBut(limit) : undefined;
  const refusal = { reason: `${what}: ${used} of ${limit}`, limit, used };
  return leaves === undefined ? refusal : { ...refusal, allowedAt: leaves + windowMs };
}

function tooSoon(
  gap: Gap | undefined,
  last: number | undefined,
  at: number,
  what: string,
  after: string,
): ReturnType<Judge> {
  if (!gap || last === undefined) return undefined;
  const next = last + gapAfter(gap, last);
  const seconds = Math.ceil((next - last) / 1_000);
  return at < next
    ? { reason: `the next ${what} may follow ${seconds} s after ${after}`, allowedAt: next }
    : undefined;
}

/** Milliseconds of the gap after the send at `last`: pseudo-random, but always the same for the same send. */
function gapAfter({ minMs, maxMs }: Gap, last: number): number {
  // Knuth's multiplicative hash
  const share = ((last * 2_654_435_761) % 4_294_967_296) / 4_294_967_296;
  return minMs + Math.round((maxMs - minMs) * share);
}

/** When the current quiet hours end; undefined if there are none at this time. */
function endOfQuiet(quietHours: QuietHours, at: number): number | undefined {
  if (!isQuiet(quietHours, at)) return undefined;
  const { toMinute, timeZone } = quietHours;
  const minute = minuteOfDay(at, timeZone);
  const left = (toMinute - minute + DAY_MINUTES) % DAY_MINUTES;
  const end = Math.floor(at / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS;
  // a change to summer time may skip the time at which the hours end
  const shift =
    ((toMinute - minuteOfDay(end, timeZone) + DAY_MINUTES + DAY_MINUTES / 2) % DAY_MINUTES) - DAY_MINUTES / 2;
  let time = Math.max(at, end + shift * MINUTE_MS);
  while (isQuiet(quietHours, time)) time = Math.floor(time / MINUTE_MS + 1) * MINUTE_MS;
  return time;
}

function isQuiet({ fromMinute, toMinute, timeZone }: QuietHours, at: number): boolean {
  const minute = minuteOfDay(at, timeZone);
  return fromMinute <= toMinute
    ? minute >= fromMinute && minute < toMinute
    : minute >= fromMinute || minute < toMinute;
}

/** Formats are expensive to create. */
const formats = new Map<string, Intl.DateTimeFormat>();

function minuteOfDay(at: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  formats.set(timeZone, format);
  const [hour = '0', minute = '0'] = format.format(at).split(':');
  return Number(hour) * 60 + Number(minute);
}
