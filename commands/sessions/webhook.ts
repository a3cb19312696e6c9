import { Args, Flags } from '@oclif/core';
import type { Answer } from '../../src/contract/index.js';
import { isBrokerUrl } from '../../src/domain/brokers.js';
import type { DaemonClient } from '../../src/terminal/cli/client.js';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { age, clientIdArg, receiverFlags, webhookOf } from '../../src/terminal/cli/flags.js';

export default class SessionsWebhook extends DaemonCommand {
  static override summary = 'Set the webhook of a session';
  static override description =
    'The daemon POSTs each event to this URL. Events of statuses, calls, presence, group changes and unreadable messages need --extra-event.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme https://example.com/hook --webhook-token s3cret',
    '<%= config.bin %> <%= command.id %> acme https://example.com/hook --extra-event call',
    '<%= config.bin %> <%= command.id %> acme https://example.com/hook --retry durable',
    '<%= config.bin %> <%= command.id %> acme https://a.example/h --webhook-token new --keep-previous-token 1d',
    '<%= config.bin %> <%= command.id %> acme --off',
    '<%= config.bin %> <%= command.id %> acme --pause',
  ];
  static override args = {
    clientId: clientIdArg(),
    webhookUrl: Args.string({ description: 'absolute URL of the receiver' }),
  };
  static override flags = {
    off: Flags.boolean({ description: 'stop delivering events' }),
    pause: Flags.boolean({
      description: 'pause delivery; events queue with --retry durable, otherwise they fail',
    }),
    resume: Flags.boolean({ description: 'resume delivery, oldest event first' }),
    ...receiverFlags(),
    retry: Flags.option({
      description:
        'contract: four attempts within seconds; durable: keep trying for up to 72 hours, in order for each chat',
      options: ['contract', 'durable'] as const,
    })(),
    'keep-previous-token': age({
      description:
        'also sign with the previous token for this long (up to 7d), while receivers change to the new one',
    }),
  };

  async run(): Promise<Answer<'setWebhook'> | Answer<'pauseWebhook'>> {
    const { args, flags } = await this.parse(SessionsWebhook);
    const wishes = [args.webhookUrl, flags.off, flags.pause, flags.resume].filter(Boolean);
    if (wishes.length !== 1) throw new CliError('usage', 'give one of a URL, --off, --pause and --resume');
    const { clientId, webhookUrl: wanted = '' } = args;
    if (isBrokerUrl(wanted)) {
      const suggestions = [`add the broker beside the webhook: switchboard receivers add ${clientId} URL`];
      throw new CliError('usage', 'the webhook is an http or https address', { suggestions });
    }
    const client = await this.daemon(flags);
    if (flags.pause || flags.resume) return this.pause(client, clientId, Boolean(flags.pause));
    const { retry, 'keep-previous-token': kept } = flags;
    const answer = await client.setWebhook({
      ...webhookOf(flags),
      ...{ clientId, webhookUrl: wanted, retry, previousTokenFor: kept && kept.ms / 1_000 },
    });
    if (!this.jsonEnabled()) {
      const { webhookUrl, previousTokenUntil } = answer;
      this.output.line(webhookUrl ? `events of ${args.clientId} go to ${webhookUrl}` : 'delivery is off');
      if (previousTokenUntil) {
        this.output.line(`until ${previousTokenUntil} calls carry a second signature, with the token before`);
      }
    }
    return answer;
  }

  private async pause(
    client: DaemonClient,
    clientId: string,
    paused: boolean,
  ): Promise<Answer<'pauseWebhook'>> {
    const answer = await client.pauseWebhook({ clientId, paused });
    if (!this.jsonEnabled()) {
      this.output.line(
        paused ? `the webhook of ${clientId} gets no calls` : `the webhook of ${clientId} gets calls`,
      );
    }
    return answer;
  }
}
