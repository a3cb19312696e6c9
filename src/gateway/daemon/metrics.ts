import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { SessionStatus } from '../../domain/session.js';

/** Parts whose values are read when `/metrics` is requested. */
export interface MetricSources {
  sessions: { states(): readonly { status: SessionStatus }[] };
  restrictions: { count(what: 'restriction' | 'warning'): number };
  deliveries: {
    inFlight(): number;
    waiting(): number;
    /** Events that wait in the store for receivers with durable retries. */
    durable: { totals(): { bytes: number; open: number; waitedMs: number } };
  };
  /** The receivers beside the webhooks. */
  receivers: { states(): ('active' | 'paused' | 'down')[] };
  /** Messages that wait until the policies of their sessions allow them. */
  held: { total(): number };
  /** Uploaded and fetched files while they are sent. */
  media: { onDisk(): { files: number; bytes: number } };
  /** Lease metrics; absent without a cluster. */
  leases?: LeaseSources | undefined;
}

/** The leases of a cluster node. */
export interface LeaseSources {
  /** Sessions that the node holds. */
  held(): number;
  /** Milliseconds since the last renewal; before the first, since the start. */
  renewedAgoMs(): number;
}

/**
 * Metrics of the process, shared by all daemons in it. Created only once, because the observers of a second registry
 * would keep stopped daemons in memory.
 */
const ofProcess = new Registry();

/** Registers the process's own metrics with a daemon's. */
function addProcessMetrics(registry: Registry): void {
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
  for (const { name } of ofProcess.getMetricsAsArray()) {
    const metric = ofProcess.getSingleMetric(name);
    if (metric) registry.registerMetric(metric);
  }
}

