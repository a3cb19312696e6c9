import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';

export default class SessionsGroupEvents extends DaemonCommand {
  static override summary = 'Turn the events of group messages on or off';
  static override description =
    'Off by default. Messages that arrive while events are off are not delivered later.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme on',
    '<%= config.bin %> <%= command.id %> acme off --json',
  ];
  static override args = {
    clientId: clientIdArg(),
    state: Args.string({ required: true, options: ['on', 'off'], description: 'new state' }),
  };

  async run(): Promise<{ clientId: string; enabled: boolean }> {
    const { args, flags } = await this.parse(SessionsGroupEvents);
    const client = await this.daemon(flags);
    const wanted = { clientId: args.clientId, enabled: args.state === 'on' };
    const { clientId, enabled } = await client.setEnableGroupAi(wanted);
    if (!this.jsonEnabled()) this.output.line(`group events of ${clientId} are ${enabled ? 'on' : 'off'}`);
    return { clientId, enabled };
  }
}
