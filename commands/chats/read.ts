import { Args } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.js';
import { recipientArgs } from '../../src/cli/send-command.js';

interface ReadResult {
  ok: boolean;
  /** Messages that a receipt was sent for. */
  count: number;
}

export default class ChatsRead extends DaemonCommand {
  static override summary = 'Send read receipts';
  static override description =
    "The other side sees that its messages were read; the hosted room's unread count becomes 0.";
  static override strict = false;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 3EB0A9253D5F6C2B1E7A90',
    '<%= config.bin %> <%= command.id %> acme 90000000000002 3EB0A9253D5F6C2B1E7A90 3EB0C767D097B7C6A3F1',
  ];
  static override args = {
    ...recipientArgs(),
    messageId: Args.string({ required: true, description: 'id of a message of theirs; one or more' }),
  };

  async run(): Promise<ReadResult> {
    const { args, argv, flags } = await this.parse(ChatsRead);
    const { clientId, to } = args;
    const messageIds = argv.slice(Object.keys(ChatsRead.args).length - 1).map(String);
    const client = await this.daemon(flags);
    const body = { clientId, to, messageIds };
    const answer = await client.call<ReadResult>('POST', '/mark-read', { body });
    if (!this.jsonEnabled()) this.output.line(`told ${to} that ${counted(answer.count)} read`);
    return answer;
  }
}

function counted(messages: number): string {
  return messages === 1 ? '1 message was' : `${messages} messages were`;
}
