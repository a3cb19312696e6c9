import type { ByteRange } from '../store/store.js';

/** The headers of a request for a part of a file. */
export interface RangeHeaders {
  range?: string;
  'if-range'?: string;
}

const RANGE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * The byte range of a request (RFC 9110, 14). Several ranges, malformed ranges, and a range whose `If-Range` names
 * another version are ignored: the answer is then the whole file. (`@hapi/ammo` does not tell malformed ranges from
 * unsatisfiable ones.)
 * @param file its size in bytes, and its tag without quotes
 * @returns undefined for the whole
 */
export function requestedRange(
  { range = '', 'if-range': condition }: RangeHeaders,
  { size, etag }: { size: number; etag: string },
): ByteRange | 'unsatisfiable' | undefined {
  if (condition !== undefined && condition !== `"${etag}"`) return undefined;
  const [, first = '', last = ''] = RANGE.exec(range) ?? [];
  if (first === '') return last === '' ? undefined : lastBytes(Number(last), size);
  const [start, end] = [Number(first), last === '' ? size - 1 : Number(last)];
  // a range that runs backwards is malformed; one that begins after the file's end is unsatisfiable
  if (last !== '' && start > end) return undefined;
  return start < size ? { start, end: Math.min(end, size - 1) } : 'unsatisfiable';
}

function lastBytes(count: number, size: number): ByteRange | 'unsatisfiable' {
  if (count === 0 || size === 0) return 'unsatisfiable';
  return { start: Math.max(0, size - count), end: size - 1 };
}

/** Characters that `encodeURIComponent` leaves as they are although RFC 8187 does not allow them. */
const NOT_ENCODED = /['()*]/g;
/** Characters that old clients misread between the quotes: beyond ASCII, quotes, and what looks like an escape. */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/g;

/** A `Content-Disposition` header (RFC 6266), with the exact name, and an ASCII version for old clients. */
export function contentDisposition(how: 'inline' | 'attachment', fileName: string): string {
  // a lone surrogate, which JSON can hold, has no encoding
  const name = Buffer.from(fileName).toString();
  const encoded = encodeURIComponent(name).replace(NOT_ENCODED, percentEncoded);
  return `${how}; filename="${name.replace(NOT_PLAIN, '_')}"; filename*=UTF-8''${encoded}`;
}

function percentEncoded(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

/** Headers that decide how a browser treats a file. */
interface Presentation {
  /** The `Content-Type` of the answer. */
  type: string;
  how: 'inline' | 'attachment';
}

/** Pictures, videos and sounds contain no code, so a browser may show them inline. */
const SHOWN = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/avif',
  'video/mp4',
  'video/webm',
  'video/3gpp',
  'video/quicktime',
  'audio/mpeg',
  'audio/mp4',
  'audio/aac',
  'audio/ogg',
  'audio/amr',
  'audio/wav',
  'audio/webm',
];
/** Types that keep their `Content-Type` but are downloaded: a browser's PDF viewer does not open inside a sandbox. */
const SAVED = [
  'application/pdf',
  'application/zip',
  'application/epub+zip',
  'application/msword',
  'application/vnd.ms-excel',
  'application/vnd.ms-powerpoint',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.oasis.opendocument.text',
  'application/vnd.oasis.opendocument.spreadsheet',
  'text/plain',
  'text/csv',
  'text/vcard',
  'text/calendar',
];
/** All other types, above all those with code: pages, SVG, scripts, styles. */
const UNKNOWN: Presentation = { type: 'application/octet-stream', how: 'attachment' };

const PRESENTATIONS = new Map<string, Presentation>([
  ...SHOWN.map((type): [string, Presentation] => [type, { type, how: 'inline' }]),
  ...SAVED.map((type): [string, Presentation] => [type, { type, how: 'attachment' }]),
]);

/** Every type that an answer may have. */
export const PRESENTED_TYPES: readonly string[] = [...SHOWN, ...SAVED, UNKNOWN.type];

/** @param mimeType as the sender named it, unchecked */
export function presentationOf(mimeType: string): Presentation {
  const essence = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return PRESENTATIONS.get(essence) ?? UNKNOWN;
}
