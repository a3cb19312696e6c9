import { Errors, Flags, type Interfaces } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.js';
import { CliError } from '../src/cli/cli-error.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import { type Interrupt, listenForInterrupt } from '../src/cli/interrupt.js';
import { explainStartFailure } from '../src/cli/start-failure.js';
import { type Config, type RawSettings, SETTING_NAMES, SETTINGS } from '../src/config/schema.js';
import { type Parent, parentOfWorker } from '../src/workers/parent.js';

export default class Start extends BaseCommand {
  static override summary = 'Start the daemon';
  static override description =
    'Serves the HTTP API and keeps the linked numbers connected until it is stopped (SIGTERM, SIGINT).\n' +
    'Every flag has an environment variable; both beat switchboard.json or .yaml in the data directory.';

  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --network sandbox',
    '<%= config.bin %> <%= command.id %> --port 8080 --data-dir /var/lib/switchboard --log-level warn',
  ];

  static override flags = settingFlags();

  protected override readonly streams = true;

  async run(): Promise<void> {
    const flags: Record<string, unknown> = (await this.parse(Start)).flags;
    const named: RawSettings = Object.fromEntries(
      SETTING_NAMES.map((name) => [name, flags[SETTINGS[name].flag]]),
    );
    const parent = parentOfWorker();
    const interrupt = parent ?? listenForInterrupt();
    try {
      await this.#serve(named, interrupt, parent);
    } catch (error) {
      if (error instanceof Errors.ExitError) throw error;
      const reason = explainStartFailure(error, parent ? 'node-url' : 'port');
      if (!parent) throw new CliError('failure', reason, { cause: error });
      await parent.failed(reason);
      this.exit(EXIT_CODES.failure);
    } finally {
      interrupt.release();
    }
    // timers of the protocol library would keep the process for up to half a minute
    this.exit();
  }

  /** From start to stop. */
  async #serve(named: RawSettings, interrupt: Interrupt, parent: Parent | undefined): Promise<void> {
    const { loadConfig } = await import('../src/config/index.js');
    const { env } = process;
    const config = await loadConfig({ flags: named, env, defaultDataDir: this.config.dataDir });
    const running = await start(config, interrupt, parent);
    // asked to stop before it was up: nothing has been promised to anybody yet
    if (!running) this.exit(EXIT_CODES.interrupted);
    if (parent) parent.ready(running.url);
    else this.#announce(running, config.dataDir);
    await interrupt.aborted;
    await stopOrKill(running);
  }

  #announce({ url, sandboxUrl, workerUrls }: Running, dataDir: string): void {
    if (this.jsonEnabled()) {
      this.output.json({
        url,
        ...(workerUrls && { workers: workerUrls }),
        ...(sandboxUrl && { sandboxUrl }),
        dataDir,
      });
      return;
    }
    this.output.line(`listening on ${url}`);
    if (workerUrls) this.output.line(`workers on ${workerUrls.join(', ')}`);
    if (sandboxUrl) this.output.line(`sandbox network on ${sandboxUrl}`);
  }
}

/** A daemon, or several behind a router. */
interface Running {
  readonly url: string;
  readonly sandboxUrl: string | undefined;
  readonly workerUrls?: readonly string[];
  stop(): Promise<void>;
  /** Ends at once what has processes of its own. */
  kill?(): void;
}

/** Undefined when it was asked to stop before it was up. */
async function start(
  config: Config,
  interrupt: Interrupt,
  parent: Parent | undefined,
): Promise<Running | undefined> {
  const { createLog } = await import('../src/log.js');
  const own = createLog({ level: config.logLevel, pretty: Boolean(process.stderr.isTTY) });
  // the lines of all workers come together
  const log = parent ? own.child({ worker: config.nodeName }) : own;
  if (config.workers > 1) {
    const { startWorkers } = await import('../src/workers/workers.js');
    return startWorkers(config, { log, signal: interrupt.signal });
  }
  if (config.store === 'sqlite' && config.nodeUrl) {
    log.warn('this will be the only node in spite of --node-url: several need --store mongodb://…');
  }
  const { createDaemon } = await import('../src/index.js');
  return (await Promise.race([createDaemon(config, { log }), interrupt.aborted])) ?? undefined;
}

/** Stops in order; whoever asks again does not want to wait for that. */
async function stopOrKill(running: Running): Promise<void> {
  if (!running.kill) return running.stop();
  const again = listenForInterrupt();
  again.signal.addEventListener('abort', () => running.kill?.());
  await running.stop();
  again.release();
}

/** One flag for each setting. The environment is read with the settings file, not here: both need one order. */
function settingFlags(): Interfaces.FlagInput {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => {
      const { flag, env, description, default: byDefault, boolean } = SETTINGS[name];
      const text = `${description} [default: ${byDefault}; env: ${env}]`;
      return [
        flag,
        boolean ? Flags.boolean({ description: text, allowNo: true }) : Flags.string({ description: text }),
      ];
    }),
  );
}
