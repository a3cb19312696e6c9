import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import { paintStatus } from '../../src/cli/session-status.js';
import { webhookFlags, webhookOf } from '../../src/cli/webhook-flags.js';
import type { StartAnswer } from '../../src/cli/wire.js';

export default class SessionsStart extends DaemonCommand {
  static override summary = 'Create a session, or wake one that is down';
  static override description =
    'Ends before the session is connected. `switchboard pair` starts one too, and links it to a phone.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --webhook https://example.com/hook --webhook-token s3cret',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = webhookFlags();

  async run(): Promise<StartAnswer> {
    const { args, flags } = await this.parse(SessionsStart);
    const client = await this.daemon(flags);
    const answer = await client.start(args.clientId, webhookOf(flags));
    if (!this.jsonEnabled()) {
      this.output.line(`${answer.clientId} is ${paintStatus(answer.status, this.output.paint)}`);
      if (answer.status === 'qr') this.output.note(`pair it: switchboard pair ${answer.clientId}`);
    }
    return answer;
  }
}
