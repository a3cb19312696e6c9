import { createDecipheriv, createHash, createHmac, hkdfSync } from 'node:crypto';
import sharp from 'sharp';
import type { MediaDownload } from '../../src/contract/events/extras.js';

/** A square picture in base64, as phones are given one. */
export async function picture(background: string, size = 700): Promise<string> {
  const create = { width: size, height: size, channels: 3 as const, background };
  return (await sharp({ create }).png().toBuffer()).toString('base64');
}

const PER_SECOND = 1_000;
const FRACTION = 65_536;

/** What the container of a film says of its pictures. */
interface Pictures {
  /** Pixels as they were recorded. */
  width: number;
  height: number;
  /** The camera was held upright. */
  turned?: boolean;
}

/** The skeleton of a film (MP4) of so many seconds, without a single picture in it. */
export function film(seconds: number, pictures?: Pictures): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(PER_SECOND, 12);
  header.writeUInt32BE(seconds * PER_SECOND, 16);
  const track = pictures ? [box('trak', box('tkhd', trackHeader(pictures)))] : [];
  return Buffer.concat([
    box('ftyp', Buffer.from('isom\0\0\0\0isommp42', 'latin1')),
    box('mdat', Buffer.alloc(64)),
    box('moov', box('mvhd', header), ...track),
  ]);
}

function trackHeader({ width, height, turned = false }: Pictures): Buffer {
  const header = Buffer.alloc(84);
  const [straight, across] = turned ? [0, FRACTION] : [FRACTION, 0];
  header.writeInt32BE(straight, 40);
  header.writeInt32BE(across, 44);
  header.writeInt32BE(-across, 52);
  header.writeInt32BE(straight, 56);
  header.writeUInt32BE(width * FRACTION, 76);
  header.writeUInt32BE(height * FRACTION, 80);
  return header;
}

function box(name: string, ...content: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(
    content.reduce((length, { length: more }) => length + more, head.length),
    0,
  );
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, ...content]);
}

/** Opus packets of the kind made here have 20 ms, full band, mono. */
const PACKETS_PER_SECOND = 50;
const SAMPLES_PER_PACKET = 960;
const PACKET_BYTES = 80;
const TABLE_OF_CONTENTS = 0xf8;
const SILENCE = Buffer.from([TABLE_OF_CONTENTS, 0xff, 0xfe]);
/** Flags of an Ogg page. */
const FIRST = 2;
const LAST = 4;

/** A voice note as phones record it, Opus in Ogg: noise for its first half, silence for the other. */
export function voiceNote(seconds: number): Buffer {
  const pages = [page(0, FIRST, 0, [opusHead()]), page(1, 0, 0, [opusTags()])];
  for (let second = 0; second < seconds; second++) {
    const packet = second < seconds / 2 ? noise : () => SILENCE;
    const packets = Array.from({ length: PACKETS_PER_SECOND }, (_, index) => packet(index));
    const samples = (second + 1) * PACKETS_PER_SECOND * SAMPLES_PER_PACKET;
    pages.push(page(second + 2, second + 1 === seconds ? LAST : 0, samples, packets));
  }
  return Buffer.concat(pages);
}

/** A recording without any compression (WAV, 8 kHz, mono): a tone. */
export function recording(seconds: number): Buffer {
  const rate = 8_000;
  const samples = Buffer.from(
    Array.from({ length: rate * seconds }, (_, at) => 128 + 100 * Math.sin((at * 440 * 2 * Math.PI) / rate)),
  );
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

/** Any bytes are some sound; a hash makes the same ones each time. */
function noise(seed: number): Buffer {
  const hash = createHash('shake256', { outputLength: PACKET_BYTES }).update(String(seed));
  return Buffer.concat([Buffer.from([TABLE_OF_CONTENTS]), hash.digest()]);
}

function opusHead(): Buffer {
  const head = Buffer.alloc(19);
  head.write('OpusHead', 0);
  head.writeUInt8(1, 8);
  head.writeUInt8(1, 9);
  head.writeUInt32LE(48_000, 12);
  return head;
}

function opusTags(): Buffer {
  const vendor = 'test';
  const tags = Buffer.alloc(8 + 4 + vendor.length + 4);
  tags.write('OpusTags', 0);
  tags.writeUInt32LE(vendor.length, 8);
  tags.write(vendor, 12);
  return tags;
}

/** A page of an Ogg file. Its checksum stays 0: nobody looks at it here. @param samples from the file's beginning to the page's end */
function page(number: number, flags: number, samples: number, packets: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(27 + packets.length);
  header.write('OggS', 0);
  header.writeUInt8(flags, 5);
  header.writeBigUInt64LE(BigInt(samples), 6);
  header.writeUInt32LE(1, 14);
  header.writeUInt32LE(number, 18);
  header.writeUInt8(packets.length, 26);
  for (const [index, packet] of packets.entries()) header.writeUInt8(packet.length, 27 + index);
  return Buffer.concat([header, ...packets]);
}

/** A document (PDF) of so many empty pages. */
export function pdf(pages: number): Buffer {
  const kids = Array.from({ length: pages }, (_, page) => `${page + 3} 0 R`);
  const leaves = kids.map(
    (_, page) => `${page + 3} 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj`,
  );
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      `2 0 obj<</Type/Pages/Kids[${kids.join(' ')}]/Count ${pages}>>endobj`,
      ...leaves,
      'trailer<</Root 1 0 R>>',
    ].join('\n'),
  );
}

const KEY_NAMES: Readonly<Record<string, string>> = {
  image: 'Image',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Image',
};
const IV_BYTES = 16;
const KEY_BYTES = 32;
const MAC_BYTES = 10;
const EXPANDED_BYTES = 112;

/**
 * Fetches and decrypts a file by what an event says of it, as a receiver would that knows nothing but the network's
 * published format.
 * @param host address of the media host
 * @throws when a hash or the authentication code is wrong
 */
export async function fetchFile(host: string, mediaType: string, download: MediaDownload): Promise<Buffer> {
  const response = await fetch(new URL(download.directPath, host));
  if (!response.ok) throw new Error(`the media host answered ${response.status}`);
  const encrypted = Buffer.from(await response.arrayBuffer());
  requireHash(encrypted, download.fileEncSha256);
  const mediaKey = Buffer.from(download.mediaKey, 'base64');
  const info = `WhatsApp ${KEY_NAMES[mediaType]} Keys`;
  const expanded = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), info, EXPANDED_BYTES));
  const iv = expanded.subarray(0, IV_BYTES);
  const cipherKey = expanded.subarray(IV_BYTES, IV_BYTES + KEY_BYTES);
  const macKey = expanded.subarray(IV_BYTES + KEY_BYTES, IV_BYTES + 2 * KEY_BYTES);
  const body = encrypted.subarray(0, -MAC_BYTES);
  const mac = createHmac('sha256', macKey).update(iv).update(body).digest().subarray(0, MAC_BYTES);
  if (!mac.equals(encrypted.subarray(-MAC_BYTES))) throw new Error('the authentication code is wrong');
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv);
  const plain = Buffer.concat([decipher.update(body), decipher.final()]);
  requireHash(plain, download.fileSha256);
  return plain;
}

function requireHash(bytes: Uint8Array, expected: string): void {
  const actual = createHash('sha256').update(bytes).digest('base64');
  if (actual !== expected) throw new Error(`the hash is ${actual}, not ${expected}`);
}
