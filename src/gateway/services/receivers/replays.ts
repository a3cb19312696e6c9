import Joi from 'joi';
import { EVENT_NAMES, type GatewayEvent } from '../../../contract/events/catalogue.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError, isGatewayError } from '../../../domain/errors.js';
import { WEBHOOK_ID } from '../../../domain/ids.js';
import { parseJson } from '../../../domain/json.js';
import { LIMITS } from '../../../domain/limits.js';
import { type Reason, type ReasonFields, toFields } from '../../../domain/reasons.js';
import type { Dispatcher, Receiver } from '../../delivery/dispatch.js';
import { type EventFilter, passes } from '../../delivery/event-filter.js';
import type { Logger } from '../../log.js';
import type { KeptEvent, KeptEventStore, KeptFilter, KeptPlace, SessionRecord } from '../../store/store.js';
import { otherReceiverOf, othersOf, unknownReceiver } from '../sessions/receiver-list.js';
import { receiverOf } from './announce.js';
import type { KeptEvents } from './kept-events.js';
import type { Listeners } from './listeners.js';

/** The fields of an event that filters read; all others pass unchanged. */
const announced = Joi.object<GatewayEvent, false, unknown>({
  event: Joi.valid(...EVENT_NAMES).required(),
  type: Joi.string().required(),
  clientId: Joi.string().required(),
}).unknown();

/** Selects the kept events to send again, and their receiver. */
interface ReplayWish extends Omit<KeptFilter, 'order'> {
  receiver: string;
  /** Includes events that do not pass the filter of the receiver. */
  ignoreFilter: boolean;
}

/** The result of a replay; `reason`: why the receiver did not take the last event. */
interface ReplayResult extends Partial<ReasonFields> {
  replayed: number;
  filtered: number;
  missing?: string[];
  /** The last event that was processed, to continue after it; absent when none is left. */
  next?: KeptPlace;
}

/** The events that sessions keep to be sent again. All methods throw session_unknown. */
export function createReplays(options: {
  sessions: {
    /** @throws session_unknown, session_elsewhere */
    find(clientId: string): SessionRecord;
  };
  listening: Pick<Listeners, 'inFrontByHand'>;
  dispatcher: Pick<Dispatcher, 'replay'>;
  kept: Pick<KeptEventStore, 'list' | 'get'>;
  keeper: Pick<KeptEvents, 'removeAll'>;
  clock: Clock;
  log: Logger;
}) {
  const { sessions, listening, dispatcher, kept, keeper, clock, log } = options;

  /** @throws GatewayError webhook_missing, receiver_unknown, receiver_paused */
  function targetOf(session: SessionRecord, id: string): { receiver: Receiver; filter: EventFilter } {
    const { clientId } = session;
    const receiver =
      id === WEBHOOK_ID
        ? listening.inFrontByHand(clientId, receiverOf(session))
        : otherReceiverOf(session, id);
    if (!receiver) throw unknownReceiver(clientId, id);
    if (receiver.paused) {
      const message = `receiver ${id} of session ${clientId} is paused (${receiver.paused}): resume it first`;
      throw new GatewayError('receiver_paused', message);
    }
    const filter = othersOf(session).find((other) => other.id === id)?.filter ?? {};
    return { receiver, filter };
  }

  return {
    /** Lists kept events, without their content. */
    async list(filter: KeptFilter): Promise<Omit<KeptEvent, 'body'>[]> {
      sessions.find(filter.clientId);
      return kept.list(filter);
    },
    /** Removes all kept events of a session that has turned `keepEvents` off. @throws store_unavailable */
    removeAll: (clientId: string): Promise<void> => keeper.removeAll(clientId),
    /**
     * Sends kept events again to one receiver, the oldest first. Stops at the first event that the receiver does not accept,
     * and after some seconds.
     * @throws webhook_missing, receiver_unknown, receiver_paused, invalid_request
     */
    async replay({ clientId, receiver: id, ignoreFilter, ...selection }: ReplayWish): Promise<ReplayResult> {
      const { receiver, filter } = targetOf(sessions.find(clientId), id);
      const limit = selection.ids?.length ?? selection.limit;
      const found = await kept.list({ ...selection, clientId, limit, order: 'oldest first' });
      const ends = clock.now() + LIMITS.replayMs;
      const counts = { replayed: 0, filtered: 0 };
      let damaged = 0;
      let failure: Reason | undefined;
      let done = 0;
      for (const { id: keptId } of found) {
        if (failure !== undefined || clock.now() >= ends) break;
        done += 1;
        // find the session again: it may have been deleted or moved meanwhile
        const session = sessions.find(clientId);
        const event = await kept.get(clientId, keptId).catch((error: unknown) => {
          if (!isGatewayError(error, 'store_damaged')) throw error;
          log.error({ clientId, row: keptId, reason: error.message }, 'a damaged event is not sent again');
          return 'damaged' as const;
        });
        if (event === 'damaged') damaged += 1;
        if (!event || event === 'damaged') continue;
        if (!ignoreFilter && !isFor(session, filter, event)) {
          counts.filtered += 1;
          continue;
        }
        const { delivered, waiting, reason: why } = await dispatcher.replay(event, receiver);
        if (delivered || waiting) counts.replayed += 1;
        else failure = why;
      }
      const last = found[done - 1];
      const isAll = done === found.length && (selection.ids !== undefined || found.length < limit);
      const missing = selection.after ? [] : missingIn(selection.ids ?? [], found);
      return {
        ...counts,
        ...(damaged > 0 && { damaged }),
        ...(failure && toFields(failure)),
        ...(missing.length > 0 && { missing }),
        ...(last && !isAll && { next: { at: last.at, id: last.id } }),
      };
    },
  };
}

function missingIn(ids: readonly string[], found: readonly Pick<KeptEvent, 'id'>[]): string[] {
  const there = new Set(found.map(({ id }) => id));
  return ids.filter((id) => !there.has(id));
}

function isFor(session: SessionRecord, filter: EventFilter, { body }: KeptEvent): boolean {
  const { value, error } = announced.validate(parseJson(body));
  return !error && value !== undefined && passes(filter, value, session.extraEvents);
}
