import { stat } from 'node:fs/promises';
import sharp, { type Metadata, type Sharp } from 'sharp';

/** Pixels of the largest picture that is decoded, all frames together; larger ones are taken for decompression bombs. */
const MAX_PIXELS = 64 * 1024 * 1024;
const DECODE_TIMEOUT_S = 10;

sharp.cache(false);
sharp.concurrency(1);
// libvips would also open SVG, PDF and any other format that it has a loader for
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    'VipsForeignLoadJpegFile',
    'VipsForeignLoadPngFile',
    'VipsForeignLoadWebpFile',
    'VipsForeignLoadNsgifFile',
    'VipsForeignLoadTiffFile',
    'VipsForeignLoadHeifFile',
  ],
});

/** Opens a picture of a common format, bounded in pixels and time. @param allFrames of an animation, not only the first */
function openPicture(path: string, allFrames = false): Sharp {
  return sharp(path, {
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    // decode a slightly damaged picture too
    failOn: 'error',
    animated: allFrames,
  }).timeout({ seconds: DECODE_TIMEOUT_S });
}

/** Reads a picture's metadata without decoding it. @throws when the file is no picture */
function measurePicture(path: string): Promise<Metadata> {
  return sharp(path, { limitInputPixels: false }).metadata();
}

/** Pixels of a thumbnail's longer side. */
const THUMBNAIL_SIDE = 128;
const THUMBNAIL_QUALITY = 50;

/** The facts that a phone shows before it downloads a picture. */
export interface ImageFacts {
  /** Pixels, after the rotation that the picture's metadata asks for. */
  width: number;
  height: number;
  animated: boolean;
  /** Small JPEG; absent when the picture's data is damaged or too large to decode. */
  thumbnail?: Uint8Array;
}

/** Measures a picture and makes its thumbnail. @throws when the file is no picture */
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

/** Pixels of each side of a profile picture, as WhatsApp's clients upload it. */
const PORTRAIT_SIDE = 640;
const PORTRAIT_QUALITY = 80;

/** Makes a profile picture: a square JPEG of the middle of a picture. @throws when the file is no picture */
export function portrait({ path }: { path: string }): Promise<Uint8Array> {
  return openPicture(path)
    .autoOrient()
    .resize({ width: PORTRAIT_SIDE, height: PORTRAIT_SIDE, fit: 'cover' })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: PORTRAIT_QUALITY })
    .toBuffer();
}

/** Width and height of a sticker in pixels. */
const SIDE = 512;
/** Bytes of the largest sticker that phones show. */
const MAX_STICKER_BYTES = 1024 * 1024;
/** WebP qualities, tried in this order until the sticker is small enough. */
const QUALITIES = [80, 50, 25];
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

export interface StickerFacts {
  width: number;
  height: number;
  animated: boolean;
  /** Bytes. */
  size: number;
  /** The sticker was written to `target`; false when the picture can be sent as it is. */
  converted: boolean;
}

/**
 * Converts a picture to a sticker: WebP of at most 512 × 512 pixels. An animation stays animated.
 * @returns undefined when it is too large even at the lowest quality
 * @throws when the file is no picture
 */
export async function sticker(order: { path: string; target: string }): Promise<StickerFacts | undefined> {
  const { path, target } = order;
  const { format, autoOrient, pages = 1 } = await measurePicture(path);
  const animated = pages > 1;
  const { width, height } = autoOrient;
  const { size } = await stat(path);
  if (format === 'webp' && width <= SIDE && height <= SIDE && size <= MAX_STICKER_BYTES) {
    return { width, height, animated, size, converted: false };
  }
  for (const quality of QUALITIES) {
    const { size } = await convert(path, animated, quality).toFile(target);
    if (size <= MAX_STICKER_BYTES) return { width: SIDE, height: SIDE, animated, size, converted: true };
  }
  return undefined;
}

function convert(path: string, animated: boolean, quality: number): Sharp {
  return openPicture(path, animated)
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, fit: 'contain', background: TRANSPARENT })
    .webp({ quality });
}
