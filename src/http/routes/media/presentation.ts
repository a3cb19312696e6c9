/** How a browser is told to treat a file. */
export interface Presentation {
  /** The `Content-Type` that is told. */
  type: string;
  how: 'inline' | 'attachment';
}

/** Pictures, films and sounds: nothing in them runs. A browser may show them in place. */
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
/** What is told by its name, but saved instead of shown. A browser's viewer for PDF does not open inside a sandbox. */
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
/** Everything else, and above all what a browser would run: pages, SVG, scripts, styles. */
const UNKNOWN: Presentation = { type: 'application/octet-stream', how: 'attachment' };

const PRESENTATIONS = new Map<string, Presentation>([
  ...SHOWN.map((type): [string, Presentation] => [type, { type, how: 'inline' }]),
  ...SAVED.map((type): [string, Presentation] => [type, { type, how: 'attachment' }]),
]);

/** Every type that is told. */
export const PRESENTED_TYPES: readonly string[] = [...SHOWN, ...SAVED, UNKNOWN.type];

/** @param mimeType as the sender named it: nobody has looked whether it is true */
export function presentationOf(mimeType: string): Presentation {
  const essence = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return PRESENTATIONS.get(essence) ?? UNKNOWN;
}
