import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { receiverFlags, webhookOf } from '../../src/cli/webhook-flags.js';

export default class SessionsWebhook extends DaemonCommand {
  static override summary = "Set where a session's events go";
  static override description =
    'Events of type message_status and session_status are delivered only when they are named with --extra-event.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme https://example.com/hook --webhook-token s3cret',
    '<%= config.bin %> <%= command.id %> acme https://example.com/hook --extra-event session_status',
    '<%= config.bin %> <%= command.id %> acme --off',
  ];
  static override args = {
    clientId: clientIdArg(),
    webhookUrl: Args.string({ description: 'absolute https address of the receiver' }),
  };
  static override flags = {
    off: Flags.boolean({ description: 'stop delivering events' }),
    ...receiverFlags(),
  };

  async run(): Promise<{ webhookUrl: string; pollLookupUrl: string }> {
    const { args, flags } = await this.parse(SessionsWebhook);
    if (Boolean(flags.off) === Boolean(args.webhookUrl)) {
      throw new CliError('usage', 'name either an address or --off');
    }
    const client = await this.daemon(flags);
    const change = webhookOf({ ...flags, webhook: args.webhookUrl ?? '' });
    const answer = await client.setWebhook(args.clientId, change);
    if (!this.jsonEnabled()) {
      const { webhookUrl } = answer;
      this.output.line(webhookUrl ? `events of ${args.clientId} go to ${webhookUrl}` : 'delivery is off');
    }
    return answer;
  }
}
