import { Binary } from 'mongodb';

/** Copies bytes into their stored form. */
export function toBinary(bytes: Uint8Array): Binary {
  return new Binary(Uint8Array.from(bytes));
}

/** Copies stored bytes out: what the driver gives may share memory with the whole answer of the server. */
export function fromBinary(stored: Binary): Uint8Array {
  return Uint8Array.from(stored.value());
}
