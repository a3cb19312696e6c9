/**
 * Types by extension, for what cannot be told by its first bytes, and extensions for names that lack one. The first
 * extension of a type is the one that it is given.
 */
const TYPES: readonly (readonly [string, ...string[]])[] = [
  ['text/plain', 'txt', 'log'],
  ['text/csv', 'csv'],
  ['text/html', 'html', 'htm'],
  ['text/markdown', 'md'],
  ['text/calendar', 'ics'],
  ['text/vcard', 'vcf'],
  ['application/json', 'json'],
  ['application/xml', 'xml'],
  ['image/svg+xml', 'svg'],
  ['application/msword', 'doc'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.ms-powerpoint', 'ppt'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'pptx'],
  ['application/vnd.oasis.opendocument.text', 'odt'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'ods'],
  ['application/vnd.android.package-archive', 'apk'],
  ['application/epub+zip', 'epub'],
  ['application/pdf', 'pdf'],
  ['application/rtf', 'rtf'],
  ['application/zip', 'zip'],
  ['image/jpeg', 'jpg', 'jpeg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['image/gif', 'gif'],
  ['video/mp4', 'mp4'],
  ['video/quicktime', 'mov'],
  ['video/3gpp', '3gp'],
  ['video/webm', 'webm'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp4', 'm4a'],
  ['audio/aac', 'aac'],
  ['audio/ogg', 'ogg', 'opus', 'oga'],
  ['audio/amr', 'amr'],
  ['audio/wav', 'wav'],
];

const TYPE_OF = new Map(TYPES.flatMap(([type, ...extensions]) => extensions.map((ending) => [ending, type])));
const EXTENSION_OF = new Map(TYPES.map(([type, extension]) => [type, extension]));

/** Names that say too little or that phones do not know, and the ones that they do. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/vnd.wave', 'audio/wav'],
  ['image/apng', 'image/png'],
  ['image/jpg', 'image/jpeg'],
  ['binary/octet-stream', 'application/octet-stream'],
]);
/** Types that say how a file is packed, but not what it is. */
const VAGUE: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'application/zip',
  'application/x-cfb',
  'application/xml',
  'text/plain',
]);

/** The extension of a name with its dot, in lower case; empty when it has none. */
export function extensionOf(fileName: string): string {
  return /[^.](\.[a-z0-9]{1,8})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
}

/** The usual extension of a type with its dot; empty when it is not known. */
export function extensionOfType(mimeType: string): string {
  const extension = EXTENSION_OF.get(essenceOf(mimeType));
  return extension ? `.${extension}` : '';
}

/** The type that a name's extension stands for; empty when it is not known. */
export function typeOfName(fileName: string): string {
  return TYPE_OF.get(extensionOf(fileName).slice(1)) ?? '';
}

/** A type without its parameters, in lower case. */
export function essenceOf(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * What a file is, by what is known of it, in the order of its weight; what only tells how it is packed counts last.
 * @param known types, empty ones included
 */
export function weighTypes(known: readonly string[]): string {
  const types = known.filter((type) => type !== '').map((type) => SAME.get(type) ?? type);
  return types.find((type) => !VAGUE.has(essenceOf(type))) ?? types[0] ?? 'application/octet-stream';
}
