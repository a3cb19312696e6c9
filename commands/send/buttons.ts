import { Args, Flags } from '@oclif/core';
import { type Button, parseButton } from '../../src/cli/buttons.js';
import { envelopeFlags, envelopeOf, recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendButtons extends SendCommand {
  static override summary = 'Send a text with buttons';
  static override description =
    "Whether buttons are shown depends on the version of the recipient's app. Taps come back as interactive_reply events.";
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Coming?" --reply yes=Yes --reply no=No',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Your order" --link "https://example.com/42=Track it"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 "Your code" --copy "123-456=Copy the code"',
  ];
  static override args = {
    ...recipientArgs(),
    body: Args.string({ required: true, description: 'the text; - reads standard input' }),
  };
  static override flags = {
    footer: Flags.string({ description: 'small print below the text' }),
    reply: buttonFlag('answers with an id', 'ID=LABEL'),
    link: buttonFlag('opens an address', 'URL=LABEL'),
    call: buttonFlag('calls a number', 'PHONE=LABEL'),
    copy: buttonFlag('copies a code', 'CODE=LABEL'),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendButtons);
    const { readArgument } = await import('../../src/cli/stdin.js');
    const buttons: Button[] = (['reply', 'link', 'call', 'copy'] as const).flatMap((kind) =>
      (flags[kind] ?? []).map((text) => parseButton(kind, text)),
    );
    const { clientId, to } = args;
    const bodyText = await readArgument(args.body);
    const body = { clientId, to, bodyText, footerText: flags.footer, buttons, ...envelopeOf(flags) };
    return this.send(flags, { path: '/send-interactive-message', body });
  }
}

function buttonFlag(does: string, helpValue: string) {
  return Flags.string({
    description: `a button that ${does}; repeatable`,
    helpValue,
    multiple: true,
    multipleNonGreedy: true,
  });
}
