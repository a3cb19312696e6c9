import { Args, Flags } from '@oclif/core';
import { parseObject } from '../../src/domain/json.js';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { CliError } from '../../src/terminal/cli/errors.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxWrite extends BaseCommand {
  static override summary = 'Send any kind of message from a simulated phone';
  static override description =
    'The content is a JSON object with one of these fields: text, media, poll, vote, reaction, edit, revoke, location, contact, contacts, buttonReply, listReply, encryptedEdit, raw.';
  static override examples = [
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"poll": {"name": "?", "options": ["a", "b"]}}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"text": "Hello", "forwarded": true}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 '{"edit": {"messageId": "3EB0", "text": "Hi"}}'`,
    `<%= config.bin %> <%= command.id %> +15550000002 +15550000001 - < content.json`,
  ];
  static override args = {
    from: numberArg('phone number of the sender'),
    to: numberArg('phone number of the recipient'),
    content: Args.string({ required: true, description: 'JSON object; - reads standard input' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    quote: Flags.string({ description: 'id of the message to reply to' }),
    mention: Flags.string({
      description: 'phone number to mention; repeatable',
      multiple: true,
      multipleNonGreedy: true,
    }),
    forwarded: Flags.boolean({ description: 'mark as forwarded' }),
    ephemeral: Flags.integer({ description: 'seconds after which the message disappears', min: 1 }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxWrite);
    const { askSandbox } = await import('../../src/terminal/cli/sandbox.js');
    const { readArgument } = await import('../../src/terminal/cli/terminal.js');
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
