import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { Flags } from '@oclif/core';
import { requireNoSecrets, requireStartFlags } from '../../src/local/service/start-flags.js';
import { install, requireManager, serviceManager } from '../../src/terminal/cli/service/manager.js';
import { ServiceCommand } from '../../src/terminal/cli/service/service-command.js';
import { type ServicePlan, systemdUnit } from '../../src/terminal/cli/service/unit.js';

export default class ServiceInstall extends ServiceCommand {
  static override summary = 'Run the daemon as a service, now and at each start of the machine';
  static override description =
    `Writes a unit of systemd, or a property list of launchd, and starts it; restarts a running service. The unit removes rights that the \
daemon does not need, and restarts a daemon that hangs. Words after -- are flags of \`switchboard start\`, but not secrets, because \
everybody can read the file. A service of the user ends at logout, unless \`loginctl enable-linger\` is set. A service of the machine (not \
on macOS) runs under a user of its own, with its data in /var/lib/switchboard; with --data-dir elsewhere it runs as root without \
capabilities. It reads settings from /etc/switchboard/switchboard.env. --print only shows the file.`;
  static override strict = false;
  static override usage = 'service install [FLAGS] [-- START_FLAGS]';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    'sudo <%= config.bin %> <%= command.id %> --system',
    '<%= config.bin %> <%= command.id %> --print -- --port 8080',
  ];
  static override flags = {
    print: Flags.boolean({ description: 'only print the file' }),
    'data-dir': Flags.string({ description: 'folder of the data', helpValue: 'DIR' }),
  };

  async run(): Promise<{ path: string | null; text: string }> {
    const { argv, flags } = await this.parse(ServiceInstall);
    const startFlags = argv.map(String);
    const plan = this.plan(flags, startFlags);
    const { default: Start } = await import('../start.js');
    await requireStartFlags(startFlags, Start.flags);
    if (process.env.SWITCHBOARD_DATA_DIR && flags['data-dir'] === undefined) {
      this.output.note(
        'the service does not use SWITCHBOARD_DATA_DIR of this shell: name the folder with --data-dir',
      );
    }
    if (flags.print) {
      const text = serviceManager(process.platform)?.text(plan) ?? systemdUnit(plan);
      if (!this.jsonEnabled()) this.output.block(text.trimEnd());
      return { path: null, text };
    }
    const manager = requireManager();
    const path = await install(manager, plan);
    if (!this.jsonEnabled()) this.output.line(`installed ${path}; it runs`);
    return { path, text: manager.text(plan) };
  }

  private plan(flags: { system?: boolean; 'data-dir'?: string }, startFlags: readonly string[]): ServicePlan {
    const program = [process.execPath, process.argv[1] ?? ''];
    const scope = this.scopeOf(flags);
    requireNoSecrets(scope, startFlags);
    const dataDir = flags['data-dir'];
    return {
      scope,
      command: [...program, 'start', ...startFlags],
      dataDir: dataDir === undefined ? undefined : resolve(dataDir),
      needsHome: program.some((path) => path.startsWith('/home/') || path.startsWith(`${homedir()}/`)),
    };
  }
}
