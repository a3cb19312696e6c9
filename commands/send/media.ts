import { Args, Flags } from '@oclif/core';
import type { SendMediaAnswer } from '../../src/contract/index.js';
import {
  envelopeFlags,
  envelopeOf,
  recipientArgs,
  SendCommand,
} from '../../src/terminal/cli/send-command.js';
import { listenForInterrupt } from '../../src/terminal/cli/terminal.js';

export default class SendMedia extends SendCommand {
  static override summary = 'Send an image, a video, audio or a document';
  static override description =
    `Uploads a local file to the daemon, with a progress bar on a terminal. The daemon downloads an http(s) \
URL itself. The type of the file decides how it arrives: as an image, a video, audio or a document.`;
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
      description: 'path of a file, an http(s) URL, or - for standard input',
    }),
  };
  static override flags = {
    caption: Flags.string({ description: 'caption of the file; not for audio', helpValue: 'TEXT' }),
    'mime-type': Flags.string({
      description: 'MIME type, if detection is wrong',
      helpValue: 'TYPE',
    }),
    'file-name': Flags.string({ description: 'file name that the recipient sees', helpValue: 'NAME' }),
    voice: Flags.boolean({ description: 'send audio as a voice note (OGG/Opus)' }),
    sticker: Flags.boolean({ description: 'send an image as a sticker', exclusive: ['voice'] }),
    ...envelopeFlags(),
  };

  async run(): Promise<SendMediaAnswer> {
    const { args, flags } = await this.parse(SendMedia);
    const { isAddress, sendMedia } = await import('../../src/terminal/cli/send-media.js');
    // the daemon cannot fetch a file of this machine later
    this.isKeepable = isAddress(args.source);
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
}
