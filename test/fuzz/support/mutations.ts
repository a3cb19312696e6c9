import type { Prng } from './values.js';

const INTERESTING = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x2c, 0x3a, 0x7f, 0x80, 0xc0, 0xed, 0xfe, 0xff];
/** Bytes that one repetition may add. */
const MAX_REPEATED = 4_096;

/** Bytes with some random changes: flipped, replaced, removed, repeated, moved or cut off. */
export function mutated(prng: Prng, bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let changes = prng.int(1, 6); changes > 0; changes--)
    changed = Buffer.from(changedOnce(prng, changed));
  return changed;
}

function changedOnce(prng: Prng, bytes: Buffer): Uint8Array {
  if (bytes.length === 0) return prng.bytes(prng.int(0, 8));
  const at = prng.int(0, bytes.length - 1);
  const end = Math.min(bytes.length, at + prng.int(1, 32));
  const [before, piece, after] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)];
  switch (prng.int(0, 7)) {
    case 0:
      return Buffer.concat([
        before,
        Buffer.from([(bytes[at] ?? 0) ^ (1 << prng.int(0, 7))]),
        bytes.subarray(at + 1),
      ]);
    case 1:
      return Buffer.concat([before, Buffer.from([prng.pick(INTERESTING)]), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, prng.bytes(prng.int(1, 16)), bytes.subarray(at)]);
    case 4: {
      const times = Math.ceil(prng.int(1, MAX_REPEATED) / piece.length);
      return Buffer.concat([before, ...Array.from({ length: times }, () => piece), after]);
    }
    case 5:
      return before;
    case 6:
      return Buffer.concat([before, prng.bytes(piece.length), after]);
    default: {
      // the length fields of binary formats
      const copy = Buffer.from(bytes);
      if (at + 4 <= copy.length) copy.writeUInt32BE(prng.pick([0, 1, 0xffff, 0x7fffffff, 0xffffffff]), at);
      return copy;
    }
  }
}
