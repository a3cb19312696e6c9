import { Args, Flags } from '@oclif/core';
import { CliError } from '../../src/cli/cli-error.js';
import { envelopeFlags, envelopeOf, recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendMedia extends SendCommand {
  static override summary = 'Send a picture, a video, a recording or any other file';
  static override description =
    'A file of this machine is uploaded to the daemon; an http(s) address is fetched by it. What the file is decides how it arrives.';
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 holiday.jpg --caption "Look!"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 https://example.com/offer.pdf --file-name "Our offer.pdf"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 hello.ogg --voice',
    '<%= config.bin %> <%= command.id %> acme +15550000002 smile.webp --sticker',
  ];
  static override args = {
    ...recipientArgs(),
    source: Args.string({ required: true, description: 'path of a file, or an http(s) address' }),
  };
  static override flags = {
    caption: Flags.string({ description: 'text below it; audio has none' }),
    'mime-type': Flags.string({ description: 'what it is, where that is not found out rightly' }),
    'file-name': Flags.string({ description: 'shown for a document that the daemon fetches' }),
    voice: Flags.boolean({ description: 'audio as a voice note (OGG/Opus)' }),
    sticker: Flags.boolean({ description: 'a picture as a sticker', exclusive: ['voice'] }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendMedia);
    const { isAddress, sendMedia } = await import('../../src/cli/send-media.js');
    if (flags['file-name'] !== undefined && !isAddress(args.source)) {
      throw new CliError('usage', '--file-name is for addresses; a file is sent under its own name');
    }
    const media = {
      ...args,
      caption: flags.caption,
      mimeType: flags['mime-type'],
      fileName: flags['file-name'],
      asVoice: flags.voice ?? false,
      asSticker: flags.sticker ?? false,
      ...envelopeOf(flags),
    };
    const client = await this.daemon(flags);
    return this.report(await sendMedia(client, media, flags['idempotency-key']));
  }

  protected override report(answer: SendAnswer): SendAnswer {
    if (answer.fallback) this.output.warning('the file is too large: a text with its link was sent instead');
    return super.report(answer);
  }
}
