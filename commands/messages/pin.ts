import { Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { earlierMessageArgs, SendCommand } from '../../src/terminal/cli/send-command.js';

/** The durations that WhatsApp offers, in seconds. */
const DURATIONS = { '1d': 86_400, '7d': 604_800, '30d': 2_592_000 } as const;

export default class MessagesPin extends SendCommand {
  static override summary = 'Pin a message for everyone in its chat';
  static override description =
    'Prints the id of the pinning message. In some groups only admins may pin messages.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1',
    '<%= config.bin %> <%= command.id %> acme 120363040000000001@g.us 3EB0C767D097B7C6A3F1 --for 30d',
  ];
  static override args = earlierMessageArgs();
  static override flags = {
    for: Flags.option({ options: ['1d', '7d', '30d'] as const, default: '7d' as const })({
      description: 'time until the pin ends by itself',
    }),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(MessagesPin);
    const request = { ...args, pinned: true, duration: DURATIONS[flags.for] };
    return this.send(flags, (client, options) => client.pinMessage(request, options));
  }
}
