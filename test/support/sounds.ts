import { createHash } from 'node:crypto';

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
