import { Args } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { receiverText, settingFlags, settingsOf, withUrlHint } from '../../src/terminal/cli/receivers.js';

export default class ReceiversAdd extends DaemonCommand {
  static override summary = 'Add a receiver to a session, beside its webhook';
  static override description =
    'A session has up to 8 receivers, including its webhook. Each gets every event that passes its filter. A receiver that is down does \
not delay the others.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme https://example.com/audit --receiver-token s3cret --retry durable',
    '<%= config.bin %> <%= command.id %> acme https://example.com/calls --type call --name calls',
    '<%= config.bin %> <%= command.id %> acme https://example.com/bot --direction received --groups none',
    '<%= config.bin %> <%= command.id %> acme nats://nats.example.com/whatsapp.acme',
    '<%= config.bin %> <%= command.id %> acme https://example.com/h --header "X-Api-Key: s3cret"',
  ];
  static override args = {
    clientId: clientIdArg(),
    url: Args.string({
      required: true,
      description:
        'URL of the receiver, or of a broker: nats, tls, kafka, kafka+ssl, amqp, amqps, redis, rediss',
    }),
  };
  static override flags = settingFlags();

  protected override catch(error: Error): Promise<void> {
    const hint =
      'give the address of the receiver as an argument: --url is that of the daemon, which gets the token';
    return super.catch(withUrlHint(error, this.argv, hint));
  }

  async run(): Promise<Answer<'addReceiver'>> {
    const { args, flags } = await this.parse(ReceiversAdd);
    const client = await this.daemon(flags);
    const { receivers } = await client.listReceivers({ clientId: args.clientId });
    const answer = await client.addReceiver({ ...settingsOf(flags), ...args });
    const { id, name, url } = answer.receiver;
    const twin = receivers.find((one) => one.url === url && one.name === name);
    if (twin) {
      this.output.note(
        `receiver ${twin.id} has the same address and name: events go to both; to remove this one: switchboard receivers remove ${args.clientId} ${id}`,
      );
    }
    if (!this.jsonEnabled()) this.output.line(receiverText(answer.receiver));
    return answer;
  }
}
