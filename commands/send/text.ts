import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendText extends SendCommand {
  static override summary = 'Send a text message';
  static override description = 'Exits with 0 only after WhatsApp has acknowledged the message.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Hello, Bob"',
    '<%= config.bin %> <%= command.id %> acme "Weekend plans" "Hello, all"',
    'git log -1 | <%= config.bin %> <%= command.id %> acme +15550000002 -',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us "Hi @15550000002" --mention 15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Yes" --quote 3EB0C767D097B7C6A3F1',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "See https://example.com/menu" --preview',
  ];
  static override args = {
    ...recipientArgs(),
    body: Args.string({ required: true, description: 'text to send; - reads standard input' }),
  };
  static override flags = {
    preview: Flags.boolean({
      description: "show a preview of the first https link; default: the daemon's setting",
      allowNo: true,
    }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendText);
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const { clientId, to } = args;
    const envelope = envelopeOf(flags);
    const body = await readArgument(args.body);
    const request = { clientId, to, body, linkPreview: flags.preview, ...envelope };
    return this.send(flags, (client, options) => client.sendMessage(request, options));
  }
}
