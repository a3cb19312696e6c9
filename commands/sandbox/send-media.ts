import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../src/cli/base-command.js';
import { numberArg, sandboxUrlFlag } from '../../src/cli/flags.js';

export default class SandboxSendMedia extends BaseCommand {
  static override summary = 'Let a simulated person send a file';
  static override description =
    'The file is encrypted and put on the network; who gets it has to fetch it from there.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 cat.jpg --caption "My cat"',
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 hello.ogg --voice',
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 smile.webp --sticker',
  ];
  static override args = {
    from: numberArg('the number of who sends'),
    to: numberArg('the number of who gets it'),
    file: Args.string({ required: true, description: 'path of the file' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    caption: Flags.string({ description: 'text below it' }),
    'mime-type': Flags.string({ description: 'what it is, where that is not found out rightly' }),
    voice: Flags.boolean({ description: 'as a voice note', exclusive: ['sticker', 'document'] }),
    sticker: Flags.boolean({ description: 'as a sticker', exclusive: ['document'] }),
    document: Flags.boolean({ description: 'as a document, whatever it is' }),
    'view-once': Flags.boolean({ description: 'may be looked at once', exclusive: ['sticker', 'document'] }),
    quote: Flags.string({ description: 'id of the message that this one answers' }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxSendMedia);
    const { askSandbox, sendFile } = await import('../../src/cli/sandbox.js');
    const file = {
      path: args.file,
      mimeType: flags['mime-type'],
      caption: flags.caption,
      voice: flags.voice,
      sticker: flags.sticker,
      document: flags.document,
      viewOnce: flags['view-once'],
    };
    const { from, to } = args;
    const answer = await askSandbox(flags['sandbox-url'], (sandbox) =>
      sendFile(sandbox, from, { to, ...(flags.quote && { quotedMessageId: flags.quote }) }, file),
    );
    if (!this.jsonEnabled()) this.output.line(`sent ${answer.messageId}`);
    return answer;
  }
}
