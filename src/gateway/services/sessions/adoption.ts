import { EXTRA_EVENT_TYPES, type ExtraEventType } from '../../../contract/events/catalogue.js';
import type {
  AdoptRequest,
  ExportKeysAnswer,
  ExportSessionAnswer,
  StartSettings,
  UnfinishedAnswer,
} from '../../../contract/index.js';
import { type Clock, endsWithin } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { LIMITS } from '../../../domain/limits.js';
import { pauseCodeOf, pauseText } from '../../../domain/pauses.js';
import { reason } from '../../../domain/reasons.js';
import { requireReceiverUrl } from '../../delivery/sinks/addresses.js';
import type { LinkFactory } from '../../link/link.js';
import type { Logger } from '../../log.js';
import { heldRecords, type SessionRecord, type Store } from '../../store/store.js';
import { type SessionView, sessionView } from './directory.js';
import { linkedAs, linkedSince } from './linked-number.js';
import { previousTokenOf } from './previous-token.js';
import { readReceivers, shownFilter, writeReceivers } from './receiver-list.js';
import { definedOnly, exported, type RecordChanges, withKeptAddresses } from './record.js';
import type { SessionRegistry } from './registry.js';
import type { Session } from './session.js';

/** Keys of one page of an export. */
const PAGE_KEYS = 500;
/** Milliseconds before the newest message: messages of this time may be delivered again. */
const RECENT_MS = 60_000;
/** Limit of messages of that time that are moved, beside those that still have to be announced. */
const MAX_RECENT = 5_000;

/**
 * Takes over numbers that another program has linked with the same protocol library: its credentials and Signal keys, in parts
 * that fit into one request each. The number connects with the part that brings the credentials, which is the last one.
 */
export class AdoptedNumbers {
  readonly #options;
  /** Sessions and links with a request in flight. */
  readonly #busy = new Set<string>();

  constructor(options: {
    sessions: Pick<SessionRegistry, 'create' | 'find' | 'giveBack'>;
    store: Store;
    links: LinkFactory;
    /** Announces messages of the journal that are not in flight. */
    journal: { announceRest(clientId: string): Promise<void> };
    /** Resolves when the sends in flight have an outcome. */
    sends: { settled(clientId: string): Promise<void> };
    /** Permits receivers on private addresses. */
    allowPrivateUrls: boolean;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /**
   * Takes one part of the state of a number.
   * @returns the session, and the names of keys that cannot be used
   * @throws invalid_request, session_already_paired
   */
  async take(part: AdoptRequest): Promise<{ session: SessionView; leftOut: string[] }> {
    const { clientId, begin, keys = [], credentials, received = [], linkedAt, ...others } = part;
    const { webhookPaused, previousToken, receivers, ...settings } = others;
    const moved = movedChanges({ webhookPaused, previousToken, receivers });
    const { sessions, store, links, allowPrivateUrls, clock } = this.#options;
    await links.load();
    // find all errors of the request before anything is written
    for (const [index, { url }] of (receivers ?? []).entries()) {
      requireReceiverUrl(`receivers[${index}].url`, url, allowPrivateUrls);
    }
    const { usable, unusable } = links.readForeignKeys(keys);
    const linked = credentials && links.readForeignCredentials(credentials);
    return this.#alone([clientId, linked?.me.jid ?? ''], async () => {
      if (linked) await this.#requireOneLink(clientId, linked.me.jid);
      const { session, isNew } = await sessions.create(clientId, settings);
      requireUntouched(session);
      if (!isNew) await session.update(changesIn(session.record, settings));
      if (Object.keys(moved).length > 0) await session.update(moved);
      if (begin) await store.keys.clear(clientId);
      if (usable.length > 0) await store.keys.commit(clientId, { keys: usable });
      if (received.length > 0) {
        const closedAt = clock.now();
        const journal = received.map((entry) => ({
          ...{ ...entry, closedAt },
          ...{ plain: Buffer.from(entry.plain, 'base64'), stanza: Buffer.from(entry.stanza, 'base64') },
        }));
        await store.keys.commit(clientId, { journal });
      }
      if (linked) {
        await store.keys.commit(clientId, { credentials: linked.credentials });
        requireUntouched(session);
        const now = clock.now();
        const since = linkedAt === undefined ? now : Math.min(now, Date.parse(linkedAt));
        await session.update({ ...linkedAs(session.record, linked.me, since), ...linked.me });
        await session.start();
      }
      return { session: sessionView(session), leftOut: unusable };
    });
  }

