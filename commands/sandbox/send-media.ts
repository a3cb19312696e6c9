import { Args, Flags } from '@oclif/core';
import { BaseCommand } from '../../src/terminal/cli/command.js';
import { numberArg, sandboxUrlFlag } from '../../src/terminal/cli/flags.js';

export default class SandboxSendMedia extends BaseCommand {
  static override summary = 'Send a file from a simulated phone';
  static override description =
    'Encrypts and uploads the file; the recipient downloads it from the sandbox network.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 cat.jpg --caption "My cat"',
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 hello.ogg --voice',
    '<%= config.bin %> <%= command.id %> +15550000002 +15550000001 smile.webp --sticker',
  ];
  static override args = {
    from: numberArg('phone number of the sender'),
    to: numberArg('phone number of the recipient'),
    file: Args.string({ required: true, description: 'path of the file' }),
  };
  static override flags = {
    'sandbox-url': sandboxUrlFlag(),
    caption: Flags.string({ description: 'caption of the file' }),
    'mime-type': Flags.string({ description: 'MIME type, if detection is wrong' }),
    voice: Flags.boolean({ description: 'send as a voice note', exclusive: ['sticker', 'document'] }),
    sticker: Flags.boolean({ description: 'send as a sticker', exclusive: ['document'] }),
    document: Flags.boolean({ description: 'send as a document, whatever its type' }),
    'view-once': Flags.boolean({
      description: 'let the recipient view it once',
      exclusive: ['sticker', 'document'],
    }),
    quote: Flags.string({ description: 'id of the message to reply to' }),
  };

  async run(): Promise<{ messageId: string }> {
    const { args, flags } = await this.parse(SandboxSendMedia);
    const { askSandbox, sendFile } = await import('../../src/terminal/cli/sandbox.js');
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
      sendFile(sandbox, from, { to, quotedMessageId: flags.quote || undefined }, file),
    );
    if (!this.jsonEnabled()) this.output.line(`sent ${answer.messageId}`);
    return answer;
  }
}
