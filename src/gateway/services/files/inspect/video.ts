import { type FileHandle, open } from 'node:fs/promises';
import { parseFile } from 'music-metadata';

/** The facts in a video's container; no frame is decoded. */
export interface ClipFacts {
  /** With fraction; 0 when unknown. */
  seconds: number;
  /** Pixels, after rotation; absent when the container does not say. */
  width?: number;
  height?: number;
}

/** Reads a video's container. @throws when the file is no video */
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

/** Bytes of the largest table of contents that is read; a video of hours has a few million. */
const MAX_MOOV_BYTES = 16 * 1024 * 1024;
/** Boxes on the first level of a file; real videos have a handful. */
const MAX_BOXES = 1_000;
/** Bytes of a box header: length and name; then the same with a 64-bit length. */
const HEAD = 8;
const LONG_HEAD = 16;
/** Track sizes are 16.16 fixed-point numbers. */
const FRACTION = 65_536;

/** A box of an ISO 14496-12 container, in memory. */
interface Box {
  name: string;
  content: Buffer;
}

/** Reads duration and size of an MP4 from its `moov` box, wherever that is. @returns undefined when there is none */
async function readMp4(path: string): Promise<ClipFacts | undefined> {
  const file = await open(path);
  try {
    const moov = await findMoov(file);
    return moov && factsOf(boxesOf(moov));
  } finally {
    await file.close();
  }
}

async function findMoov(file: FileHandle): Promise<Buffer | undefined> {
  for (let at = 0, count = 0; count < MAX_BOXES; count++) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LONG_HEAD), 0, LONG_HEAD, at);
    if (bytesRead < HEAD) return undefined;
    const { name, head, length } = headOf(buffer);
    if (name === 'moov')
      return length > MAX_MOOV_BYTES ? undefined : contentOf(file, at + head, length - head);
    // length 0: the box reaches to the end of the file
    if (length < head) return undefined;
    at += length;
  }
  return undefined;
}

async function contentOf(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}

function headOf(bytes: Buffer): { name: string; head: number; length: number } {
  const short = bytes.readUInt32BE(0);
  const name = bytes.toString('latin1', 4, HEAD);
  if (short !== 1 || bytes.length < LONG_HEAD) return { name, head: HEAD, length: short };
  return { name, head: LONG_HEAD, length: Number(bytes.readBigUInt64BE(HEAD)) };
}

function boxesOf(bytes: Buffer): Box[] {
  const boxes: Box[] = [];
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const { name, head, length } = headOf(bytes.subarray(at, at + LONG_HEAD));
    if (length < head) break;
    boxes.push({ name, content: bytes.subarray(at + head, at + length) });
    at += length;
  }
  return boxes;
}

function factsOf(moov: readonly Box[]): ClipFacts {
  const movie = moov.find(({ name }) => name === 'mvhd');
  const tracks = moov.flatMap(({ name, content }) => (name === 'trak' ? boxesOf(content) : []));
  const sizes = tracks.flatMap(({ name, content }) => (name === 'tkhd' ? sizeOf(content) : []));
  return { seconds: movie ? secondsOf(movie.content) : 0, ...sizes.find(({ width }) => width > 0) };
}

function secondsOf(header: Buffer): number {
  const isLong = header[0] === 1;
  if (header.length < (isLong ? 32 : 20)) return 0;
  const perSecond = header.readUInt32BE(isLong ? 20 : 12);
  const duration = isLong ? Number(header.readBigUInt64BE(24)) : header.readUInt32BE(16);
  return perSecond > 0 ? duration / perSecond : 0;
}

/** Pixels after rotation; 0 for a track without pictures. */
function sizeOf(header: Buffer): { width: number; height: number }[] {
  const matrix = header[0] === 1 ? 52 : 40;
  if (header.length < matrix + 44) return [];
  const width = Math.round(header.readUInt32BE(matrix + 36) / FRACTION);
  const height = Math.round(header.readUInt32BE(matrix + 40) / FRACTION);
  const isTurned = header.readInt32BE(matrix) === 0 && header.readInt32BE(matrix + 16) === 0;
  return [isTurned ? { width: height, height: width } : { width, height }];
}
