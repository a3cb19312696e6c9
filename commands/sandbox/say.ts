import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { numberArg, sandboxUrlFlag } from '../../src/cli/flags.js';

export default class SandboxSay extends BaseCommand {
  static override summary = 'Let a simulated person write a text';
  static override description =
    'The text takes the way of every message: it is encrypted for each device of who gets it.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 "Hello, Alice"',
    'fortune | <%= config.bin %> <%= command.id %> +15550000002 +15550000001 -',
  ];
  static override args = {
    from: numberArg('the number of who writes'),
    to: numberArg('the number of who gets it'),
    text: Args.string({ required: true, description: 'the text; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    quote: Flags.string({ description: 'id of the message that this one answers' }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxSay);
    const { askSandbox } = await import('../../src/cli/sandbox.js');
    const { readArgument } = await import('../../src/cli/stdin.js');
    const text = await readArgument(args.text);
    const answer = await askSandbox(flags['sandbox-url'], (sandbox) =>
      sandbox.write(args.from, { to: args.to, text, ...(flags.quote && { quotedMessageId: flags.quote }) }),
    );
    if (!this.jsonEnabled()) this.output.line(`said ${answer.messageId}`);
    return answer;
  }
}
