import { parseFile } from 'music-metadata';
import { readMp4 } from './mp4.js';

/** What a film's container tells of it, without decoding a picture. */
export interface ClipFacts {
  /** Seconds, with their fraction; 0 when they cannot be told. */
  seconds: number;
  /** Pixels, as it is looked at; absent in containers that do not tell them. */
  width?: number;
  height?: number;
}

/** Reads a film's container. @throws when it is none */
export async function clip({ path }: { path: string }): Promise<ClipFacts> {
  return (await readMp4(path)) ?? (await readAny(path));
}

async function readAny(path: string): Promise<ClipFacts> {
  const { format } = await parseFile(path, { skipCovers: true });
  const picture = format.trackInfo.find(({ video }) => video?.pixelWidth && video.pixelHeight)?.video;
  return {
    seconds: format.duration ?? 0,
    ...(picture && { width: picture.pixelWidth, height: picture.pixelHeight }),
  };
}
