import Joi from 'joi';
import { LRUCache } from 'lru-cache';
import { EVENT_TYPES, type EventType, type GatewayEvent } from '../../../contract/events/catalogue.js';
import type { Receiver as ShownReceiver } from '../../../contract/index.js';
import type { EpochMs } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { WEBHOOK_ID } from '../../../domain/ids.js';
import { parseJson } from '../../../domain/json.js';
import { PAUSE_CODES, type PauseCode } from '../../../domain/pauses.js';
import { reason } from '../../../domain/reasons.js';
import { type EventFilter, passes } from '../../delivery/event-filter.js';
import type { Receiver } from '../../delivery/job.js';
import type { SessionRecord } from '../../store/store.js';
import { previousTokenOf } from './previous-token.js';

/** Deviations of a receiver from the default retries, in the units of the API. */
export interface ReceiverSchedule {
  attempts?: number;
  /** Seconds. */
  pauses?: number[];
  giveUpHours?: number;
}

/** A receiver beside the webhook, as the session's record has it. */
export interface StoredReceiver {
  id: string;
  name: string;
  url: string;
  token: string;
  previousToken: string | null;
  /** 0 without one. */
  previousTokenUntil: EpochMs;
  retry: 'contract' | 'durable';
  filter: EventFilter;
  /** Headers by lower-case name. */
  headers: Record<string, string>;
  schedule: ReceiverSchedule;
  /** Why the receiver is paused, for people; empty if it is not. */
  paused: string;
  /** Why the receiver is paused, for programs; absent if it is not, and in records of earlier releases. */
  pauseCode?: PauseCode | undefined;
  /** Who set the URL; absent in records of earlier releases. */
  setBy?: 'operator' | 'tenant' | undefined;
}

/** The receivers of a session beside its webhook. */
export interface ReceiverList {
  /** The number of the newest id, because ids are never reused. */
  lastId: number;
  receivers: StoredReceiver[];
}

const NONE: ReceiverList = { lastId: 1, receivers: [] };

const texts = Joi.array().items(Joi.string());
// keep unknown fields: a later release wrote them, and may be installed again
const stored = Joi.object<ReceiverList, false, unknown>({
  lastId: Joi.number().integer().min(1).required(),
  receivers: Joi.array()
    .required()
    .items(
      Joi.object({
        id: Joi.string().required(),
        name: Joi.string().allow('').required(),
        url: Joi.string().required(),
        token: Joi.string().allow('').required(),
        previousToken: Joi.string().allow(null).required(),
        previousTokenUntil: Joi.number().required(),
        retry: Joi.valid('contract', 'durable').required(),
        filter: Joi.object({
          ...{ types: texts, rooms: texts, senders: texts, groups: Joi.boolean() },
          direction: Joi.valid('received', 'sent'),
        })
          .unknown()
          .required(),
        headers: Joi.object().pattern(Joi.string(), Joi.string()).required(),
        schedule: Joi.object({
          attempts: Joi.number().integer().min(1),
          pauses: Joi.array().items(Joi.number().positive()).min(1),
          giveUpHours: Joi.number().positive(),
        })
          .unknown()
          .required(),
        paused: Joi.string().allow('').required(),
        pauseCode: Joi.valid(...PAUSE_CODES),
        setBy: Joi.valid('operator', 'tenant'),
      }).unknown(),
    ),
}).unknown();

/** Size of the cache of parsed lists, in characters: each event needs the list of its session, and tenants choose its length. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const known = new LRUCache<string, ReceiverList>({
  maxSize: KEPT_CHARACTERS,
  sizeCalculation: (_list, text) => text.length,
});

/** Reads the receivers of a session's record. @throws GatewayError store_damaged */
export function readReceivers(text: string | null): ReceiverList {
  if (text === null) return NONE;
  const before = known.get(text);
  if (before) return before;
  const { value, error } = stored.validate(parseJson(text), { convert: false });
  if (error || !value) {
    throw new GatewayError(
      'store_damaged',
      'The list of the receivers of the session cannot be read: restore a backup.',
    );
  }
  known.set(text, value);
  return value;
}

/** The damage of a session's list of receivers; undefined if it can be read. */
export function damageOfReceivers({
  clientId,
  receivers,
}: OfRecord & Pick<SessionRecord, 'clientId'>): string | undefined {
  try {
    readReceivers(receivers);
    return undefined;
  } catch {
    return `A stored value of session ${clientId} (receivers) cannot be read: restore a backup.`;
  }
}

/** The text for a session's record. */
export function writeReceivers(list: ReceiverList): string {
  return JSON.stringify(list);
}

/** A filter as the API shows it, without types that this release does not know. */
export function shownFilter({ types, ...rest }: EventFilter): ShownReceiver['filter'] {
  return { ...rest, ...(types && { types: types.filter(isEventType) }) };
}

function isEventType(type: string): type is EventType {
  return EVENT_TYPES.some((known) => known === type);
}

type OfRecord = Pick<SessionRecord, 'receivers'>;

/** The receivers beside the webhook; none if the list cannot be read (the session is then in quarantine). */
export function othersOf({ receivers }: OfRecord): readonly StoredReceiver[] {
  if (receivers === null) return NONE.receivers;
  try {
    return readReceivers(receivers).receivers;
  } catch {
    return NONE.receivers;
  }
}

/** True if the receiver was removed; false if the list merely cannot be read. */
export function isRemovedFrom(record: OfRecord & Pick<SessionRecord, 'clientId'>, id: string): boolean {
  return damageOfReceivers(record) === undefined && otherReceiverOf(record, id) === undefined;
}

/** A receiver for deliveries; undefined if there is none with that id. */
export function otherReceiverOf(record: OfRecord, id: string): Receiver | undefined {
  const found = othersOf(record).find((one) => one.id === id);
  return found && toReceiver(found);
}

/** The receivers beside the webhook that get an event. */
export function othersFor(
  session: OfRecord & Pick<SessionRecord, 'extraEvents'>,
  event: GatewayEvent,
): Receiver[] {
  return othersOf(session)
    .filter(({ filter }) => passes(filter, event, session.extraEvents))
    .map(toReceiver);
}

/** Whether a session or one of its receivers has opted in to a type of events. */
export function wantsType(session: OfRecord & Pick<SessionRecord, 'extraEvents'>, type: string): boolean {
  if (session.extraEvents.includes(type)) return true;
  return othersOf(session).some(({ filter }) => filter.types?.includes(type));
}

/** Whether the events of a chat must be written down in order. */
export function hasDurable(session: OfRecord & Pick<SessionRecord, 'retry'>): boolean {
  return session.retry === 'durable' || othersOf(session).some(({ retry }) => retry === 'durable');
}

const HOUR_MS = 60 * 60_000;

function toReceiver(one: StoredReceiver): Receiver {
  const { id: receiverId, url, token, retry, headers, paused, schedule } = one;
  const { attempts, pauses, giveUpHours } = schedule;
  return {
    ...{ receiverId, url, token, previous: previousTokenOf(one), retry, headers },
    schedule: {
      attempts,
      pausesMs: pauses?.map((seconds) => seconds * 1_000),
      giveUpMs: giveUpHours && giveUpHours * HOUR_MS,
    },
    ...(paused && { paused }),
  };
}

/** A session has no receiver with this id, or no webhook. */
export function unknownReceiver(clientId: string, id: string): GatewayError {
  return id === WEBHOOK_ID
    ? new GatewayError('webhook_missing', reason('webhook_missing', { clientId }))
    : new GatewayError('receiver_unknown', `session ${clientId} has no receiver ${id}`);
}
