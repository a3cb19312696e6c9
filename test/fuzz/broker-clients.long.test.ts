import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { type MonotonicClock, systemClock } from '../../src/domain/clock.js';
import { MEMORY_MB } from '../../src/gateway/delivery/sinks/broker-process.js';
import { published } from '../gateway/delivery/support/published.js';
import { amqpRig, kafkaRig, natsRig, redisRig, type SinkRig } from '../gateway/delivery/support/sink-rigs.js';
import { eventOf, newSinks } from '../gateway/delivery/support/test-sinks.js';
import { Chance } from '../support/chance.js';
import { compiledProgram } from '../support/compiled.js';
import { ended } from '../support/servers.js';

/** Streams for each client: the gate takes a sample, and a whole run 100,000. */
const STREAMS = Number(process.env.BROKER_STREAMS ?? 250);
/** Connections at a time. */
const TOGETHER = Number(process.env.BROKER_TOGETHER ?? 40);
/** A client that waits is given up so many times sooner than usual. */
const HASTE = 4;
/** Milliseconds for which the daemon's side may do nothing else. */
const PAUSE_MS = Number(process.env.BROKER_PAUSE_MS ?? 1_000);
/** Megabytes that the daemon's side may take beside what it has at the beginning. */
const GROWTH_MB = 128;

const hurried: MonotonicClock = { ...systemClock, after: (ms, call) => systemClock.after(ms / HASTE, call) };
const { seed } = new Chance();

const RIGS: Readonly<Record<string, () => Promise<SinkRig>>> = {
  'NATS JetStream': natsRig,
  'Redis streams': redisRig,
  RabbitMQ: amqpRig,
  Kafka: kafkaRig,
};

describe(`broker clients with hostile servers (seed ${seed})`, function () {
  this.timeout(120 * 60_000);

  for (const [name, start] of Object.entries(RIGS)) {
    it(`${name}: ${STREAMS} streams of random bytes end as attempts, and the daemon survives`, async () => {
      const rig = await start();
      const program = compiledProgram(new URL('./support/hostile-broker.ts', import.meta.url));
      const hostile = spawn(process.execPath, [program, String(rig.port), String(seed)], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const [port] = await once(createInterface({ input: hostile.stdout }), 'line');
      const sinks = newSinks({ clock: hurried });
      const url = rig.url.replace(`:${rig.port}`, `:${port}`);
      const outcomes = new Map<string, number>();
      const count = (what: string) => outcomes.set(what, (outcomes.get(what) ?? 0) + 1);

      const pauses = monitorEventLoopDelay({ resolution: 10 });
      const before = process.memoryUsage.rss();
      let largest = 0;
      const weighing = setInterval(() => {
        largest = Math.max(largest, process.memoryUsage.rss());
      }, 100);
      pauses.enable();
      let next = 0;
      const work = async () => {
        while (next < STREAMS) {
          // addresses that differ do not share a connection
          const at = url.replace('127.0.0.1', `127.${1 + (next >> 16)}.${(next >> 8) & 255}.${next & 255}`);
          next++;
          const { outcome, pause, reason } = await published(sinks, at, eventOf());
          count(outcome);
          if (pause) count(pause);
          if (process.env.BROKER_REASONS || reason.startsWith('the process')) count(reason);
          if (outcome !== 'delivered') expect(reason).to.match(/^[^\p{Cc}]{1,500}$/u);
        }
      };
      try {
        await Promise.all(Array.from({ length: TOGETHER }, work));
        // the process is well afterwards, or another one is
        for (let tries = 0; ; tries++) {
          const { outcome, reason } = await published(sinks, rig.url, eventOf());
          if (outcome === 'delivered') break;
          expect(tries, reason).to.be.below(20);
        }
      } finally {
        pauses.disable();
        clearInterval(weighing);
        await sinks.stop();
        await ended(hostile, 'SIGKILL');
        await rig.stop();
      }
      const pauseMs = Math.round(pauses.max / 1e6);
      const growthMb = Math.round((largest - before) / 1024 / 1024);
      const figures = { pauseMs, growthMb, ...Object.fromEntries(outcomes) };
      if (process.env.BROKER_STREAMS)
        console.log(`      ${name}: ${JSON.stringify(figures)} (process up to ${MEMORY_MB} MB)`);
      expect(sinks.pids).to.deep.equal([]);
      expect(pauseMs).to.be.below(PAUSE_MS);
      expect(growthMb).to.be.below(GROWTH_MB);
    });
  }
});
