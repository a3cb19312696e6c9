import type { SendAnswer } from '../../src/contract/index.js';
import { earlierMessageArgs, SendCommand } from '../../src/terminal/cli/send-command.js';

export default class MessagesUnpin extends SendCommand {
  static override summary = 'Unpin a message for everyone in its chat';
  static override description = 'Prints the id of the unpinning message.';
  static override examples = ['<%= config.bin %> <%= command.id %> acme +15550000002 3A5F0C767D097B7C6A3F1'];
  static override args = earlierMessageArgs();

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(MessagesUnpin);
    return this.send(flags, (client, options) => client.pinMessage({ ...args, pinned: false }, options));
  }
}
