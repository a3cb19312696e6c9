import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { parseSections } from '../../src/terminal/cli/send.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendList extends SendCommand {
  static override summary = 'Send a list from which the recipient chooses one row';
  static override description =
    'Choices arrive as interactive_reply events. Some versions of WhatsApp do not show lists.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Lunch?" --row pizza=Pizza --row soup=Soup',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Lunch?" --sections "$(cat menu.json)"',
  ];
  static override args = {
    ...recipientArgs(),
    body: Args.string({ required: true, description: 'text to send; - reads standard input' }),
  };
  static override flags = {
    button: Flags.string({ description: 'label of the button that opens the list', default: 'Choose' }),
    title: Flags.string({ description: 'title above the text' }),
    footer: Flags.string({ description: 'small text below the message' }),
    row: Flags.string({
      description: 'add a row; repeatable, 10 at most',
      helpValue: 'ID=TITLE',
      multiple: true,
      multipleNonGreedy: true,
      exactlyOne: ['row', 'sections'],
    }),
    sections: Flags.string({
      description: 'rows in sections, with descriptions, as in the API',
      helpValue: 'JSON',
    }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendList);
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const { clientId, to } = args;
    const { title, footer: footerText, button: buttonText } = flags;
    const sections = parseSections(flags);
    const bodyText = await readArgument(args.body);
    const request = { clientId, to, title, bodyText, footerText, buttonText, sections, ...envelopeOf(flags) };
    return this.send(flags, (client, options) => client.sendListMessage(request, options));
  }
}
