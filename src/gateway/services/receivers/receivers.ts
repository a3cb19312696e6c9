import type { FleetReceiver, NewReceiver, Receiver, ReceiverChanges } from '../../../contract/index.js';
import { isBrokerUrl } from '../../../domain/brokers.js';
import type { Clock } from '../../../domain/clock.js';
import { GatewayError } from '../../../domain/errors.js';
import { WEBHOOK_ID } from '../../../domain/ids.js';
import { LIMITS } from '../../../domain/limits.js';
import { pauseCodeOf, pauseText } from '../../../domain/pauses.js';
import { reason } from '../../../domain/reasons.js';
import { originOf } from '../../../domain/text.js';
import { withKeptCredentials, withoutCredentials } from '../../../domain/url-credentials.js';
import type { Dispatcher } from '../../delivery/dispatch.js';
import type { DeliveryFigures } from '../../delivery/figures.js';
import { requireReceiverUrl } from '../../delivery/sinks/addresses.js';
import type { Logger } from '../../log.js';
import type { FailedDeliveryStore, SessionRecord } from '../../store/store.js';
import { tokenChanges } from '../sessions/previous-token.js';
import {
  othersOf,
  type ReceiverList,
  readReceivers,
  type StoredReceiver,
  shownFilter,
  unknownReceiver,
} from '../sessions/receiver-list.js';
import { pauseOf, type ReceiverLists } from './receiver-lists.js';

type SetBy = NonNullable<StoredReceiver['setBy']>;

const NO_BROKERS =
  "url: a session's secret must not set the address of a broker, unless the gateway runs with --allow-tenant-brokers";

type Deliveries = Pick<Dispatcher, 'figures' | 'forget'> & {
  durable: Pick<Dispatcher['durable'], 'figures' | 'waiting' | 'retryNow' | 'discard'>;
};

/** The receivers of sessions beside their webhooks. The methods that name a session throw session_unknown. */
export class SessionReceivers {
  readonly #options;

  constructor(options: {
    sessions: {
      all(): { clientId: string; record: SessionRecord }[];
      /** @throws session_unknown */
      find(clientId: string): { record: SessionRecord };
    };
    lists: ReceiverLists;
    deliveries: Deliveries;
    failed: Pick<FailedDeliveryStore, 'countsOf' | 'removeOf'>;
    /** Permits receivers on private addresses. */
    allowPrivateUrls: boolean;
    /** Permits the secret of a session to set the address of a broker. */
    allowTenantBrokers: boolean;
    clock: Clock;
    log: Logger;
  }) {
    this.#options = options;
  }

