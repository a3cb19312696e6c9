import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/terminal/cli/command.js';
import { recipientArgs } from '../../src/terminal/cli/send-command.js';

export default class ChatsRead extends DaemonCommand {
  static override summary = 'Send read receipts';
  static override description =
    "Marks messages of the other side as read and sets the room's unread count to 0.";
  static override strict = false;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0A9253D5F6C2B1E7A90',
    '<%= config.bin %> <%= command.id %> acme 90000000000002 3EB0A9253D5F6C2B1E7A90 3EB0C767D097B7C6A3F1',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'id of a received message; one or more' }),
  };

  async run(): Promise<{ ok: boolean; count: number }> {
    const { args, argv, flags } = await this.parse(ChatsRead);
    const { clientId, to } = args;
    const messageIds = argv.slice(Object.keys(ChatsRead.args).length - 1).map(String);
    const client = await this.daemon(flags);
    const answer = await client.markRead({ clientId, to, messageIds });
    if (!this.jsonEnabled()) this.output.line(`sent read receipts to ${to} for ${counted(answer.count)}`);
    return answer;
  }
}

function counted(messages: number): string {
  return messages === 1 ? '1 message' : `${messages} messages`;
}
