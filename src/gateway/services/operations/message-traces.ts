import type { TailEntry } from '../../../contract/events/stream-entry.js';
import type { MessageTrace, TraceStep } from '../../../contract/index.js';
import { parseJid } from '../../../domain/address.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { pauseText } from '../../../domain/pauses.js';
import { VOTE_TYPE } from '../../../domain/room.js';
import type { JournalEntry } from '../../../domain/signal-state.js';
import { shownUrl } from '../../../domain/text.js';
import type { TraceContext } from '../../../domain/tracing.js';
import type { Tail } from '../../delivery/tail.js';
import type {
  FailedDelivery,
  HistoryMessage,
  SentRecord,
  SessionRecord,
  Store,
  WaitingDelivery,
} from '../../store/store.js';
import { roomIdOf } from '../identities/parties.js';
import { othersOf } from '../sessions/receiver-list.js';

const DAY_MS = 24 * 60 * 60_000;

/** Everything that the gateway still knows about one message. */
interface Facts {
  session: SessionRecord;
  chat: string;
  isOwn: boolean;
  sent: SentRecord | undefined;
  copies: JournalEntry[];
  row: HistoryMessage | undefined;
  status: string | undefined;
  failed: FailedDelivery[];
  waiting: Omit<WaitingDelivery, 'body'>[];
  stream: TailEntry[];
}

/** Shows the history of one message, from data that is kept anyway. */
export function createMessageTraces(options: {
  sessions: {
    /** @throws session_unknown */
    find(clientId: string): SessionRecord;
  };
  store: Store;
  tail: Pick<Tail, 'since'>;
  /** The trace of a message; undefined without tracing. Never rejects. */
  traceOf?(clientId: string, messageId: string): Promise<TraceContext | undefined>;
}) {
  return {
    /** @throws session_unknown, message_unknown where nothing is known of it */
    async of(clientId: string, messageId: string): Promise<MessageTrace> {
      const facts = await factsOf(options, options.sessions.find(clientId), messageId);
      const steps = stepsOf(facts);
      if (steps.length === 0) throw unknownMessage(clientId, messageId);
      const direction = facts.isOwn ? 'out' : 'in';
      const traceId = (await options.traceOf?.(clientId, messageId))?.traceId;
      const about = { clientId, messageId, direction, chat: facts.chat } as const;
      return { ...about, steps, conclusion: conclusionOf(facts), traceId: traceId || undefined };
    },
  };
}

async function factsOf(
  { store, tail }: { store: Store; tail: Pick<Tail, 'since'> },
  session: SessionRecord,
  messageId: string,
): Promise<Facts> {
  const { clientId } = session;
  const [sent, copies, trace, statuses, failed, waiting] = await Promise.all([
    store.sends.get(clientId, messageId),
    store.journal.ofMessage(clientId, messageId),
    store.traces.get(clientId, messageId),
    store.history.statuses(clientId, [messageId]),
    store.failedDeliveries.list({ clientId, limit: LIMITS.failedDeliveriesKept * LIMITS.receivers }),
    store.waitingDeliveries.list(clientId),
  ]);
  const isOfMessage = (delivery: { messageId: string }) => delivery.messageId === messageId;
  const chat = trace?.chat ?? sent?.to ?? '';
  const address = parseJid(chat);
  return {
    session,
    chat,
    isOwn: trace?.fromMe ?? sent !== undefined,
    sent,
    copies,
    row: address && (await store.history.message(clientId, roomIdOf(session, address), messageId)),
    status: statuses.get(messageId),
    failed: failed.filter(isOfMessage),
    // all written at the same instant: sort by receiver instead of time
    waiting: waiting.filter(isOfMessage).sort(byReceiver),
    stream: streamOf(tail, clientId, messageId),
  };
}

/** The entries of the live stream that are about the message. */
function streamOf(tail: Pick<Tail, 'since'>, clientId: string, messageId: string): TailEntry[] {
  const deliveries = new Set<string>();
  const isAbout = (entry: TailEntry): boolean => {
    if (entry.kind === 'dropped') return deliveries.has(entry.deliveryId);
    if (entry.kind === 'event') return 'messageId' in entry.event && entry.event.messageId === messageId;
    if (entry.messageId === messageId) deliveries.add(entry.deliveryId);
    return entry.messageId === messageId;
  };
  return tail
    .since('')
    .map(({ entry }) => entry)
    .filter((entry) => entry.clientId === clientId && isAbout(entry));
}

