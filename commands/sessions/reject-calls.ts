import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsRejectCalls extends DaemonCommand {
  static override summary = 'Decline every call to a session, or let calls ring';
  static override description = 'Off by default. Declined calls still produce events and history entries.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme on',
    '<%= config.bin %> <%= command.id %> acme off --json',
  ];
  static override args = {
    clientId: clientIdArg(),
    state: Args.string({ required: true, options: ['on', 'off'], description: 'new state' }),
  };

  async run(): Promise<{ clientId: string; enabled: boolean }> {
    const { args, flags } = await this.parse(SessionsRejectCalls);
    const client = await this.daemon(flags);
    const wanted = { clientId: args.clientId, enabled: args.state === 'on' };
    const { clientId, enabled } = await client.setRejectCalls(wanted);
    if (!this.jsonEnabled()) this.output.line(`calls to ${clientId} ${enabled ? 'are declined' : 'ring'}`);
    return { clientId, enabled };
  }
}
