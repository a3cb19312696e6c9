import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxSay extends BaseCommand {
  static override summary = 'Send a text from a simulated phone';
  static override description = 'Encrypts the text for each device of the recipient, like any message.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 "Hello, Alice"',
    'fortune | <%= config.bin %> <%= command.id %> +15550000002 +15550000001 -',
  ];
  static override args = {
    from: numberArg('phone number of the sender'),
    to: numberArg('phone number of the recipient'),
    text: Args.string({ required: true, description: 'text to send; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    quote: Flags.string({ description: 'id of the message to reply to' }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxSay);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
    const text = await readArgument(args.text);
    const answer = await askSandbox(flags['sandbox-url'], (sandbox) =>
      sandbox.write(args.from, { to: args.to, text, quotedMessageId: flags.quote || undefined }),
    );
    if (!this.jsonEnabled()) this.output.line(`said ${answer.messageId}`);
    return answer;
  }
}
