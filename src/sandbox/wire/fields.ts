const BYTES = 2;
const LOW_BITS = 0x7f;
const MORE = 0x80;

/** A field of a protocol buffer that the library's messages do not name: its number, and bytes as its value. */
export function lengthDelimited(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + BYTES), varint(value.length), value]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > LOW_BITS; rest >>>= 7) bytes.push((rest & LOW_BITS) | MORE);
  return Buffer.from([...bytes, rest]);
}
