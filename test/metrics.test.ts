import { expect } from 'chai';
import { type MetricSources, Metrics } from '../src/metrics.js';

const SOURCES: MetricSources = {
  node: 'node-a',
  sessionStatuses: () => ['connected', 'connected'],
  deliveriesInFlight: () => 0,
  deliveriesWaiting: () => 0,
};

describe('metrics', () => {
  it('carry the name of their node, also where two nodes live in one process', async () => {
    const [first, second] = [new Metrics(SOURCES), new Metrics({ ...SOURCES, node: 'node-b' })];
    for (const [metrics, node] of [
      [first, 'node-a'],
      [second, 'node-b'],
    ] as const) {
      const lines = (await metrics.registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line));
      expect(lines).to.include(`switchboard_sessions{status="connected",node="${node}"} 2`);
      expect(lines.filter((line) => !line.includes(`node="${node}"`))).to.deep.equal([]);
    }
  });

  it('tell of leases where sessions have them', async () => {
    const alone = new Metrics(SOURCES);
    expect(await alone.registry.metrics()).not.to.include('leases_held');
    const metrics = new Metrics({ ...SOURCES, leases: { held: () => 3, renewedAgoMs: () => 2_500 } });
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
