/**
 * Types and their extensions: for files whose first bytes show no type, and for names without extension, which get the
 * first extension of their type. Only types that people send: the thousand rows of the MIME registry would give text files
 * named `.conf` or `.key` types that phones do not know.
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

/** Types that phones do not know, and the equivalent types that they know. */
const SAME: ReadonlyMap<string, string> = new Map([
  ['audio/x-m4a', 'audio/mp4'],
  ['audio/vnd.wave', 'audio/wav'],
  ['image/apng', 'image/png'],
  ['image/jpg', 'image/jpeg'],
  ['binary/octet-stream', 'application/octet-stream'],
]);
/** Container types: they do not say what a file holds. */
const VAGUE: ReadonlySet<string> = new Set([
  'application/octet-stream',
  'application/zip',
  'application/x-cfb',
  'application/xml',
  'text/plain',
]);

/** The extension of a name with its dot, in lower case; empty when it has none. */
function extensionOf(fileName: string): string {
  return /[^.](\.[a-z0-9]{1,8})$/i.exec(fileName)?.[1]?.toLowerCase() ?? '';
}

/** The usual extension of a type with its dot; empty when it is not known. */
function extensionOfType(mimeType: string): string {
  const extension = EXTENSION_OF.get(essenceOf(mimeType));
  return extension ? `.${extension}` : '';
}

/** The type of a name's extension; empty when it is not known. */
export function typeOfName(fileName: string): string {
  return TYPE_OF.get(extensionOf(fileName).slice(1)) ?? '';
}

/** A type without its parameters, in lower case. */
export function essenceOf(mimeType: string): string {
  return (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

/**
 * Chooses a file's type from candidates in order of their weight; container types count last.
 * @param known candidates; may be empty strings
 */
export function weighTypes(known: readonly string[]): string {
  const types = known.filter((type) => type !== '').map((type) => SAME.get(type) ?? type);
  return types.find((type) => !VAGUE.has(essenceOf(type))) ?? types[0] ?? 'application/octet-stream';
}

/** Characters of the longest name, with extension; longer names are cut before the extension. */
const MAX_NAME_LENGTH = 255;
const WITHOUT_NAME = 'file';
/** Control characters, and marks that change the direction of text: they can make `txt.exe` look like `exe.txt`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches them on purpose
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The name that a recipient sees: the given one, or `file` with the extension of the type. Never empty. */
export function fileNameOf(candidates: readonly string[], mimeType: string): string {
  return givenNameOf(candidates, mimeType) || WITHOUT_NAME + extensionOfType(mimeType);
}

/**
 * The first candidate that is a name, without folders and invisible characters. A name without extension gets that of the
 * type. Empty when no candidate is a name.
 */
export function givenNameOf(candidates: readonly string[], mimeType: string): string {
  const name = candidates.map(clean).find((candidate) => candidate !== '') ?? '';
  return shorten(name !== '' && extensionOf(name) === '' ? name + extensionOfType(mimeType) : name);
}

/** The name in a `Content-Disposition` header; empty when there is none. `filename*` counts first. */
export function nameOfDisposition(header: string): string {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]+)/i.exec(header)?.[1];
  if (encoded !== undefined) return decoded(encoded);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(header) ?? [];
  return quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/g, '$1');
}

/** The last segment of a URL's path, if it has an extension; empty otherwise. */
export function nameOfUrl(url: URL): string {
  const last = decoded(url.pathname.split('/').at(-1) ?? '');
  return extensionOf(last) === '' ? '' : last;
}

function clean(name: string): string {
  const base = name.replace(INVISIBLE, '').split(/[/\\]/).at(-1) ?? '';
  const trimmed = base.trim();
  return /^\.*$/.test(trimmed) ? '' : trimmed;
}

function shorten(name: string): string {
  if (name.length <= MAX_NAME_LENGTH) return name;
  const extension = extensionOf(name);
  // spread into characters, so that no surrogate pair is split
  return [...name].slice(0, MAX_NAME_LENGTH - extension.length).join('') + extension;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
