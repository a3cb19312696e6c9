import { Args, Flags } from '@oclif/core';
import type { SendAnswer } from '../../src/contract/index.js';
import { parseButton } from '../../src/terminal/cli/send.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';

export default class SendButtons extends SendCommand {
  static override summary = 'Send a text with buttons';
  static override description =
    'Taps arrive as interactive_reply events. Some versions of WhatsApp do not show buttons.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Coming?" --reply yes=Yes --reply no=No',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Your order" --link "https://example.com/42=Track it"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Your code" --copy "123-456=Copy the code"',
  ];
  static override args = {
    ...recipientArgs(),
    body: Args.string({ required: true, description: 'text to send; - reads standard input' }),
  };
  static override flags = {
    footer: Flags.string({ description: 'small text below the message' }),
    reply: buttonFlag('replies with an id', 'ID=LABEL'),
    link: buttonFlag('opens a URL', 'URL=LABEL'),
    call: buttonFlag('calls a number', 'PHONE=LABEL'),
    copy: buttonFlag('copies a code', 'CODE=LABEL'),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendButtons);
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const buttons = (['reply', 'link', 'call', 'copy'] as const).flatMap((kind) =>
      (flags[kind] ?? []).map((text) => parseButton(kind, text)),
    );
    const { clientId, to } = args;
    const bodyText = await readArgument(args.body);
    const request = { clientId, to, bodyText, footerText: flags.footer, buttons, ...envelopeOf(flags) };
    return this.send(flags, (client, options) => client.sendInteractiveMessage(request, options));
  }
}

function buttonFlag(does: string, helpValue: string) {
  return Flags.string({
    description: `add a button that ${does}; repeatable`,
    helpValue,
    multiple: true,
    multipleNonGreedy: true,
  });
}
