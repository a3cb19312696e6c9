import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type MetricSources, Metrics } from '../../../src/gateway/daemon/metrics.js';
import { answering, eventOf } from '../../support/receiver.js';
import { BOB, linkSession, startWorld, TOKEN, type World } from '../../support/world.js';

const SOURCES: MetricSources = {
  sessions: { states: () => [{ status: 'connected' }, { status: 'connected' }] },
  restrictions: { count: () => 1 },
  deliveries: {
    inFlight: () => 0,
    waiting: () => 0,
    durable: { totals: () => ({ bytes: 0, open: 0, waitedMs: 2_500 }) },
  },
  receivers: { states: () => ['active', 'paused', 'active'] },
  held: { total: () => 0 },
  media: { onDisk: () => ({ files: 2, bytes: 700 }) },
};

function metricsOf(node = 'node-a', leases?: MetricSources['leases']): Metrics {
  const metrics = new Metrics(node);
  metrics.watch({ ...SOURCES, leases });
  return metrics;
}

describe('metrics', () => {
  it('carry the name of their node, also where two nodes live in one process', async () => {
    const [first, second] = [metricsOf(), metricsOf('node-b')];
    for (const [metrics, node] of [
      [first, 'node-a'],
      [second, 'node-b'],
    ] as const) {
      const lines = (await metrics.registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
      expect(lines).to.include(`switchboard_sessions{status="connected",node="${node}"} 2`);
      expect(lines.filter((line) => !line.includes(`node="${node}"`))).to.deep.equal([]);
    }
  });

  it('show the files that are on disk while they are sent', async () => {
    const shown = await metricsOf().registry.metrics();
    expect(shown).to.include('switchboard_files_on_disk{node="node-a"} 2\n');
    expect(shown).to.include('switchboard_files_on_disk_bytes{node="node-a"} 700\n');
  });

  it('count the receivers beside the webhooks by their state', async () => {
    const shown = await metricsOf().registry.metrics();
    expect(shown).to.include('switchboard_receivers{state="active",node="node-a"} 2\n');
    expect(shown).to.include('switchboard_receivers{state="paused",node="node-a"} 1\n');
  });

  it('show for how long the oldest event has waited for its receiver', async () => {
    const shown = await metricsOf().registry.metrics();
    expect(shown).to.include('switchboard_webhook_oldest_waiting_seconds{node="node-a"} 2.5\n');
  });

  it('include leases only for a node that has them', async () => {
    const alone = metricsOf();
    expect(await alone.registry.metrics()).not.to.include('leases_held');
    const metrics = metricsOf('node-a', { held: () => 3, renewedAgoMs: () => 2_500 });
    metrics.sessionTaken();
    metrics.sessionTaken();
    metrics.sessionGiven();
    metrics.leaseLost();
    const shown = await metrics.registry.metrics();
    for (const [name, value] of [
      ['leases_held', 3],
      ['leases_renewal_age_seconds', 2.5],
      ['leases_lost_total', 1],
      ['sessions_taken_total', 2],
      ['sessions_given_total', 1],
    ] as const) {
      expect(shown).to.include(`switchboard_${name}{node="node-a"} ${value}\n`);
    }
  });
});

const FOLDER = new URL('../../../docs/monitoring/', import.meta.url);
/** Prometheus makes them itself. */
const OF_PROMETHEUS = { metrics: ['up'], labels: ['job', 'instance'] };

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}
interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}

describe('dashboard and alert rules of docs/monitoring', () => {
  /** The labels of each metric. */
  let metrics: Map<string, Set<string>>;
  let alerts: Rules['groups'][number]['rules'];
  const expressions: string[] = [];
  before(async () => {
    const dashboard: Dashboard = JSON.parse(readFileSync(new URL('grafana-dashboard.json', FOLDER), 'utf8'));
    const rules: Rules = parse(readFileSync(new URL('alerts.yaml', FOLDER), 'utf8'));
    alerts = rules.groups.flatMap((group) => group.rules);
    expressions.push(...alerts.map(({ expr }) => expr));
    expressions.push(...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));
    metrics = metricsIn(`${await metricsOfDaemon()}\n${await metricsOfRareEvents()}`);
  });

  it('name only metrics that a daemon has', () => {
    const named = new Set(expressions.flatMap(metricNamesIn));
    expect(named.size).to.be.greaterThan(25);
    expect([...metrics.keys(), ...OF_PROMETHEUS.metrics]).to.include.members([...named]);
  });

  it('name only labels that those metrics have', () => {
    for (const expr of expressions) {
      for (const { metric, labels } of selectorsIn(expr)) {
        const known = [...(metrics.get(metric) ?? []), ...OF_PROMETHEUS.labels];
        expect(known, `${metric} in ${expr}`).to.include.members(labels);
      }
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '));
      const known = metricNamesIn(expr).flatMap((metric) => [...(metrics.get(metric) ?? [])]);
      expect(known, expr).to.include.members(grouped);
    }
  });

  it('are explained: each alert has a row in docs/monitoring.md', () => {
    const page = readFileSync(new URL('../monitoring.md', FOLDER), 'utf8');
    const explained = [...page.matchAll(/^\| `(Switchboard\w+)`/gm)].map(([, name]) => name);
    expect(explained).to.deep.equal(alerts.map(({ alert }) => alert));
  });
});

/** `/metrics` of a daemon with a session that got, sent and did not deliver something. */
async function metricsOfDaemon(): Promise<string> {
  const world: World = await startWorld();
  try {
    await world.phones.addPhone(BOB);
    const { number } = await linkSession(world, 'acme');
    const write = async () => (await world.phones.write(BOB.number, { to: number, text: 'hello' })).messageId;
    await eventOf(world.receiver, await write());
    world.receiver.respond(answering(400));
    await eventOf(world.receiver, await write());
    await world.api.post('/send-message', { clientId: 'acme', to: BOB.number, body: 'hello' });
    await world.api.post('/reconnect', { clientId: 'acme' }, { 'sec-fetch-site': 'cross-site' });
    const answer = await fetch(`${world.daemon.url}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return await answer.text();
  } finally {
    await world.stop();
  }
}

/** What no short test can cause, and what only a node of a cluster has. */
async function metricsOfRareEvents(): Promise<string> {
  const leases = { held: () => 1, renewedAgoMs: () => 0 };
  const rare = metricsOf('node-a', leases);
  rare.unreadable('reason');
  rare.policyRefused('rule', 'enforce');
  rare.sendFailed('code');
  rare.disconnected('reconnecting');
  rare.dropped('exhausted');
  rare.fileLost();
  return rare.registry.metrics();
}

function metricsIn(text: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const line of text.split('\n')) {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name) found.set(name, new Set([...(found.get(name) ?? []), ...labelNamesIn(labels)]));
    const [, declared = ''] = /^# TYPE (\w+)/.exec(line) ?? [];
    if (declared && !found.has(declared)) found.set(declared, new Set());
  }
  return found;
}

function metricNamesIn(expr: string): string[] {
  return expr.match(/\b(?:(?:switchboard|process|nodejs)_\w+|up(?=\{))/g) ?? [];
}

function selectorsIn(expr: string): { metric: string; labels: string[] }[] {
  return [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].map(([, metric = '', labels = '']) => ({
    metric,
    labels: labelNamesIn(labels),
  }));
}

function labelNamesIn(labels: string): string[] {
  return [...labels.matchAll(/(\w+)(?==|!=|=~|!~)/g)].flatMap(([, name]) => name ?? []);
}
