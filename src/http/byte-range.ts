import type { ByteRange } from '../store/store.js';

/** What a request may say of the part that it wants. */
export interface RangeHeaders {
  range?: string;
  'if-range'?: string;
}

/** What a range is held against. */
export interface Ranged {
  /** Bytes. */
  size: number;
  /** The whole's tag, without quotes. */
  etag: string;
}

const RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * The one part that a request asks for (RFC 9110, 14). What is no single range of bytes is ignored, and so is one that is
 * asked for on the condition of another version: the whole is then the right answer.
 * @returns undefined for the whole
 */
export function requestedRange(
  { range = '', 'if-range': condition }: RangeHeaders,
  { size, etag }: Ranged,
): ByteRange | 'unsatisfiable' | undefined {
  if (condition !== undefined && condition !== `"${etag}"`) return undefined;
  const [, first = '', last = ''] = RANGE.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), size);
  const [start, end] = [Number(first), last === '' ? size - 1 : Number(last)];
  // one that runs backwards is none; one that only seems to, because the file ends before it, is out of reach
  if (last !== '' && start > end) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : 'unsatisfiable';
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - count), end: size - 1 };
}
