import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { listenForInterrupt } from '../../src/terminal/cli/terminal.js';

export default class SandboxStart extends BaseCommand {
  static override summary = 'Start a standalone sandbox network';
  static override description =
    `Runs until Ctrl+C. Connect daemons with \`switchboard start --network sandbox+ws://…\`. \
\`switchboard start --network sandbox\` runs an embedded sandbox network instead.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 4001 --sandbox-data ./network',
  ];
  static override flags = {
    host: Flags.string({
      description: 'local address to listen on',
      env: 'SWITCHBOARD_SANDBOX_HOST',
      default: '127.0.0.1',
    }),
    port: Flags.integer({
      description: 'port of the network and its control API; 0 for any free port',
      env: 'SWITCHBOARD_SANDBOX_PORT',
      default: 3001,
      min: 0,
      max: 65_535,
    }),
    'sandbox-data': Flags.directory({
      description: 'folder for the state; without it the state is lost on exit',
      env: 'SWITCHBOARD_SANDBOX_DATA',
    }),
    silence: Flags.integer({
      description: 'seconds of silence after which a client is disconnected',
      default: 90,
      min: 1,
    }),
  };
  protected override readonly streams = true;

  async run(): Promise<void> {
    const { flags } = await this.parse(SandboxStart);
    const { startSandbox } = await import('../../src/sandbox/index.js');
    const interrupt = listenForInterrupt();
    const { host, port } = flags;
    const silenceMs = flags.silence * 1_000;
    const dataDir = flags['sandbox-data'];
    const sandbox = await startSandbox({ host, port, dataDir, silenceMs }).catch((error: unknown) => {
      throw explain(error, port);
    });
    if (this.jsonEnabled()) {
      this.output.json({ url: sandbox.url, wsUrl: sandbox.wsUrl });
    } else {
      this.output.line(`sandbox network on ${sandbox.url}`);
      this.output.note(`use it: switchboard start --network sandbox+${sandbox.wsUrl}`);
    }
    await interrupt.aborted;
    interrupt.release();
    await sandbox.stop();
  }
}

function explain(error: unknown, port: number): CliError {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  const message = error instanceof Error ? error.message : String(error);
  if (code !== 'EADDRINUSE')
    return new CliError('failure', `the sandbox cannot start: ${message}`, { cause: error });
  return new CliError('failure', `port ${port} is in use`, {
    suggestions: ['choose another: --port'],
    cause: error,
  });
}
