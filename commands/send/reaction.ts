import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { recipientArgs, SendCommand } from '../../src/terminal/cli/send-command.js';

export default class SendReaction extends SendCommand {
  static override summary = 'React to a message with an emoji';
  static override description = 'A new emoji replaces the earlier reaction; an empty one removes it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 👍',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 "" ',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1 ❤️ --own',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'id of the message' }),
    emoji: Args.string({ required: true, description: 'one emoji; "" removes the reaction' }),
  };
  static override flags = {
    own: Flags.boolean({ description: 'the message was sent by the session' }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendReaction);
    const request = { ...args, targetFromMe: flags.own ?? false };
    return this.send(flags, (client, options) => client.sendReaction(request, options));
  }
}