function stepsOf(facts: Facts): TraceStep[] {
  const { sent, copies, row, status, failed, waiting, stream } = facts;
  const steps = [
    ...(sent ? stepsOfSend(sent) : []),
    ...copies.flatMap(stepsOfCopy),
    ...(row ? [stepAt(0, 'recorded', recordedAs(row))] : []),
    ...(status ? [stepAt(0, 'status', `the furthest status is ${status}`)] : []),
    ...stream.map(stepOfEntry),
    ...waiting.map(({ type, attempts, since, receiver }) =>
      stepAt(since, 'waiting', `${type}: the event waits for ${nameOf(receiver)} (attempts: ${attempts})`),
    ),
    ...failed.map(({ type, reason, attempts, failedAt, url, receiver }) => {
      const where = receiver ? `receiver ${receiver}, ${shownUrl(url)}` : shownUrl(url);
      return stepAt(failedAt, 'failed', `${type}: ${reason} (attempts: ${attempts}, ${where})`);
    }),
  ];
  const timeOf = ({ at }: TraceStep) => (at ? Date.parse(at) : Number.POSITIVE_INFINITY);
  // two unknown times (Infinity) have no difference: NaN
  return steps.sort((a, b) => (timeOf(a) === timeOf(b) ? 0 : timeOf(a) - timeOf(b)));
}

function stepsOfSend(sent: SentRecord): TraceStep[] {
  const written = stepAt(sent.sentAt, 'written_down', 'a send of this number was written down');
  const [step, detail] = SEND_STEPS[stateOf(sent)];
  return [written, stepAt(0, step, detail)];
}

const SEND_STEPS = {
  waiting: ['held_back', 'its policy does not allow it yet'],
  waitingAgain: [
    'held_back',
    'its policy does not allow that it is sent again; nobody acknowledged the copy before',
  ],
  leaving: ['unacknowledged', 'it is being sent'],
  acknowledged: ['acknowledged', 'the network, or a recipient, has it'],
  failed: ['unacknowledged', 'nobody acknowledged it, and its caller got an error'],
  cancelled: ['cancelled', 'it was cancelled or given up before it left'],
  erased: ['cancelled', 'it was cancelled, given up or deleted, and is not sent'],
} as const satisfies Record<string, readonly [TraceStep['step'], string]>;

function stateOf({ acknowledged, closed, held, content, counted }: SentRecord): keyof typeof SEND_STEPS {
  if (acknowledged) return 'acknowledged';
  if (!closed) return 'leaving';
  const isEmpty = content.length === 0;
  if (held !== undefined) return isEmpty ? 'waiting' : 'waitingAgain';
  if (!isEmpty) return 'failed';
  // a held message that was cancelled before it left is counted as nothing
  return counted === 'nothing' ? 'cancelled' : 'erased';
}

function stepsOfCopy({ plain, receivedAt, closedAt }: JournalEntry): TraceStep[] {
  const arrived =
    plain.length > 0
      ? stepAt(receivedAt, 'received', 'the network delivered it, and it was decrypted')
      : stepAt(receivedAt, 'unreadable', 'the network delivered it, but it could not be decrypted');
  if (closedAt === undefined) return [arrived];
  return [arrived, stepAt(closedAt, 'processed', 'it is recorded, and its event is announced')];
}

function recordedAs({ messageType, deleted, fileId }: HistoryMessage): string {
  const file = fileId ? ', with a file' : '';
  const how = deleted ? ', deleted since' : '';
  return messageType === VOTE_TYPE ? 'the history has it as a vote' : `the history has it${file}${how}`;
}

function stepOfEntry(entry: TailEntry): TraceStep {
  if (entry.kind === 'event') return stepAt(Date.parse(entry.at), 'announced', `event ${entry.event.type}`);
  if (entry.kind === 'dropped') {
    const of = entry.receiver ? `receiver ${entry.receiver}: ` : '';
    return stepAt(Date.parse(entry.at), 'dropped', of + entry.reason);
  }
  const { type, attempt, outcome, status, reason, durationMs, url } = entry;
  // the answer of a broker has no HTTP status
  const answer = reason || (status ? `${outcome}, ${status}` : outcome);
  const at = entry.receiver ? `receiver ${entry.receiver}, ${shownUrl(url)}` : shownUrl(url);
  const what = `${type}, attempt ${attempt}: ${answer} after ${durationMs} ms at ${at}`;
  return stepAt(Date.parse(entry.at), 'attempted', what);
}

/** @param at milliseconds since the epoch; 0 if it is not kept */
function stepAt(at: number, step: TraceStep['step'], detail: string): TraceStep {
  return { at: at > 0 ? new Date(at).toISOString() : '', step, detail };
}

const SEND_CONCLUSIONS = {
  waiting: 'It has not left: its policy holds it back.',
  waitingAgain: 'A copy of it may have left, and was not acknowledged. Its policy holds back the next one.',
  leaving: 'It is being sent.',
  failed:
    'The network did not acknowledge it. It may have left all the same: look at the chat before you send it again.',
  cancelled: 'It never left: its policy held it back, and it was cancelled or given up.',
  erased: 'It is not sent: it was cancelled, given up or deleted.',
} as const satisfies Record<string, string>;

