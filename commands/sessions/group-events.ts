import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';

export default class SessionsGroupEvents extends DaemonCommand {
  static override summary = 'Deliver the messages of groups as events, or not';
  static override description =
    'Off until it is turned on. Messages that come in meanwhile are not delivered later.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme on',
    '<%= config.bin %> <%= command.id %> acme off --json',
  ];
  static override args = {
    clientId: clientIdArg(),
    state: Args.string({ required: true, options: ['on', 'off'], description: 'on or off' }),
  };

  async run(): Promise<{ clientId: string; enabled: boolean }> {
    const { args, flags } = await this.parse(SessionsGroupEvents);
    const client = await this.daemon(flags);
    const body = { clientId: args.clientId, enabled: args.state === 'on' };
    const { clientId, enabled } = await client.call<{ clientId: string; enabled: boolean }>(
      'POST',
      '/set-enable-group-ai',
      { body },
    );
    if (!this.jsonEnabled()) this.output.line(`group events of ${clientId} are ${enabled ? 'on' : 'off'}`);
    return { clientId, enabled };
  }
}