  /** All receivers, without tokens; the webhook, if there is one, has id `1`. */
  async list(clientId: string): Promise<Receiver[]> {
    const { record } = this.#options.sessions.find(clientId);
    const failed = await this.#options.failed.countsOf(clientId);
    const others = readReceivers(record.receivers).receivers.map((one) =>
      this.#viewOf(clientId, one, failed.get(one.id) ?? 0),
    );
    if (!record.webhookUrl) return others;
    return [this.#viewOf(clientId, webhookOf(record), failed.get(WEBHOOK_ID) ?? 0), ...others];
  }

  /**
   * @param setBy the operator, or a tenant with the secret of the session
   * @throws receivers_full; forbidden if a tenant must not set this address
   */
  add(clientId: string, { url, ...settings }: NewReceiver, setBy: SetBy): Promise<Receiver> {
    this.#requireUsable(withKeptCredentials('url', url, ''), setBy);
    return this.#change(clientId, ({ lastId, receivers }) => {
      if (receivers.length + 1 >= LIMITS.receivers) throw isFull(clientId);
      const id = String(lastId + 1);
      const added = { ...NEW, ...settings, ...alwaysDurable(url, settings.retry), id, url, setBy };
      requireOwnSchedule(added);
      return { list: { lastId: lastId + 1, receivers: [...receivers, added] }, id };
    });
  }

  /** @throws receiver_unknown; invalid_request for the webhook; forbidden if a tenant must not set this address */
  async change(clientId: string, id: string, changes: ReceiverChanges, setBy: SetBy): Promise<Receiver> {
    const { token, previousTokenFor, paused, ...settings } = changes;
    requireNotWebhook(id, 'changed');
    if (settings.url !== undefined) this.#requireUsable(settings.url, setBy);
    const view = await this.#change(clientId, ({ lastId, receivers }) => {
      const before = findOne(clientId, receivers, id);
      const { url } = settings;
      const after: StoredReceiver = {
        ...before,
        ...settings,
        ...(url !== undefined && { url: withKeptCredentials('url', url, before.url) }),
        ...alwaysDurable(settings.url ?? before.url, settings.retry),
        ...tokenChanges(
          before,
          { token, seconds: previousTokenFor, field: 'token' },
          this.#options.clock.now(),
        ),
      };
      // check the schedule only if it changes: an earlier release may have accepted one that is invalid now
      if (settings.schedule !== undefined || after.retry !== before.retry) requireOwnSchedule(after);
      if (settings.url !== undefined) after.setBy = setBy;
      if (settings.url !== undefined || paused === false) Object.assign(after, pauseOf(undefined));
      if (paused) Object.assign(after, pauseOf('operator'));
      return { list: { lastId, receivers: receivers.map((one) => (one.id === id ? after : one)) }, id };
    });
    this.#options.deliveries.durable.retryNow(clientId, id);
    return view;
  }

  /** @returns the number of events that waited for it @throws receiver_unknown, invalid_request for the webhook */
  async remove(clientId: string, id: string): Promise<{ discarded: number }> {
    requireNotWebhook(id, 'removed');
    await this.#options.lists.change(clientId, ({ lastId, receivers }) => {
      findOne(clientId, receivers, id);
      return { lastId, receivers: receivers.filter((one) => one.id !== id) };
    });
    // after a crash here, the remaining events are dropped at their first attempt, which finds no receiver
    const discarded = await this.#options.deliveries.durable.discard(clientId, id);
    this.#options.deliveries.forget(clientId, id);
    // nobody could resend them; housekeeping removes after 7 days what a store outage leaves
    await this.#options.failed.removeOf(clientId, id).catch((err: unknown) => {
      this.#options.log.warn(
        { err, clientId, receiver: id },
        'failed deliveries of a removed receiver not removed',
      );
    });
    return { discarded };
  }

  /** The receivers beside the webhook of a session of this node, for operators. */
  report(clientId: string): FleetReceiver[] {
    const { record } = this.#options.sessions.find(clientId);
    return othersOf(record).map(({ id, name, url, setBy, paused, pauseCode }) => {
      const { inFlight, waiting, ...counts } = this.#figures(clientId, id);
      return {
        ...{ id, name, origin: originOf(url), inFlight, ...counts },
        ...(setBy && { setBy }),
        ...(paused && { paused, pauseCode: pauseCode ?? pauseCodeOf(paused) }),
        ...(waiting && { waiting }),
      };
    });
  }

  /**
   * The states of the receivers beside the webhooks, of all sessions of this node. A receiver that refuses the events of
   * only one chat counts as down, although its circuit may stay closed.
   */
  states(): ('active' | 'paused' | 'down')[] {
    const { sessions, deliveries } = this.#options;
    return sessions.all().flatMap(({ clientId, record }) =>
      othersOf(record).map(({ id, paused }) => {
        if (paused) return 'paused';
        return deliveries.durable.figures(clientId, id)?.isRefusing ? 'down' : 'active';
      }),
    );
  }

  /** Writes a changed list. @returns the receiver that was changed */
  async #change(
    clientId: string,
    change: (list: ReceiverList) => { list: ReceiverList; id: string },
  ): Promise<Receiver> {
    let changedId = '';
    const { receivers } = await this.#options.lists.change(clientId, (before) => {
      const { list, id } = change(before);
      changedId = id;
      return list;
    });
    const failed = await this.#options.failed.countsOf(clientId);
    return this.#viewOf(clientId, findOne(clientId, receivers, changedId), failed.get(changedId) ?? 0);
  }

  #viewOf(clientId: string, one: StoredReceiver, failed: number): Receiver {
    const { id, name, url, token, previousTokenUntil, retry, setBy, paused, pauseCode } = one;
    const { filter, headers, schedule } = one;
    const { inFlight: _, waiting, ...counts } = this.#figures(clientId, id);
    const isKept = this.#options.clock.now() < previousTokenUntil;
    return {
      ...{ id, name, url: withoutCredentials(url), hasToken: token !== '' },
      ...{ retry, headers: Object.keys(headers), failed, ...counts, filter: shownFilter(filter), schedule },
      ...(setBy && { setBy }),
      ...(isKept && { previousTokenUntil: new Date(previousTokenUntil).toISOString() }),
      ...(paused && { paused, pauseCode: pauseCode ?? pauseCodeOf(paused) }),
      ...(waiting && { waiting }),
    };
  }

  #figures(clientId: string, id: string) {
    const { deliveries } = this.#options;
    const other = id === WEBHOOK_ID ? undefined : id;
    const { inFlight, delivered, dropped, last }: DeliveryFigures = deliveries.figures(clientId, other);
    const waiting = deliveries.durable.waiting(clientId, other);
    return { inFlight, delivered, dropped, ...(last && { last }), ...(waiting && { waiting }) };
  }

  /** @throws GatewayError invalid_request, forbidden */
  #requireUsable(url: string, setBy: SetBy): void {
    const { allowPrivateUrls, allowTenantBrokers } = this.#options;
    // a broker connection opens from inside the operator's network
    if (setBy === 'tenant' && isBrokerUrl(url) && !allowTenantBrokers)
      throw new GatewayError('forbidden', NO_BROKERS);
    requireReceiverUrl('url', url, allowPrivateUrls);
  }
}

