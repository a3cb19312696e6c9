/** "WA", protocol 6, dictionary 3: the header that opens every connection and is the handshake's prologue. */
export const HEADER = Buffer.from([0x57, 0x41, 6, 3]);

const ROUTING_MARK = Buffer.from('ED\0\u0001');
const LENGTH_BYTES = 3;

/** A client that does not speak the protocol. */
export class ProtocolError extends Error {
  override name = 'ProtocolError';
}

/** Cuts a byte stream into frames, after the optional routing intro and the header. */
export class FrameReader {
  #bytes: Buffer = Buffer.alloc(0);
  #opened = false;

  /**
   * Takes bytes as they arrive and returns the frames that are complete, without their length prefix.
   * @throws ProtocolError when the stream does not open with the header.
   */
  push(chunk: Buffer): Buffer[] {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    if (!this.#opened && !this.#readIntro()) return [];
    const frames: Buffer[] = [];
    while (this.#bytes.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + this.#bytes.readUIntBE(0, LENGTH_BYTES);
      if (this.#bytes.length < end) break;
      frames.push(this.#bytes.subarray(LENGTH_BYTES, end));
      this.#bytes = this.#bytes.subarray(end);
    }
    return frames;
  }

  #readIntro(): boolean {
    if (this.#bytes.length < HEADER.length) return false;
    let start = 0;
    if (this.#bytes.subarray(0, 2).equals(ROUTING_MARK.subarray(0, 2))) {
      if (this.#bytes.length < ROUTING_MARK.length + LENGTH_BYTES) return false;
      start = ROUTING_MARK.length + LENGTH_BYTES + this.#bytes.readUIntBE(ROUTING_MARK.length, LENGTH_BYTES);
    }
    if (this.#bytes.length < start + HEADER.length) return false;
    const header = this.#bytes.subarray(start, start + HEADER.length);
    if (!header.equals(HEADER)) throw new ProtocolError('the connection does not open with the header');
    this.#bytes = this.#bytes.subarray(start + HEADER.length);
    this.#opened = true;
    return true;
  }
}

/** A frame as it goes over the wire. */
export function frame(payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(LENGTH_BYTES + payload.length);
  bytes.writeUIntBE(payload.length, 0, LENGTH_BYTES);
  bytes.set(payload, LENGTH_BYTES);
  return bytes;
}
