import { Errors, Flags, type Interfaces } from '@oclif/core';
import { errorMessage } from '../src/domain/errors.js';
import { inSmallYoungGeneration } from '../src/domain/heap.js';
import { type Parent, parentOfWorker } from '../src/gateway/cluster/workers/channel.js';
import { type Config, type RawSettings, SETTING_NAMES, SETTINGS } from '../src/gateway/config/schema.js';
import { BaseCommand } from '../src/terminal/cli/command.js';
import { CliError, EXIT_CODES, explainStartFailure } from '../src/terminal/cli/errors.js';
import { createNotifier } from '../src/terminal/cli/service/notify.js';
import { type Interrupt, listenForInterrupt } from '../src/terminal/cli/terminal.js';

export default class Start extends BaseCommand {
  static override summary = 'Start the daemon';
  static override description =
    'Serves the HTTP API and keeps the linked numbers connected until SIGTERM or SIGINT.\n' +
    'Flags win over environment variables, and both over switchboard.json or .yaml in the data directory.';

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
      if (!parent) throw new CliError(isUsage(error) ? 'usage' : 'failure', reason, { cause: error });
      await parent.failed(reason);
      this.exit(EXIT_CODES.failure);
    } finally {
      interrupt.release();
    }
    // timers of the protocol library keep the process alive for up to 30 s
    this.exit();
  }

  async #serve(named: RawSettings, interrupt: Interrupt, parent: Parent | undefined): Promise<void> {
    const { ConfigError, DataDirError, loadConfig } = await import('../src/gateway/config/load.js');
    const { env } = process;
    const config = await loadConfig({ flags: named, env, defaultDataDir: this.config.dataDir }).catch(
      (error) => {
        const isWrong = error instanceof ConfigError && !(error instanceof DataDirError);
        throw isWrong ? new CliError('usage', error.message, { cause: error }) : error;
      },
    );
    const running = await start(config, interrupt, parent);
    // the daemon was stopped before it was ready
    if (!running) this.exit(EXIT_CODES.interrupted);
    // systemd sends the variables to workers too; only the first process is the service
    const notifier = createNotifier(parent ? {} : env, (error) => this.output.warning(errorMessage(error)));
    if (parent) parent.ready(running.url);
    else this.#announce(running, config.dataDir);
    notifier.ready();
    await interrupt.aborted;
    notifier.stopping();
    await stopOrKill(running);
  }

  #announce({ url, sandboxUrl, workerUrls }: Running, dataDir: string): void {
    if (this.jsonEnabled()) {
      this.output.json({
        url,
        workers: workerUrls,
        sandboxUrl: sandboxUrl || undefined,
        dataDir,
      });
      return;
    }
    this.output.line(`listening on ${url}`);
    if (workerUrls) this.output.line(`workers on ${workerUrls.join(', ')}`);
    if (sandboxUrl) this.output.line(`sandbox network on ${sandboxUrl}`);
  }
}

function isUsage(error: unknown): boolean {
  return error instanceof CliError && error.failure === 'usage';
}

/** A running daemon, or several workers behind a router. */
interface Running {
  readonly url: string;
  readonly sandboxUrl: string | undefined;
  readonly workerUrls?: readonly string[];
  stop(): Promise<void>;
  /** Kills the worker processes. */
  kill?(): void;
}

/** Starts the daemon; undefined if the start was interrupted. */
async function start(
  config: Config,
  interrupt: Interrupt,
  parent: Parent | undefined,
): Promise<Running | undefined> {
  const { createLog } = await import('../src/gateway/log.js');
  const own = createLog({ level: config.logLevel, pretty: Boolean(process.stderr.isTTY) });
  // all workers write to one log
  const log = parent ? own.child({ worker: config.nodeName }) : own;
  if (config.workers > 1) {
    const { startWorkers } = await import('../src/gateway/cluster/workers/workers.js');
    return startWorkers(config, { log, signal: interrupt.signal });
  }
  if (config.store === 'sqlite' && config.nodeUrl) {
    log.warn('--node-url has no effect with SQLite: several nodes need --store mongodb://…');
  }
  const started = inSmallYoungGeneration(async () => {
    // do not import the package's public API, which also loads the sandbox network
    const { createDaemon } = await import('../src/gateway/daemon/daemon.js');
    return createDaemon(config, { log });
  });
  return (await Promise.race([started, interrupt.aborted])) ?? undefined;
}

/** Stops the daemon in order; a second interrupt kills it. */
async function stopOrKill(running: Running): Promise<void> {
  if (!running.kill) return running.stop();
  const again = listenForInterrupt();
  again.signal.addEventListener('abort', () => running.kill?.());
  await running.stop();
  again.release();
}

/** One flag per setting. `loadConfig` reads the environment, together with the settings file. */
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