/**
 * The metrics of `/metrics` except those of HTTP. One registry for each daemon, so that several can run in one process. The
 * methods implement the observer interfaces of the layers below.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #received = this.#counter('messages_received_total', 'Messages announced as events', ['type']);
  readonly #unknown = this.#counter(
    'messages_unknown_kind_total',
    'Messages of a kind not in the catalogue',
    ['kind'],
  );
  readonly #unreadable = this.#counter('messages_unreadable_total', 'Messages that could not be read', [
    'reason',
  ]);
  readonly #notAdmitted = this.#counter('messages_not_admitted_total', 'Messages that are no events', [
    'reason',
  ]);
  readonly #undelivered = this.#counter(
    'messages_without_receiver_total',
    'Messages with neither webhook nor orgId',
  );
  readonly #calls = this.#counter('calls_total', 'Calls to linked numbers, by what became of them', [
    'status',
  ]);
  readonly #sent = this.#counter('messages_sent_total', 'Sends acknowledged by the network', ['route']);
  readonly #sendFailures = this.#counter('send_failures_total', 'Sends that failed', ['code']);
  readonly #refused = this.#counter(
    'policy_refusals_total',
    'Sends that a policy refused, or would have refused if it did more than observe',
    ['rule', 'mode'],
  );
  readonly #attempts = this.#counter('webhook_attempts_total', 'Calls to receivers', ['outcome']);
  readonly #dropped = this.#counter('webhook_dropped_total', 'Events that no attempt could deliver', [
    'reason',
  ]);
  readonly #files = this.#counter('files_total', 'Files of the hosted inbox', ['outcome']);
  readonly #uninspected = this.#counter(
    'files_uninspected_total',
    'Files sent without the facts that phones show, because their inspection took too long',
  );
  readonly #disconnects = this.#counter('link_disconnects_total', 'Links that ended', ['status']);
  readonly #taken = this.#counter('sessions_taken_total', 'Sessions that this node took up');
  readonly #given = this.#counter('sessions_given_total', 'Sessions that this node gave to others');
  readonly #lost = this.#counter('leases_lost_total', 'Leases that ran out or that another node took');

  /** @param node the label `node` of every metric */
  constructor(node: string) {
    this.registry.setDefaultLabels({ node });
    addProcessMetrics(this.registry);
  }

  /** Shows the values of these parts too; called once, when all of them exist. */
  watch(sources: MetricSources): void {
    const { sessions, restrictions, deliveries, receivers, held, media, leases } = sources;
    this.#gauge('sessions', 'Sessions by status', ['status'], (gauge) => {
      gauge.reset();
      for (const { status } of sessions.states()) gauge.inc({ status });
    });
    this.#gauge('sessions_restricted', 'Sessions whose numbers the network restricts', [], (gauge) =>
      gauge.set(restrictions.count('restriction')),
    );
    this.#gauge('sessions_warned', 'Sessions whose numbers the network warns of a restriction', [], (gauge) =>
      gauge.set(restrictions.count('warning')),
    );
    this.#gauge('webhook_in_flight', 'Calls to receivers under way', [], (gauge) =>
      gauge.set(deliveries.inFlight()),
    );
    this.#gauge('webhook_waiting', 'Events waiting for their receiver', [], (gauge) =>
      gauge.set(deliveries.waiting()),
    );
    this.#gauge(
      'webhook_durable_bytes',
      'Bytes of events that wait in the store for their receivers',
      [],
      (gauge) => gauge.set(deliveries.durable.totals().bytes),
    );
    this.#gauge('webhook_circuits_open', 'Receivers with durable retries that are down', [], (gauge) =>
      gauge.set(deliveries.durable.totals().open),
    );
    // count refusing receivers too: a receiver with events of a single chat never opens its circuit
    this.#gauge(
      'webhook_oldest_waiting_seconds',
      'Age of the oldest event that waits in the store for its receiver; 0 without one',
      [],
      (gauge) => gauge.set(deliveries.durable.totals().waitedMs / 1_000),
    );
    this.#gauge('receivers', 'Receivers beside the webhooks, by state', ['state'], (gauge) => {
      gauge.reset();
      for (const state of receivers.states()) gauge.inc({ state });
    });
    this.#gauge('held_sends', 'Messages that wait until their policy allows them', [], (gauge) =>
      gauge.set(held.total()),
    );
    this.#gauge('files_on_disk', 'Files that are on disk while they are sent or stored', [], (gauge) =>
      gauge.set(media.onDisk().files),
    );
    this.#gauge(
      'files_on_disk_bytes',
      'Bytes of the files that are on disk while they are sent or stored',
      [],
      (gauge) => gauge.set(media.onDisk().bytes),
    );
    if (leases) this.#addLeases(leases);
  }

  received(type: string): void {
    this.#received.inc({ type });
  }

  unknownKind(kind: string): void {
    this.#unknown.inc({ kind });
  }

  unreadable(reason: string): void {
    this.#unreadable.inc({ reason });
  }

  notAdmitted(reason: string): void {
    this.#notAdmitted.inc({ reason });
  }

  withoutReceiver(): void {
    this.#undelivered.inc();
  }

  called(status: string): void {
    this.#calls.inc({ status });
  }

  sent(route: string): void {
    this.#sent.inc({ route });
  }

  policyRefused(rule: string, mode: string): void {
    this.#refused.inc({ rule, mode });
  }

  sendFailed(code: string): void {
    this.#sendFailures.inc({ code });
  }

  attempt(outcome: string): void {
    this.#attempts.inc({ outcome });
  }

  dropped(reason: string): void {
    this.#dropped.inc({ reason });
  }

  fileStored(): void {
    this.#files.inc({ outcome: 'stored' });
  }

  fileLost(): void {
    this.#files.inc({ outcome: 'lost' });
  }

  fileUninspected(): void {
    this.#uninspected.inc();
  }

  disconnected(status: SessionStatus): void {
    this.#disconnects.inc({ status });
  }

  sessionTaken(): void {
    this.#taken.inc();
  }

  sessionGiven(): void {
    this.#given.inc();
  }

  /** A lease expired, or another node claimed it. */
  leaseLost(): void {
    this.#lost.inc();
  }

  #addLeases({ held, renewedAgoMs }: LeaseSources): void {
    this.#gauge('leases_held', 'Sessions that this node holds', [], (gauge) => gauge.set(held()));
    this.#gauge('leases_renewal_age_seconds', 'Time since leases were last renewed', [], (gauge) =>
      gauge.set(renewedAgoMs() / 1_000),
    );
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name: `switchboard_${name}`, help, labelNames, registers: [this.registry] });
  }

  #gauge(name: string, help: string, labelNames: string[], read: (gauge: Gauge) => void): void {
    new Gauge({
      name: `switchboard_${name}`,
      help,
      labelNames,
      registers: [this.registry],
      collect() {
        read(this);
      },
    });
  }
}
