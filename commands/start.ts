import { Errors, Flags, type Interfaces } from '@oclif/core';
import { BaseCommand } from '../src/cli/base-command.js';
import { CliError } from '../src/cli/cli-error.js';
import { EXIT_CODES } from '../src/cli/exit-code.js';
import { listenForInterrupt } from '../src/cli/interrupt.js';
import { type RawSettings, SETTING_NAMES, SETTINGS } from '../src/config/schema.js';

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
    const { createDaemon, loadConfig } = await import('../src/index.js');
    const named: RawSettings = Object.fromEntries(
      SETTING_NAMES.map((name) => [name, flags[SETTINGS[name].flag]]),
    );
    const interrupt = listenForInterrupt();
    try {
      const config = await loadConfig({
        flags: named,
        env: process.env,
        defaultDataDir: this.config.dataDir,
      });
      const starting = createDaemon(config);
      const daemon = await Promise.race([starting, interrupt.aborted]);
      // asked to stop before it was up: nothing has been promised to anybody yet
      if (!daemon) this.exit(EXIT_CODES.interrupted);
      this.#announce(daemon.url, daemon.sandboxUrl, config.dataDir);
      await interrupt.aborted;
      await daemon.stop();
    } catch (error) {
      if (error instanceof Errors.ExitError) throw error;
      throw new CliError('failure', explainStartFailure(error), { cause: error });
    } finally {
      interrupt.release();
    }
    // timers of the protocol library would keep the process for up to half a minute
    this.exit();
  }

  #announce(url: string, sandboxUrl: string | undefined, dataDir: string): void {
    if (this.jsonEnabled()) {
      this.output.json({ url, ...(sandboxUrl && { sandboxUrl }), dataDir });
      return;
    }
    this.output.line(`listening on ${url}`);
    if (sandboxUrl) this.output.line(`sandbox network on ${sandboxUrl}`);
  }
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

/** One clear line for what usually stops a start. */
function explainStartFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = systemFields(error);
  if (code === 'EADDRINUSE') return `port ${port} is taken: stop what uses it, or choose another with --port`;
  if (code === 'EACCES') return `port ${port} needs more rights: choose one above 1023 with --port`;
  if (code === 'EADDRNOTAVAIL') return 'this machine has no such address: choose another with --host';
  return error.message;
}

function systemFields(error: Error): { code: string; port: string } {
  return {
    code: 'code' in error ? String(error.code) : '',
    port: 'port' in error ? String(error.port) : '',
  };
}
