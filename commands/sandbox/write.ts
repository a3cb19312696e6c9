import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { CliError } from '../../src/cli/cli-error.js';
import { numberArg, sandboxUrlFlag } from '../../src/cli/flags.js';
import { parseObject } from '../../src/cli/json-api.js';

export default class SandboxWrite extends BaseCommand {
  static override summary = 'Let a simulated person write, change or answer anything';
  static override description =
    'The content is JSON with one field: text, media, poll, vote, reaction, edit, revoke, location, contact, contacts, buttonReply, listReply, encryptedEdit or raw.';
  static override examples = [
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"poll": {"name": "?", "options": ["a", "b"]}}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"text": "Hello", "forwarded": true}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"edit": {"messageId": "3EB0", "text": "Hi"}}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 - < content.json`,
  ];
  static override args = {
    from: numberArg('the number of who writes'),
    to: numberArg('the number of who gets it'),
    content: Args.string({ required: true, description: 'JSON; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    quote: Flags.string({ description: 'id of the message that this one answers' }),
    mention: Flags.string({
      description: 'number to mention; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    forwarded: Flags.boolean({ description: 'marked as forwarded' }),
    ephemeral: Flags.integer({ description: 'disappears after so many seconds', min: 1 }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxWrite);
    const { askSandbox } = await import('../../src/cli/sandbox.js');
    const { readArgument } = await import('../../src/cli/stdin.js');
    const content = parseObject(await readArgument(args.content));
    if (!content) {
      throw new CliError('usage', 'the content must be a JSON object', {
        suggestions: [`such as '{"edit": {"messageId": "3EB0", "text": "Hi"}}'`],
      });
    }
    const { quote, mention, forwarded, ephemeral } = flags;
    const request = {
      ...content,
      to: args.to,
      ...(quote && { quotedMessageId: quote }),
      ...(mention && { mentions: mention }),
      ...(forwarded && { forwarded }),
      ...(ephemeral && { ephemeral }),
    };
    const answer = await askSandbox(flags['sandbox-url'], (sandbox) => sandbox.write(args.from, request));
    if (!this.jsonEnabled()) this.output.line(`wrote ${answer.messageId}`);
    return answer;
  }
}
