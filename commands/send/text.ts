import { Args, Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { clientIdArg } from '../../src/cli/flags.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendText extends DaemonCommand {
  static override summary = 'Send a text';
  static override description = 'Ends with success only after the network has acknowledged the message.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Hello, Bob"',
    'git log -1 | <%= config.bin %> <%= command.id %> acme +15550000002 -',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us "Hi @15550000002" --mention 15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Yes" --quote 3EB0C767D097B7C6A3F1',
  ];
  static override args = {
    clientId: clientIdArg(),
    to: Args.string({ required: true, description: '+phone, LID digits, or a full jid (group: …@g.us)' }),
    body: Args.string({ required: true, description: 'the text; - reads standard input' }),
  };
  static override flags = {
    quote: Flags.string({ description: 'id of the message that this one answers' }),
    mention: Flags.string({
      description: 'user-part to mention; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    meta: Flags.string({ description: 'JSON object that comes back on the message.sent event' }),
    'idempotency-key': Flags.string({ description: 'the same key within 24 hours sends once' }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendText);
    const { sendText } = await import('../../src/cli/send.js');
    const { readArgument } = await import('../../src/cli/stdin.js');
    const answer = await sendText(await this.daemon(flags), {
      clientId: args.clientId,
      to: args.to,
      body: await readArgument(args.body),
      quotedMessageId: flags.quote,
      mentions: flags.mention,
      meta: flags.meta,
      idempotencyKey: flags['idempotency-key'],
    });
    if (answer.warning) this.output.warning(answer.warning);
    if (!this.jsonEnabled()) this.output.line(`${answer.status} ${answer.messageId}`);
    return answer;
  }
}
