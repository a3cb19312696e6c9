import { stat } from 'node:fs/promises';
import type { Sharp } from 'sharp';
import { measurePicture, openPicture } from './pictures.js';

/** Pixels of both sides. */
const SIDE = 512;
/** Bytes beyond which phones show no sticker. */
const MAX_BYTES = 1024 * 1024;
/** Tried one after the other until a sticker is small enough. */
const QUALITIES = [80, 50, 25];
const TRANSPARENT = { r: 0, g: 0, b: 0, alpha: 0 };

export interface StickerFacts {
  width: number;
  height: number;
  animated: boolean;
  /** Bytes. */
  size: number;
  /** It was written to `target`; false when the picture is a sticker as it stands. */
  converted: boolean;
}

/**
 * Makes a sticker of a picture: WebP of 512 × 512 pixels at most. An animation stays one.
 * @returns undefined when it stays too large however it is packed
 * @throws when it is no picture
 */
export async function sticker(order: { path: string; target: string }): Promise<StickerFacts | undefined> {
  const { path, target } = order;
  const { format, autoOrient, pages = 1 } = await measurePicture(path);
  const animated = pages > 1;
  const { width, height } = autoOrient;
  const { size } = await stat(path);
  if (format === 'webp' && width <= SIDE && height <= SIDE && size <= MAX_BYTES) {
    return { width, height, animated, size, converted: false };
  }
  for (const quality of QUALITIES) {
    const { size } = await convert(path, animated, quality).toFile(target);
    if (size <= MAX_BYTES) return { width: SIDE, height: SIDE, animated, size, converted: true };
  }
  return undefined;
}

function convert(path: string, animated: boolean, quality: number): Sharp {
  return openPicture(path, animated)
    .autoOrient()
    .resize({ width: SIDE, height: SIDE, fit: 'contain', background: TRANSPARENT })
    .webp({ quality });
}