  /**
   * Closes the link and deletes everything of the session, but leaves the device linked at the network.
   * @param jid the own jid of the session that the caller means, with or without its device
   * @throws session_unknown; invalid_request if the session has another number
   */
  async giveBack(clientId: string, jid: string): Promise<void> {
    const { sessions } = this.#options;
    const session = sessions.find(clientId);
    const { jid: device } = session.record;
    const own = sessionView(session).jid;
    if (jid !== device && jid !== own) {
      const message = `jid: session ${clientId} is linked as ${device || 'no device'}, not as ${jid || 'none'}`;
      throw new GatewayError('invalid_request', message);
    }
    await sessions.giveBack(clientId);
  }

  /**
   * Closes the link until an operator reconnects it, and returns what another Switchboard needs beside the keys.
   * @throws session_unknown, session_unpaired; session_terminal for a banned number
   */
  async export(clientId: string): Promise<Omit<ExportSessionAnswer, 'ok'>> {
    const { sessions, store, links, journal, sends, clock, log } = this.#options;
    const session = sessions.find(clientId);
    requireLinked(session);
    // callers must get the network's answer, which cannot arrive after the end of the link
    await endsWithin(clock, LIMITS.endGraceMs, sends.settled(clientId));
    await session.park(exported(clientId));
    // written before any data leaves: after a crash the link must stay closed
    const { status, statusReason, statusSince } = session.record;
    await session.update({ status, statusReason, statusSince, exportedAt: clock.now() });
    await journal.announceRest(clientId);
    const stored = await store.keys.credentials(clientId);
    if (!stored) throw new GatewayError('session_unpaired', `session ${clientId} has no credentials`);
    const { jid, orgId, webhookUrl, webhookToken, pollLookupUrl, retry, ...others } = session.record;
    const { enableGroupAi, rejectCalls, retentionDays, keepEvents, proxy, webhookPaused } = others;
    const previous = previousTokenOf(session.record);
    const { receivers } = readReceivers(session.record.receivers);
    const { clientId: _, ...staying } = await this.unfinished(clientId);
    log.info({ clientId }, 'the session was exported');
    return {
      ...{ clientId, jid, credentials: { ...links.exportCredentials(stored) } },
      settings: {
        ...{
          orgId,
          webhookUrl,
          webhookToken,
          pollLookupUrl,
          retry,
          enableGroupAi,
          rejectCalls,
          retentionDays,
        },
        ...{ extraEvents: session.record.extraEvents.filter(isExtraEvent), proxy: proxy || null },
        ...(keepEvents > 0 && { keepEvents }),
        linkedAt: new Date(linkedSince(session.record)).toISOString(),
        ...(webhookPaused && { webhookPaused: pauseText(webhookPaused) }),
        ...(previous && {
          previousToken: { token: previous.token, until: new Date(previous.until).toISOString() },
        }),
        ...(receivers.length > 0 && {
          receivers: receivers.map((one) => ({ ...one, filter: shownFilter(one.filter) })),
        }),
      },
      staying,
    };
  }

  /** Counts the unfinished work in the store that would be lost with the session. @throws session_unknown */
  async unfinished(clientId: string): Promise<UnfinishedAnswer> {
    const { sessions, store, links } = this.#options;
    const { record } = sessions.find(clientId);
    const [failed, waiting, open, sends, held] = await Promise.all([
      store.failedDeliveries.counts(clientId),
      store.waitingDeliveries.list(clientId),
      store.journal.open(clientId),
      store.sends.open(clientId),
      countHeld(store.sends, clientId),
    ]);
    // parts of the history are left out, because the history does not move
    const entries = open.filter((entry) => !links.history(entry, record.proxy));
    const messages = [...links.restore(entries, record), ...links.restoreUnreadable(entries, record)];
    return {
      clientId,
      failedDeliveries: failed.get(clientId) ?? 0,
      waitingDeliveries: waiting.length,
      unannounced: messages.length,
      unacknowledgedSends: sends.length,
      heldSends: held,
    };
  }

