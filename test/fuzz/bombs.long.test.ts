import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { expect } from 'chai';
import sharp from 'sharp';
import { systemClock } from '../../src/domain/clock.js';
import { LIMITS } from '../../src/domain/limits.js';
import { createLog } from '../../src/gateway/log.js';
import { Inspector } from '../../src/gateway/services/files/inspect/inspector.js';
import { voiceNote } from '../support/made-files.js';
import { makeTempDir, type TempDir } from '../support/temp-dir.js';
import { until } from '../support/until.js';

const MIB = 1024 * 1024;
/** Milliseconds beyond its limit that an inspection may take: a process is killed, on a busy machine. */
const SPARE_MS = 5_000;
/** Bytes that stay in the daemon. */
const MAX_GROWTH = 64 * MIB;
/** Bytes of a decoder with Node.js and its libraries: docs/security.md grants it 1 GiB beside them. */
const MAX_DECODER = 1_280 * MIB;
const WATCH_MS = 20;
/** Numbers that nobody's file has. */
const SIDE = 30_000;
const FRAMES = 20_000;
/** Seconds that a message can name. */
const MOST_SECONDS = 2 ** 32 - 1;

describe('files that are built to fill memory or time', function () {
  this.timeout(120_000);
  let folder: TempDir;
  let inspector: Inspector;
  /** Bytes of the largest decoder so far. */
  let largest: number;
  let watch: NodeJS.Timeout;
  before(async () => {
    folder = await makeTempDir();
  });
  after(() => folder.remove());
  beforeEach(() => {
    const log = createLog({ level: 'silent', pretty: false });
    inspector = new Inspector({ clock: systemClock, log, searchPath: '', uninspected: () => undefined });
    largest = 0;
    watch = setInterval(() => {
      void memoryOfDecoders().then((bytes) => {
        largest = Math.max(largest, bytes);
      });
    }, WATCH_MS);
  });
  afterEach(() => {
    clearInterval(watch);
    inspector.stop();
  });

  /** The facts of a file, within its time; the next file of the same session is read as ever. */
  async function facts(bytes: Buffer, type: string, asVoice = false) {
    const path = join(folder.path, 'bomb');
    await writeFile(path, bytes);
    const before = process.memoryUsage();
    const begin = performance.now();
    const found = await inspector.look('acme', path, type, asVoice);
    expect(performance.now() - begin).to.be.below(LIMITS.inspectionMs + SPARE_MS);
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    expect(heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers).to.be.below(MAX_GROWTH);
    expect(largest).to.be.below(MAX_DECODER);
    return found;
  }

  async function isReadAfterwards(): Promise<void> {
    const path = join(folder.path, 'right');
    await writeFile(
      path,
      await sharp({ create: { width: 4, height: 3, channels: 3, background: 'red' } })
        .png()
        .toBuffer(),
    );
    // on a busy machine the start of the next process may take longer than one inspection
    await until('a picture that is read', async () => {
      const { width, height } = await inspector.look('other', path, 'image/png', false);
      return width === 4 && height === 3;
    });
  }

  const pictures: [string, () => Promise<Buffer> | Buffer, string][] = [
    [
      'a PNG that claims two thousand million pixels a side',
      () => png(0x7fffffff, 0x7fffffff, Buffer.alloc(10)),
      'image/png',
    ],
    [
      'a PNG of 900 million black pixels in little space',
      () => png(SIDE, SIDE, Buffer.alloc((SIDE / 8 + 1) * SIDE)),
      'image/png',
    ],
    ['a PNG whose pixels never end', () => png(8, 8, Buffer.alloc(256 * MIB)), 'image/png'],
    [
      'a PNG with a profile of colours of 256 MB',
      () =>
        png(
          8,
          8,
          Buffer.alloc(16),
          chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(Buffer.alloc(256 * MIB))])),
        ),
      'image/png',
    ],
    ['a JPEG that claims 65,535 pixels a side', jpeg, 'image/jpeg'],
    ['a GIF of 20,000 frames of 65,535 pixels a side', () => gif(65_535, FRAMES), 'image/gif'],
    ['an animated WebP of 20,000 frames on the largest canvas', () => webp(16_777_216, FRAMES), 'image/webp'],
    ['a TIFF that claims four thousand million pixels a side', tiff, 'image/tiff'],
  ];
  for (const [what, make, type] of pictures) {
    it(`${what} has no thumbnail, and becomes neither sticker nor portrait`, async () => {
      const bytes = await make();
      const found = await facts(bytes, type);
      if (bytes.length < 256 * MIB && !/little|never|profile/.test(what))
        expect(found).to.not.have.property('thumbnail');
      const path = join(folder.path, 'bomb');
      for (const convert of [
        inspector.sticker('acme', path, join(folder.path, 'sticker')),
        inspector.portrait('acme', path),
      ]) {
        const begin = performance.now();
        await convert.catch((error: unknown) => expect(error).to.be.an('error'));
        expect(performance.now() - begin).to.be.below(LIMITS.conversionMs + SPARE_MS);
      }
      // the largest is known
      expect(largest).to.be.within(MIB, MAX_DECODER);
      await isReadAfterwards();
    });
  }

  const documents: [string, () => Buffer][] = [
    ['an object stream that grows to 1 GB', () => pdfOfStream(Buffer.alloc(1_000 * MIB))],
    [
      'pages that contain themselves',
      () => pdf('2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2147483647>>endobj'),
    ],
    [
      'a million nested lists',
      () => pdf(`2 0 obj<</Type/Pages/Kids${'['.repeat(1_000_000)}/Count 1>>endobj`),
    ],
    ['a thousand million pages', () => pdf('2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1000000000>>endobj')],
    [
      'a million objects',
      () => pdf(Array.from({ length: 1_000_000 }, (_, at) => `${at + 4} 0 obj 1 endobj`).join('\n')),
    ],
  ];
  for (const [what, make] of documents) {
    it(`a PDF with ${what} is read in time, or is not read`, async () => {
      const { pageCount = 1 } = await facts(make(), 'application/pdf');
      expect(pageCount).to.be.a('number');
      await isReadAfterwards();
    });
  }

  const sounds: [string, () => Buffer][] = [
    [
      'that claims to last for ever',
      () => lastPage(voiceNote(1), (page) => page.writeBigUInt64LE(0x7fff_ffff_ffff_ffffn, 6)),
    ],
    [
      'that claims to end before it begins',
      () => lastPage(voiceNote(1), (page) => page.writeBigInt64LE(-5n, 6)),
    ],
    ['whose comments claim 4 GB', () => comments(voiceNote(1), 0xffff_ffff)],
    [
      'of twenty thousand copies of its beginning',
      () => Buffer.concat(Array<Buffer>(20_000).fill(voiceNote(1).subarray(0, 200))),
    ],
    ['of two hours', () => voiceNote(7_200)],
  ];
  for (const [what, make] of sounds) {
    it(`a voice note ${what} has properties within bounds, or none`, async () => {
      const found = await facts(make(), 'audio/ogg', true);
      expect(found.waveform?.length ?? 64).to.equal(64);
      const { seconds = 1 } = found;
      expect(seconds).to.be.within(1, MOST_SECONDS);
      await isReadAfterwards();
    });
  }
});

