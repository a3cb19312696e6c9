import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { SessionStatus } from './domain/session.js';

/** What the metrics read at the moment they are asked for. */
export interface MetricSources {
  /** The name of the node, which every metric carries as its label `node`. */
  node: string;
  sessionStatuses(): SessionStatus[];
  deliveriesInFlight(): number;
  deliveriesWaiting(): number;
  /** Absent where a store has only one node. */
  leases?: LeaseSources;
}

/** The leases of a node that shares its store with others. */
export interface LeaseSources {
  /** Sessions that it holds now. */
  held(): number;
  /** Milliseconds since the store last renewed them; since the start before the first time. */
  renewedAgoMs(): number;
}

/**
 * What is true of the process, whatever runs in it. Made once and never torn down: its observers would otherwise keep
 * each daemon that was ever stopped.
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
 * Everything that `/metrics` shows beside HTTP itself. One registry for each daemon, so that several can live in one
 * process. The methods are the observers that the layers below declare for themselves.
 */
export class Metrics {
  readonly registry = new Registry();
  readonly #received = this.#counter('messages_received_total', 'Messages announced as events', ['type']);
  readonly #unknown = this.#counter(
    'messages_unknown_kind_total',
    'Messages of a kind not in the catalogue',
    ['kind'],
  );
  readonly #notAdmitted = this.#counter('messages_not_admitted_total', 'Messages that are no events', [
    'reason',
  ]);
  readonly #undelivered = this.#counter(
    'messages_without_receiver_total',
    'Messages with neither webhook nor orgId',
  );
  readonly #sent = this.#counter('messages_sent_total', 'Sends acknowledged by the network', ['route']);
  readonly #sendFailures = this.#counter('send_failures_total', 'Sends that failed', ['code']);
  readonly #attempts = this.#counter('webhook_attempts_total', 'Calls to receivers', ['outcome']);
  readonly #dropped = this.#counter('webhook_dropped_total', 'Events that no attempt could deliver', [
    'reason',
  ]);
  readonly #files = this.#counter('files_total', 'Files of the hosted inbox', ['outcome']);
  readonly #disconnects = this.#counter('link_disconnects_total', 'Links that ended', ['status']);
  readonly #taken = this.#counter('sessions_taken_total', 'Sessions that this node took up');
  readonly #given = this.#counter('sessions_given_total', 'Sessions that this node gave to others');
  readonly #lost = this.#counter('leases_lost_total', 'Leases that ran out or that another node took');

  constructor(sources: MetricSources) {
    this.registry.setDefaultLabels({ node: sources.node });
    addProcessMetrics(this.registry);
    this.#gauge('sessions', 'Sessions by status', ['status'], (gauge) => {
      gauge.reset();
      for (const status of sources.sessionStatuses()) gauge.inc({ status });
    });
    this.#gauge('webhook_in_flight', 'Calls to receivers under way', [], (gauge) =>
      gauge.set(sources.deliveriesInFlight()),
    );
    this.#gauge('webhook_waiting', 'Events waiting for their receiver', [], (gauge) =>
      gauge.set(sources.deliveriesWaiting()),
    );
    if (sources.leases) this.#addLeases(sources.leases);
  }

  received(type: string): void {
    this.#received.inc({ type });
  }

  unknownKind(kind: string): void {
    this.#unknown.inc({ kind });
  }

  notAdmitted(reason: string): void {
    this.#notAdmitted.inc({ reason });
  }

  withoutReceiver(): void {
    this.#undelivered.inc();
  }

  sent(route: string): void {
    this.#sent.inc({ route });
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

  disconnected(status: SessionStatus): void {
    this.#disconnects.inc({ status });
  }

  /** This node has become the owner of a session. */
  sessionTaken(): void {
    this.#taken.inc();
  }

  /** This node has ended its lease of a session, for another node to take it. */
  sessionGiven(): void {
    this.#given.inc();
  }

  /** The lease of a session was over before this node gave it away. */
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
