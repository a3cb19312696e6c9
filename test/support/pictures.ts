import sharp from 'sharp';

/** A square picture in base64, as phones are given one. */
export async function picture(background: string, size = 700): Promise<string> {
  const create = { width: size, height: size, channels: 3 as const, background };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}
