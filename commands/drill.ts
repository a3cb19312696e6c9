import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Flags } from '@oclif/core';
import { errorMessage } from '../src/domain/errors.js';
import type { Command } from '../src/local/drill/command.js';
import type { DrillOptions } from '../src/local/drill/drill.js';
import type { Estate } from '../src/local/drill/estate.js';
import type { FaultKind } from '../src/local/drill/faults/fault.js';
import type { Reaper } from '../src/local/drill/reaper.js';
import type { DrillReport } from '../src/local/drill/report.js';
import type { StorePlace } from '../src/local/drill/store-place.js';
import { BaseCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES } from '../src/terminal/cli/errors.js';
import { listenForInterrupt } from '../src/terminal/cli/terminal.js';

/** Number of printed findings; `--json` has all of them. */
const FINDINGS_SHOWN = 40;
const MAX_SEED = 2 ** 32 - 1;

export default class Drill extends BaseCommand {
  static override summary = 'Play faults under traffic, and check that no message is lost or duplicated';
  static override description =
    `Starts its own sandbox network, daemons, receivers and brokers, as processes of this machine on free ports, with data in a temporary \
folder. Writes and sends messages while it kills, freezes, disconnects or fills up one part after another, in an order that the seed \
decides. At the end, compares phones, history and receivers message by message. Never opens the store, the receivers or the network of \
your settings. Exits with 1 if a message was lost, duplicated or out of order, or if a fault could not be completed. Skips faults that \
this machine cannot play.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --minutes 20 --seed 7 --junit drill.xml',
    '<%= config.bin %> <%= command.id %> --only kill,disk-full --config /var/lib/switchboard/switchboard.json',
    '<%= config.bin %> <%= command.id %> --store mongodb://127.0.0.1:27017 --nodes 3',
  ];
  static override flags = {
    minutes: Flags.integer({ description: 'minutes of traffic and faults', default: 5, min: 1, max: 1_440 }),
    seed: Flags.integer({
      description: 'repeat the fault plan of this seed; default: random',
      min: 0,
      max: MAX_SEED,
    }),
    only: Flags.string({
      description: 'play only these faults, separated by commas; docs/drill.md lists them',
      helpValue: 'KIND[,KIND]',
    }),
    store: Flags.string({
      description:
        'sqlite, or the mongodb:// URL of a server, on which the drill creates its own database and drops it at the end',
      default: 'sqlite',
      helpValue: 'URL',
    }),
    nodes: Flags.integer({
      description: 'number of daemons; more than one needs MongoDB',
      default: 1,
      min: 1,
      max: 8,
    }),
    brokers: Flags.boolean({
      description: 'start a Redis and a NATS broker, if their programs are installed',
      default: true,
      allowNo: true,
    }),
    config: Flags.file({
      description: 'copy limits, intervals and the policy from this settings file',
      helpValue: 'FILE',
    }),
    settle: Flags.integer({
      description: 'seconds to wait at the end, without faults, for missing messages',
      default: 240,
      min: 1,
      helpValue: 'SECONDS',
    }),
    keep: Flags.boolean({ description: 'keep the folder with data and logs, and print its path' }),
    junit: Flags.string({ description: 'also write a JUnit report to this file', helpValue: 'PATH' }),
    // internal: starts the process of reaper.ts
    reap: Flags.boolean({
      description: 'wait for the end of the drill that started this process, and free its resources',
      hidden: true,
    }),
  };

  /** The command line with which processes of the drill run this command. */
  protected readonly program: Command = { execArgv: process.execArgv, script: process.argv[1] ?? '' };

  async run(): Promise<DrillReport | undefined> {
    const { flags } = await this.parse(Drill);
    if (flags.reap) return this.#reap();
    const { requireReadable, requireWritable } = await import('../src/local/drill/preflight.js');
    const { installedBrokers } = await import('../src/local/drill/brokers.js');
    const { placeOn } = await import('../src/local/drill/store-place.js');
    const { Reaper } = await import('../src/local/drill/reaper.js');
    if (flags.store === 'sqlite' && flags.nodes > 1)
      throw new CliError('usage', '--nodes: several daemons need --store mongodb://…');
    const brokers = flags.brokers ? await installedBrokers() : [];
    if (flags.config !== undefined) await requireReadable(flags.config);
    if (flags.junit !== undefined) await requireWritable(flags.junit);
    const name = `switchboard-drill-${randomUUID()}`;
    const store = flags.store === 'sqlite' ? undefined : placeOn(flags.store, name);
    const folder = join(tmpdir(), name);
    const interrupt = listenForInterrupt();
    const signal = AbortSignal.any([interrupt.signal, closedStderr()]);
    const reaper = Reaper.start(this.program);
    try {
      if (!flags.keep) reaper.ownFolder(folder);
      await mkdir(folder, { mode: 0o700 });
      if (store) await this.#tryStore(store, reaper);
      signal.throwIfAborted();
      const report = await this.#play({
        ...flags,
        ...{ reaper, folder, store, brokers, config: flags.config, settleMs: flags.settle * 1_000, signal },
        seed: flags.seed ?? randomInt(MAX_SEED),
        only: flags.only?.split(',').map((kind) => kind.trim()),
      });
      if (!report.passed) process.exitCode = EXIT_CODES.failure;
      if (!this.jsonEnabled()) await this.#show(report);
      if (flags.junit !== undefined) await this.#writeJunit(flags.junit, report);
      return report;
    } catch (error) {
      throw signal.aborted ? new CliError('interrupted', 'interrupted', { cause: error }) : error;
    } finally {
      if (!(await reaper.finish())) await this.#free(reaper.estate);
      if (flags.keep) this.output.note(`data and logs: ${folder}`);
      interrupt.release();
    }
  }

  /** All kinds of faults; tests replace them. */
  protected async kinds(): Promise<readonly FaultKind[]> {
    return (await import('../src/local/drill/faults/kinds.js')).FAULT_KINDS;
  }

  async #play(options: Omit<DrillOptions, 'command' | 'kinds'>): Promise<DrillReport> {
    const { drill } = await import('../src/local/drill/drill.js');
    const { progressLine } = await import('../src/local/drill/report-text.js');
    const more = { command: this.program, kinds: await this.kinds() };
    for await (const item of drill({ ...options, ...more })) {
      if (item.type === 'report') return item.report;
      const line = progressLine(item);
      if (line !== undefined) this.output.note(line);
    }
    throw new Error('unreachable: the last item of a drill is its report');
  }

  /** Waits for the end of the drill that started this process, and frees what that drill has left. */
  async #reap(): Promise<undefined> {
    const { readEstate } = await import('../src/local/drill/estate.js');
    // ignore signals: one that ends the whole process group also ends the drill, and then the reaper has work to do
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
    // prevents that a closed standard error ends this process
    closedStderr();
    await this.#free(await readEstate(process.stdin));
    return undefined;
  }

  /** Frees an estate; only warns about what remains, because the result of the drill decides the exit code. */
  async #free(estate: Estate): Promise<void> {
    const { freeEstate } = await import('../src/local/drill/estate.js');
    const { folder, database } = estate;
    await freeEstate(estate).catch((error: unknown) => {
      this.output.warning(`the folder ${folder} was not removed: ${errorMessage(error)}`);
    });
    if (database === undefined) return;
    const { dropScratchDatabase } = await import('../src/gateway/store/mongo/scratch.js');
    await dropScratchDatabase(database).catch((error: unknown) => {
      const [name] = /switchboard-drill-[\w-]+/.exec(database) ?? [];
      this.output.warning(`the database ${name} was not dropped: ${errorMessage(error)}`);
    });
  }

  /** Tests that the drill can create and drop its database. @throws CliError `unreachable` */
  async #tryStore({ url, address }: StorePlace, reaper: Reaper): Promise<void> {
    const { storeRefusal } = await import('../src/local/drill/preflight.js');
    const { dropScratchDatabase } = await import('../src/gateway/store/mongo/scratch.js');
    reaper.ownDatabase(url);
    try {
      await dropScratchDatabase(url);
    } catch (error) {
      // the database was not created, so the reaper has nothing to drop
      reaper.ownDatabase(undefined);
      throw storeRefusal(address, error);
    }
  }

  /** Writes the JUnit file; only warns if that fails, because the report is shown anyway. */
  async #writeJunit(file: string, report: DrillReport): Promise<void> {
    const { drillJunit } = await import('../src/local/drill/report-text.js');
    await writeFile(file, drillJunit(report)).catch((error: unknown) => {
      this.output.warning(`the JUnit report was not written: ${errorMessage(error)}`);
      process.exitCode = EXIT_CODES.failure;
    });
  }

  async #show(report: DrillReport): Promise<void> {
    const { FIGURE_TITLES, figureRows, findingLine, noteLines } = await import(
      '../src/local/drill/report-text.js'
    );
    await this.output.table(FIGURE_TITLES, figureRows(report), ['FAILED', 'RUNS']);
    for (const line of noteLines(report)) this.output.line(line);
    const shown = report.findings.slice(0, FINDINGS_SHOWN);
    for (const finding of shown) this.output.line(findingLine(finding));
    const left = report.findings.length - shown.length;
    if (left > 0) this.output.line(`and ${left} more: see --json`);
    const { seed, seconds, totals } = report;
    const messages = totals.received + totals.sent;
    this.output.line(
      `${report.passed ? 'passed' : 'failed'}: ${messages} messages in ${seconds} s, seed ${seed}`,
    );
  }
}

/** Aborts when nobody reads standard error any more (`… 2>&1 | head`). Without a listener the next note would end the process. */
function closedStderr(): AbortSignal {
  const controller = new AbortController();
  process.stderr.on('error', () => controller.abort());
  return controller.signal;
}
