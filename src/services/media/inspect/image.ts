import { measurePicture, openPicture } from './pictures.js';

/** Pixels of a thumbnail's longer side. */
const THUMBNAIL_SIDE = 128;
const THUMBNAIL_QUALITY = 50;

/** What a phone shows of a picture before it has it. */
export interface ImageFacts {
  /** Pixels, as it is looked at: a camera may have been held upright. */
  width: number;
  height: number;
  animated: boolean;
  /** Small JPEG; absent when the picture is broken further on or too large to be decoded. */
  thumbnail?: Uint8Array;
}

/** Looks at a picture. @throws when it is none */
export async function image({ path }: { path: string }): Promise<ImageFacts> {
  const { autoOrient, pages = 1 } = await measurePicture(path);
  const thumbnail = await makeThumbnail(path).catch(() => undefined);
  return { ...autoOrient, animated: pages > 1, ...(thumbnail && { thumbnail }) };
}

function makeThumbnail(path: string): Promise<Uint8Array> {
  return openPicture(path)
    .autoOrient()
    .resize({ width: THUMBNAIL_SIDE, height: THUMBNAIL_SIDE, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: THUMBNAIL_QUALITY })
    .toBuffer();
}
