import { EXIT_CODES } from '../../src/terminal/cli/errors.js';
import {
  notInstalled,
  requireManager,
  type ServiceState,
  stateOf,
} from '../../src/terminal/cli/service/manager.js';
import { ServiceCommand } from '../../src/terminal/cli/service/service-command.js';

export default class ServiceStatus extends ServiceCommand {
  static override summary = 'Show whether the service is installed and runs';
  static override description =
    'Exits with 0 if the service runs, with 5 if it is not installed, with 6 if it does not run.';
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --system --json',
  ];

  async run(): Promise<ServiceState> {
    const { flags } = await this.parse(ServiceStatus);
    const scope = this.scopeOf(flags);
    const state = await stateOf(requireManager(), scope);
    if (!state.installed) throw notInstalled(scope);
    if (!state.active) process.exitCode = EXIT_CODES.conflict;
    if (!this.jsonEnabled()) this.output.fields({ service: scope, state: state.state, file: state.path });
    return state;
  }
}