/** A broker always has durable retries. @throws GatewayError invalid_request */
function alwaysDurable(url: string, retry: StoredReceiver['retry'] | undefined): { retry?: 'durable' } {
  if (!isBrokerUrl(url)) return {};
  if (retry !== 'contract') return { retry: 'durable' };
  throw new GatewayError('invalid_request', 'retry: a broker always has durable retries; leave it out');
}

/** Refuses fields of a schedule that this kind of retries does not use. @throws GatewayError invalid_request */
function requireOwnSchedule({ retry, schedule }: Pick<StoredReceiver, 'retry' | 'schedule'>): void {
  const { attempts, pauses, giveUpHours } = schedule;
  if (retry === 'durable' && attempts !== undefined) {
    const message =
      'schedule.attempts: only with retry contract; durable retries have pauses and giveUpHours';
    throw new GatewayError('invalid_request', message);
  }
  if (retry === 'durable') return;
  const field = pauses === undefined ? 'giveUpHours' : 'pauses';
  if (pauses !== undefined || giveUpHours !== undefined)
    throw new GatewayError('invalid_request', `schedule.${field}: only with retry durable`);
}

/** Defaults of a new receiver. */
const NEW: Omit<StoredReceiver, 'id' | 'url'> = {
  ...{ name: '', token: '', previousToken: null, previousTokenUntil: 0, retry: 'contract', paused: '' },
  ...{ filter: {}, headers: {}, schedule: {} },
};

/** The webhook in the form of the other receivers. */
function webhookOf(record: SessionRecord): StoredReceiver {
  const { webhookUrl, webhookToken, previousToken, previousTokenUntil, retry, webhookPaused } = record;
  return {
    ...NEW,
    ...{ id: WEBHOOK_ID, name: 'webhook', url: webhookUrl, token: webhookToken, previousToken },
    ...{ previousTokenUntil, retry, paused: pauseText(webhookPaused) },
  };
}

/** @throws GatewayError receiver_unknown */
function findOne(clientId: string, receivers: readonly StoredReceiver[], id: string): StoredReceiver {
  const found = receivers.find((one) => one.id === id);
  if (found) return found;
  throw unknownReceiver(clientId, id);
}

/** @throws GatewayError invalid_request */
function requireNotWebhook(id: string, kind: 'changed' | 'removed'): void {
  if (id !== WEBHOOK_ID) return;
  throw new GatewayError('invalid_request', reason('webhook_is_no_receiver', { kind, id }));
}

function isFull(clientId: string): GatewayError {
  const message = `session ${clientId} has ${LIMITS.receivers} receivers with its webhook, which is the limit; remove one first`;
  return new GatewayError('receivers_full', message);
}
