import { Args } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { recipientArgs, SendCommand } from '../../src/terminal/cli/send-command.js';

export default class SendEdit extends SendCommand {
  static override summary = 'Edit the text of an own message';
  static override description = 'WhatsApp accepts edits for about 15 minutes after sending.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1 "Hello, Bob!"',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'id of the own message' }),
    body: Args.string({ required: true, description: 'new text; - reads standard input' }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendEdit);
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const request = { ...args, body: await readArgument(args.body) };
    return this.send(flags, (client, options) => client.editMessage(request, options));
  }
}