function conclusionOf(facts: Facts): string {
  const { isOwn, sent } = facts;
  const state = sent && stateOf(sent);
  const told = state && state !== 'acknowledged' ? SEND_CONCLUSIONS[state] : undefined;
  if (told && (isOwn || sent?.held !== undefined)) return told;
  return deliveryOf(facts);
}

/** The outcome of the message's event. */
function deliveryOf({ session, chat, sent, copies, failed, waiting, stream, isOwn, status }: Facts): string {
  const since = sent?.content.length === 0 ? ' It has been deleted for everybody since.' : '';
  const arrived = isOwn ? `It was sent${status ? `, and is ${status}` : ''}.${since}` : 'It was received.';
  const [late, ...others] = waiting;
  const gone = failed.find(({ receiver }) => isThere(session, receiver));
  if (gone)
    return `${arrived} Its event was not delivered${toReceiver(gone)}.${alsoWaits(waiting)} Deliver it again: switchboard failed resend ${gone.id}`;
  if (late) {
    const paused = pauseOf(session, late.receiver);
    const [tried, stopped] = late.receiver
      ? [`receiver ${late.receiver}`, `receiver ${late.receiver}`]
      : ['the receiver', 'the webhook'];
    const tries =
      late.attempts > 0
        ? `it is tried until ${tried} accepts it`
        : `it was not tried yet, because earlier events for ${tried} come first`;
    const why = paused ? `${stopped} is paused (${paused})` : tries;
    return `${arrived} Its event waits: ${why}.${alsoWaits(others, late)}`;
  }
  const [past] = failed;
  if (past) return `${arrived} Its event was not delivered${toReceiver(past)}, which was removed.`;
  if (stream.some((entry) => entry.kind === 'attempt' && entry.outcome === 'delivered'))
    return `${arrived} The receiver accepted its event.`;
  if (copies.length > 0 && copies.every(({ plain }) => plain.length === 0))
    return 'It could not be decrypted. The sender and the own phone were asked to send it again.';
  if (copies.length > 0 && copies.every(({ closedAt }) => closedAt === undefined))
    return `${arrived} It is still being processed.`;
  if (chat.endsWith('@g.us') && !session.enableGroupAi)
    return `${arrived} Events of group messages are off: switchboard sessions group-events ${session.clientId} on`;
  if (!session.webhookUrl && othersOf(session).length === 0)
    return `${arrived} The session has no webhook, so nobody got its event.`;
  return `${arrived} Its event is not among those that failed or wait. Successful deliveries are remembered for a while only.`;
}

function toReceiver({ receiver }: FailedDelivery): string {
  return receiver ? ` to receiver ${receiver}` : '';
}

/** Sorts the webhook first, then by numeric id. */
function byReceiver(a: { receiver?: string }, b: { receiver?: string }): number {
  return Number(a.receiver ?? 0) - Number(b.receiver ?? 0);
}

/** False for a removed receiver. True for a webhook without an address: `failed resend` tells what is missing. */
function isThere(session: SessionRecord, receiver: string | undefined): boolean {
  return receiver === undefined || othersOf(session).some(({ id }) => id === receiver);
}

/** Names the other receivers that events of the message wait for. */
function alsoWaits(events: readonly { receiver?: string }[], named?: { receiver?: string }): string {
  const receivers = events.map(({ receiver }) => receiver).filter((one) => !named || one !== named.receiver);
  const names = [...new Set(receivers.map((one) => (one === undefined ? 'the webhook' : nameOf(one))))];
  return names.length > 0 ? ` It waits for ${names.join(', ')}, too.` : '';
}

function nameOf(receiver: string | undefined): string {
  return receiver === undefined ? 'its receiver' : `receiver ${receiver}`;
}

/** The reason why a receiver is paused; empty if it is not. */
function pauseOf(session: SessionRecord, receiver: string | undefined): string {
  if (receiver === undefined) return pauseText(session.webhookPaused);
  return othersOf(session).find(({ id }) => id === receiver)?.paused ?? '';
}

function unknownMessage(clientId: string, messageId: string): GatewayError {
  const days = (ms: number) => `${Math.round(ms / DAY_MS)} days`;
  return new GatewayError(
    'message_unknown',
    `nothing is known of message ${messageId} in session ${clientId}: it never arrived here, it is of another session, or it is ` +
      `older than what is kept (sends ${days(LIMITS.sentMessageTtlMs)}, other messages ${days(LIMITS.traceTtlMs)})`,
  );
}
