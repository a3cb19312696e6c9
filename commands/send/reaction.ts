import { Args, Flags } from '@oclif/core';
import { recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendReaction extends SendCommand {
  static override summary = 'React to a message with an emoji';
  static override description = 'One number has one reaction to a message: another emoji takes its place.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 👍',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1 "" ',
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0C767D097B7C6A3F1 ❤️ --own',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'the message' }),
    emoji: Args.string({ required: true, description: 'one emoji; "" takes the reaction back' }),
  };
  static override flags = {
    own: Flags.boolean({ description: "the message is the session's own" }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendReaction);
    return this.send(flags, { path: '/send-reaction', body: { ...args, targetFromMe: flags.own ?? false } });
  }
}
