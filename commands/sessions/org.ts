import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsOrg extends DaemonCommand {
  static override summary = 'Set the workspace (orgId) that keeps the history of a session';
  static override description =
    'A session with a workspace has a hosted inbox: rooms, messages, and files with permanent links.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme workspace1',
    '<%= config.bin %> <%= command.id %> acme --off',
  ];
  static override args = {
    clientId: clientIdArg(),
    orgId: Args.string({ description: 'name of the workspace' }),
  };
  static override flags = {
    off: Flags.boolean({ description: 'stop keeping the history; stored messages stay' }),
  };

  async run(): Promise<{ clientId: string; orgId: string }> {
    const { args, flags } = await this.parse(SessionsOrg);
    if (Boolean(flags.off) === Boolean(args.orgId)) {
      throw new CliError('usage', 'give either a workspace or --off');
    }
    const client = await this.daemon(flags);
    const { clientId, orgId } = await client.setOrgId({ clientId: args.clientId, orgId: args.orgId ?? '' });
    if (!this.jsonEnabled()) {
      this.output.line(orgId ? `${clientId} keeps its history in ${orgId}` : `${clientId} keeps no history`);
    }
    return { clientId, orgId };
  }
}
