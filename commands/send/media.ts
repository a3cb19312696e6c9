import { Args, Flags } from '@oclif/core';
import { listenForInterrupt } from '../../src/cli/interrupt.js';
import { envelopeFlags, envelopeOf, recipientArgs, SendCommand } from '../../src/cli/send-command.js';
import type { SendAnswer } from '../../src/cli/wire.js';

export default class SendMedia extends SendCommand {
  static override summary = 'Send a picture, a video, a recording or any other file';
  static override description =
    `A file of this machine is uploaded to the daemon, with a bar on a terminal; an http(s) address is fetched by it.
What the file is decides how it arrives: as a picture, a video, a sound or a document.`;
  static override examples = [
    '<%= config.bin %> <%= command.id %> acme +15550000002 holiday.jpg --caption "Look!"',
    '<%= config.bin %> <%= command.id %> acme +15550000002 https://example.com/offer.pdf --file-name "Offer.pdf"',
    'pg_dump shop | <%= config.bin %> <%= command.id %> acme +15550000002 - --file-name shop.sql',
    '<%= config.bin %> <%= command.id %> acme +15550000002 hello.ogg --voice',
    '<%= config.bin %> <%= command.id %> acme +15550000002 smile.webp --sticker',
  ];
  static override args = {
    ...recipientArgs(),
    source: Args.string({
      required: true,
      description: 'path of a file, an http(s) address, or - for standard input',
    }),
  };
  static override flags = {
    caption: Flags.string({ description: 'text below it; audio has none', helpValue: 'TEXT' }),
    'mime-type': Flags.string({
      description: 'what it is, where that is not found out rightly',
      helpValue: 'TYPE',
    }),
    'file-name': Flags.string({ description: 'name under which it arrives', helpValue: 'NAME' }),
    voice: Flags.boolean({ description: 'audio as a voice note (OGG/Opus)' }),
    sticker: Flags.boolean({ description: 'a picture as a sticker', exclusive: ['voice'] }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendAnswer> {
    const { args, flags } = await this.parse(SendMedia);
    const { sendMedia } = await import('../../src/cli/send-media.js');
    const media = {
      ...args,
      caption: flags.caption,
      mimeType: flags['mime-type'],
      fileName: flags['file-name'],
      asVoice: flags.voice ?? false,
      asSticker: flags.sticker ?? false,
      ...envelopeOf(flags),
    };
    const interrupt = listenForInterrupt();
    const { signal } = interrupt;
    try {
      const client = await this.daemon(flags, signal);
      const options = { key: flags['idempotency-key'], quiet: this.jsonEnabled(), signal };
      return this.report(await sendMedia(client, media, options));
    } finally {
      interrupt.release();
    }
  }

  protected override report(answer: SendAnswer): SendAnswer {
    if (answer.fallback) this.output.warning('the file is too large: a text with its link was sent instead');
    return super.report(answer);
  }
}
