import { Flags } from '@oclif/core';
import type { StartAnswer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg, proxyFlags, webhookFlags, webhookOf } from '../../src/terminal/cli/flags.js';
import { paintStatus } from '../../src/terminal/cli/sessions.js';

export default class SessionsStart extends DaemonCommand {
  static override summary = 'Create a session, or start one that is down';
  static override description =
    'Does not wait for the connection. `switchboard pair` also starts the session, and links it to a phone.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme',
    '<%= config.bin %> <%= command.id %> acme --webhook https://example.com/hook --webhook-token s3cret',
  ];
  static override args = { clientId: clientIdArg() };
  static override flags = {
    ...webhookFlags(),
    ...proxyFlags(),
    'reject-calls': Flags.boolean({ description: 'decline every incoming call', allowNo: true }),
  };

  async run(): Promise<StartAnswer> {
    const { args, flags } = await this.parse(SessionsStart);
    const client = await this.daemon(flags);
    const { proxy, 'reject-calls': rejectCalls } = flags;
    const answer = await client.start({ ...args, ...webhookOf(flags), proxy, rejectCalls });
    if (!this.jsonEnabled()) {
      this.output.line(`${answer.clientId} is ${paintStatus(answer.status, this.output.paint)}`);
      if (answer.status === 'qr') this.output.note(`pair it: switchboard pair ${answer.clientId}`);
    }
    return answer;
  }
}
