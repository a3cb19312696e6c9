import sharp from 'sharp';
import { film, pdf, picture, voiceNote } from '../../support/made-files.js';
import type { FileKind } from './client.js';

export interface MadeFile {
  bytes: Buffer;
  mimeType: string;
  name: string;
}

/** A small file of a kind. */
export async function madeFile(kind: FileKind): Promise<MadeFile> {
  const image = Buffer.from(await picture('teal', 512), 'base64');
  switch (kind) {
    case 'image':
      return { bytes: image, mimeType: 'image/png', name: 'picture.png' };
    case 'sticker':
      return { bytes: await sharp(image).webp().toBuffer(), mimeType: 'image/webp', name: 'sticker.webp' };
    case 'video':
      return { bytes: film(2), mimeType: 'video/mp4', name: 'film.mp4' };
    case 'audio':
      return { bytes: voiceNote(2), mimeType: 'audio/ogg; codecs=opus', name: 'note.ogg' };
    case 'document':
      return { bytes: pdf(1), mimeType: 'application/pdf', name: 'menu.pdf' };
  }
}