/** Bytes of the largest child that decodes. */
async function memoryOfDecoders(): Promise<number> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8').catch(() => '');
  const sizes = children
    .split(' ')
    .filter(Boolean)
    .map(async (pid) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
    });
  return Math.max(0, ...(await Promise.all(sizes)));
}

function uint32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}

const CRC = Array.from({ length: 256 }, (_, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  return sum >>> 0;
});

/** A chunk of a PNG. */
function chunk(name: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name), content]);
  let sum = 0xffffffff;
  for (const byte of body) sum = (CRC[(sum ^ byte) & 0xff] ?? 0) ^ (sum >>> 8);
  return Buffer.concat([uint32(content.length), body, uint32((sum ^ 0xffffffff) >>> 0)]);
}

/** A PNG of black and white pixels. */
function png(width: number, height: number, pixels: Buffer, more: Buffer = Buffer.alloc(0)): Buffer {
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.concat([uint32(width, height), Buffer.from([1, 0, 0, 0, 0])])),
    more,
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function jpeg(): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .jpeg()
    .toBuffer();
  const size = bytes.indexOf(Buffer.from([0xff, 0xc0])) + 5;
  bytes.writeUInt16BE(65_535, size);
  bytes.writeUInt16BE(65_535, size + 2);
  return bytes;
}