  /**
   * The next page of keys, after `after`, of a session that `export` stopped.
   * @throws session_unknown, session_unpaired; session_already_paired while it is in use
   */
  async exportKeys(
    clientId: string,
    after?: { type: string; id: string },
  ): Promise<Omit<ExportKeysAnswer, 'ok'>> {
    const { sessions, store, links } = this.#options;
    const session = sessions.find(clientId);
    requireLinked(session);
    const { status } = session.record;
    if (status !== 'replaced') {
      throw new GatewayError('session_already_paired', reason('session_not_exported', { clientId, status }));
    }
    const found = await store.keys.page(clientId, after, PAGE_KEYS);
    const keys = found.map(({ type, id, value }) => ({ type, id, value: links.exportKey(type, value) }));
    const last = found.at(-1);
    if (last && found.length === PAGE_KEYS) {
      return { clientId, keys, next: { type: last.type, id: last.id } };
    }
    // read last, to include what was in flight when the link closed
    const [newest] = await store.journal.since(clientId, 0, 1);
    const recent = newest
      ? await store.journal.since(clientId, newest.receivedAt - RECENT_MS, MAX_RECENT)
      : [];
    const entries = new Map([...recent, ...(await store.journal.open(clientId))].map((one) => [one.id, one]));
    // the new owner asks again for unreadable messages, and gets them in another encryption
    const readable = [...entries.values()].filter(({ plain }) => plain.length > 0);
    const received = readable.map(({ id, messageId, plain, stanza, receivedAt }) => ({
      ...{ id, messageId, receivedAt },
      plain: Buffer.from(plain).toString('base64'),
      stanza: Buffer.from(stanza).toString('base64'),
    }));
    return { clientId, keys, received };
  }

  /** Refuses a second request for the same session or link while one is in flight. */
  async #alone<T>(names: readonly string[], work: () => Promise<T>): Promise<T> {
    if (names.some((name) => this.#busy.has(name))) {
      throw new GatewayError(
        'session_already_paired',
        'another request adopts this session or this link now',
      );
    }
    for (const name of names) if (name) this.#busy.add(name);
    try {
      return await work();
    } finally {
      for (const name of names) this.#busy.delete(name);
    }
  }

  /** Refuses a number that another session of this store uses: two connections of one link would end each other. */
  async #requireOneLink(clientId: string, jid: string): Promise<void> {
    const other = (await this.#options.store.sessions.list()).find((session) => session.jid === jid);
    if (!other || other.clientId === clientId) return;
    throw new GatewayError('session_already_paired', `session ${other.clientId} has this link already`);
  }
}

/** @throws GatewayError session_unpaired, session_terminal */
function requireLinked({ clientId, hasCredentials, record: { status } }: Session): void {
  if (!hasCredentials) throw new GatewayError('session_unpaired', `session ${clientId} is not paired`);
  if (status !== 'banned') return;
  throw new GatewayError('session_terminal', `session ${clientId} is banned; look at the phone first`);
}

function isExtraEvent(type: string): type is ExtraEventType {
  return EXTRA_EVENT_TYPES.some((known) => known === type);
}

function requireUntouched(session: Session): void {
  if (session.isUntouched) return;
  const { clientId } = session;
  throw new GatewayError('session_already_paired', reason('session_exists', { clientId }));
}

function changesIn(present: SessionRecord, { proxy, ...settings }: StartSettings): RecordChanges {
  return {
    ...withKeptAddresses(present, definedOnly(settings)),
    ...(proxy !== undefined && { proxy: proxy ?? '' }),
  };
}

/** The delivery settings of an export that `/set-webhook` does not take. */
function movedChanges(
  moved: {
    [Part in 'webhookPaused' | 'previousToken' | 'receivers']: AdoptRequest[Part] | undefined;
  },
): RecordChanges {
  const { webhookPaused, previousToken, receivers } = moved;
  const ids = receivers?.map(({ id }) => Number(id)) ?? [];
  return {
    ...(webhookPaused !== undefined && { webhookPaused: pauseCodeOf(webhookPaused) ?? '' }),
    ...(previousToken && {
      ...{ previousToken: previousToken.token, previousTokenUntil: Date.parse(previousToken.until) },
    }),
    ...(receivers && { receivers: writeReceivers({ lastId: Math.max(1, ...ids), receivers }) }),
  };
}

async function countHeld(sends: Store['sends'], clientId: string): Promise<number> {
  let count = 0;
  for await (const _ of heldRecords(sends, clientId)) count += 1;
  return count;
}
