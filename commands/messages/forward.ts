import { Args } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { clientIdArg } from '../../src/terminal/cli/flags.js';
import { envelopeFlags, envelopeOf, SendCommand } from '../../src/terminal/cli/send-command.js';

const CHAT_FORMS = 'name, +phone, LID digits or jid (group: …@g.us)';

export default class MessagesForward extends SendCommand {
  static override summary = 'Forward a message to another chat';
  static override description =
    `A file is not uploaded again. Forwards messages of the hosted inbox, and own messages of \
the last 14 days. Exits with 5 if the message is unknown, with 6 if it was deleted.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000003 3A5F0C767D097B7C6A3F1 +15550000002',
    '<%= config.bin %> <%= command.id %> acme +15550000003 3A5F0C767D097B7C6A3F1 120363040000000001@g.us',
  ];
  static override args = {
    clientId: clientIdArg(),
    from: Args.string({ required: true, description: `chat that the message is in: ${CHAT_FORMS}` }),
    messageId: Args.string({ required: true, description: 'id of the message' }),
    to: Args.string({ required: true, description: `recipient: ${CHAT_FORMS}` }),
  };
  static override flags = { meta: envelopeFlags().meta };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(MessagesForward);
    const { metaData } = envelopeOf(flags);
    return this.send(flags, (client, options) => client.forwardMessage({ ...args, metaData }, options));
  }
}
