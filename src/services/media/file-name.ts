import { extensionOf, extensionOfType } from './file-types.js';

/** Characters of a name, its extension included; longer ones are cut before it. */
const LENGTH = 255;
const WITHOUT_NAME = 'file';
/** Control characters, and marks that turn the direction of writing: with them `exe.txt` can be shown for `txt.exe`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The name that a recipient sees: the first of the candidates that has one, without folders and unprintable characters,
 * with an extension that fits the type when it had none. Never empty.
 */
export function fileNameOf(candidates: readonly string[], mimeType: string): string {
  const name = candidates.map(clean).find((candidate) => candidate !== '') ?? WITHOUT_NAME;
  return shorten(extensionOf(name) === '' ? name + extensionOfType(mimeType) : name);
}

/** The name in a `Content-Disposition` header; empty when there is none. `filename*` counts first. */
export function nameOfDisposition(header: string): string {
  const encoded = /;\s*filename\*\s*=\s*utf-8'[^']*'([^\s;]+)/i.exec(header)?.[1];
  if (encoded !== undefined) return decoded(encoded);
  const [, quoted, token] = /;\s*filename\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(header) ?? [];
  return quoted === undefined ? (token ?? '') : quoted.replace(/\\(.)/g, '$1');
}

/** The last part of an address's path, if it looks like a file's name; empty otherwise. */
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
  if (name.length <= LENGTH) return name;
  const extension = extensionOf(name);
  // by characters: half of one is none
  return [...name].slice(0, LENGTH - extension.length).join('') + extension;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
