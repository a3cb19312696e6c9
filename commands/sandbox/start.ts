import { Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { CliError } from '../../src/cli/cli-error.js';
import { listenForInterrupt } from '../../src/cli/interrupt.js';

export default class SandboxStart extends BaseCommand {
  static override summary = 'Start a simulated network of its own';
  static override description =
    `Runs until Ctrl+C. Daemons that are told its address use it instead of the real network;
\`switchboard start --network sandbox\` brings one along without this command.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --port 4001 --sandbox-data ./network',
  ];
  static override flags = {
    host: Flags.string({ description: 'address that it listens on', default: '127.0.0.1' }),
    port: Flags.integer({
      description: 'port of network and control API; 0 takes any free one',
      env: 'SWITCHBOARD_SANDBOX_PORT',
      default: 3001,
      min: 0,
      max: 65_535,
    }),
    'sandbox-data': Flags.directory({
      description: 'folder that keeps the state; without it everything is forgotten at the end',
      env: 'SWITCHBOARD_SANDBOX_DATA',
    }),
    silence: Flags.integer({
      description: 'seconds after which a client that says nothing is dropped',
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
  return new CliError('failure', `port ${port} is taken`, {
    suggestions: ['choose another: --port'],
    cause: error,
  });
}
