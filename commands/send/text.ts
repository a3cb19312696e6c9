import { Args } from '@oclif/core';
import { envelopeFlags, envelopeOf, recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendText extends SendCommand {
  static override summary = 'Send a text';
  static override description = 'Ends with success only after the network has acknowledged the message.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Hello, Bob"',
    'git log -1 | <%= config.bin %> <%= command.id %> acme +15550000002 -',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us "Hi @15550000002" --mention 15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Yes" --quote 3EB0C767D097B7C6A3F1',
  ];
  static override args = {
    ...recipientArgs(),
    body: Args.string({ required: true, description: 'the text; - reads standard input' }),
  };
  static override flags = envelopeFlags();

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendText);
    const { readArgument } = await import('../../src/cli/stdin.js');
    const { clientId, to } = args;
    const envelope = envelopeOf(flags);
    const body = { clientId, to, body: await readArgument(args.body), ...envelope };
    return this.send(flags, { path: '/send-message', body });
  }
}