function gif(side: number, frames: number): Buffer {
  const size = Buffer.alloc(4);
  size.writeUInt16LE(side, 0);
  size.writeUInt16LE(side, 2);
  const frame = Buffer.concat([Buffer.from([0x2c, 0, 0, 0, 0]), size, Buffer.from([0, 2, 2, 0x44, 1, 0])]);
  return Buffer.concat([
    ...[Buffer.from('GIF89a'), size, Buffer.from([0x80, 0, 0, 0, 0, 0, 255, 255, 255])],
    ...Array<Buffer>(frames).fill(frame),
    Buffer.from([0x3b]),
  ]);
}

/** An animation whose frames have one pixel; @param side of the canvas */
async function webp(side: number, frames: number): Promise<Buffer> {
  const one = await sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } })
    .webp()
    .toBuffer();
  const small = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, (value >> 16) & 255]);
  const riff = (name: string, content: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32LE(content.length);
    return Buffer.concat([Buffer.from(name), length, content, Buffer.alloc(content.length % 2)]);
  };
  const frame = riff(
    'ANMF',
    Buffer.concat([small(0), small(0), small(0), small(0), small(1), Buffer.from([0]), one.subarray(12)]),
  );
  return riff(
    'RIFF',
    Buffer.concat([
      Buffer.from('WEBP'),
      riff('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), small(side - 1), small(side - 1)])),
      riff('ANIM', Buffer.alloc(6)),
      ...Array<Buffer>(frames).fill(frame),
    ]),
  );
}

async function tiff(): Promise<Buffer> {
  const bytes = await sharp({ create: { width: 16, height: 16, channels: 3, background: 'red' } })
    .tiff()
    .toBuffer();
  const directory = bytes.readUInt32LE(4);
  for (let at = 0; at < bytes.readUInt16LE(directory); at++) {
    const entry = directory + 2 + 12 * at;
    // ImageWidth and ImageLength, as LONG
    if ([256, 257].includes(bytes.readUInt16LE(entry))) {
      bytes.writeUInt16LE(4, entry + 2);
      bytes.writeUInt32LE(0xffff_ffff, entry + 8);
    }
  }
  return bytes;
}

function pdf(pages: string): Buffer {
  return Buffer.from(
    [
      '%PDF-1.4',
      '1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj',
      pages,
      '3 0 obj<</Type/Page/Parent 2 0 R>>endobj',
      'trailer<</Root 1 0 R/Size 4>>',
      '%%EOF',
    ].join('\n'),
  );
}

/** The catalogue is in an object stream, which a reader unpacks to find the pages. */
function pdfOfStream(content: Buffer): Buffer {
  const packed = deflateSync(content, { level: 9 });
  const head = Buffer.from('%PDF-1.5\n');
  const first = Buffer.concat([
    Buffer.from(`5 0 obj<</Type/ObjStm/N 2/First 8/Filter/FlateDecode/Length ${packed.length}>>stream\n`),
    packed,
    Buffer.from('\nendstream endobj\n'),
  ]);
  const entries = [
    [0, 0, 255],
    [2, 5, 0],
    [2, 5, 1],
    [0, 0, 0],
    [0, 0, 0],
    [1, head.length, 0],
  ];
  const table = Buffer.concat(
    entries.map(([type = 0, where = 0, index = 0]) =>
      Buffer.concat([Buffer.from([type]), uint32(where), Buffer.from([index])]),
    ),
  );
  return Buffer.concat([
    ...[
      head,
      first,
      Buffer.from(`6 0 obj<</Type/XRef/W[1 4 1]/Size 6/Root 1 0 R/Length ${table.length}>>stream\n`),
    ],
    ...[table, Buffer.from(`\nendstream endobj\nstartxref\n${head.length + first.length}\n%%EOF`)],
  ]);
}

/** Changes the last page of an Ogg file. */
function lastPage(bytes: Buffer, change: (page: Buffer) => void): Buffer {
  change(bytes.subarray(bytes.lastIndexOf('OggS')));
  return bytes;
}

/** Changes the length of the list of comments. */
function comments(bytes: Buffer, length: number): Buffer {
  bytes.writeUInt32LE(length, bytes.indexOf('OpusTags') + 8);
  return bytes;
}
