import { Args } from '@oclif/core';
import { recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendEdit extends SendCommand {
  static override summary = 'Change the text of an own message';
  static override description = 'Works for about 15 minutes after the message was sent.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1 "Hello, Bob!"',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'the own message' }),
    body: Args.string({ required: true, description: 'the new text; - reads standard input' }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendEdit);
    const { readArgument } = await import('../../src/cli/stdin.js');
    const body = { ...args, body: await readArgument(args.body) };
    return this.send(flags, { path: '/edit-message', body });
  }
}
