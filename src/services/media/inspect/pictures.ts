import sharp, { type Metadata, type Sharp } from 'sharp';

/** Pixels of a picture that is decoded, all its frames together; more is a bomb, or at least no picture for a phone. */
const MAX_PIXELS = 64 * 1024 * 1024;
const TIMEOUT_S = 10;

sharp.cache(false);
sharp.concurrency(1);
// the library would also open drawings, documents and what else its system has loaders for
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

/** Opens a picture of a common format, bounded in pixels and time. @param allFrames of an animation, not the first only */
export function openPicture(path: string, allFrames = false): Sharp {
  return sharp(path, {
    limitInputPixels: MAX_PIXELS,
    sequentialRead: true,
    // a picture with a scratch is better than none
    failOn: 'error',
    animated: allFrames,
  }).timeout({ seconds: TIMEOUT_S });
}

/** Reads what a picture says of itself, without decoding it. @throws when it is none */
export function measurePicture(path: string): Promise<Metadata> {
  return sharp(path, { limitInputPixels: false }).metadata();
}
